// C++ collections on the workloads of berth's lab, which runs this program beside its own
// collections and requests one repetition at a time.

#include "colony.hpp"
#include "held.hpp"
#include "protocol.hpp"
#include "steps.hpp"
#include "values.hpp"
#include "vector.hpp"

#include <cstdlib>
#include <iostream>
#include <malloc.h>
#include <new>

// Counts all allocations, by the size that the system provides.
void *operator new(std::size_t bytes) {
	void *p = std::malloc(bytes);
	if (p == nullptr) {
		throw std::bad_alloc();
	}
	held.now += malloc_usable_size(p);
	held.most = std::max(held.most, held.now);
	return p;
}

void operator delete(void *p) noexcept {
	if (p != nullptr) {
		held.now -= malloc_usable_size(p);
		std::free(p);
	}
}

void operator delete(void *p, std::size_t) noexcept { operator delete(p); }

// Makes the series of a workload on collection C.
template <template <class> class C, class P>
Series start_values(const std::string &workload, std::size_t n) {
	using E = Elem<P>;
	if (workload == "basic") {
		return basic<C<E>, E>(n);
	}
	if (workload == "sparse") {
		return sparse<C<E>, E>(n);
	}
	if (workload == "churn") {
		return churn<C<E>, E>(n);
	}
	if (workload == "memory") {
		return memory<C<E>, E>(n);
	}
	if (workload == "thesis-basic" && sizeof(E) == 8) {
		return thesis_basic<C<E>, E>(n);
	}
	return {};
}

template <template <class> class C>
Series start(const std::string &workload, std::size_t n, std::size_t elem) {
	if (elem == 8 && (workload == "cross" || workload == "thesis-cross")) {
		return cross<C<Collider>>(n);
	}
	if (elem == 4 && (workload == "ephemeral" || workload == "thesis-ephemeral")) {
		return ephemeral<C<std::uint32_t>>(n);
	}
	if (elem == 8 && (workload == "cross-ephemeral" || workload == "thesis-cross-ephemeral")) {
		return cross_ephemeral<C<Collider>>(n);
	}
	switch (elem) {
	case 8:
		return start_values<C, NoWords>(workload, n);
	case 32:
		return start_values<C, Words3>(workload, n);
	case 128:
		return start_values<C, Words15>(workload, n);
	}
	return {};
}

int main() {
	std::ios::sync_with_stdio(false);
	const std::vector<std::string> workloads{"basic", "cross", "ephemeral", "cross-ephemeral",
		"sparse", "churn", "memory", "thesis-basic", "thesis-cross", "thesis-ephemeral",
		"thesis-cross-ephemeral"};
	Server server({
		{"plf::colony", workloads, start<Colony>},
		{"vector", workloads, start<Vector>},
	});
	server.serve(std::cin, std::cout);
}
