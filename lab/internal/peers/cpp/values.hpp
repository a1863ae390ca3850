// basic, thesis-basic, sparse, churn and memory: workloads of values with handles. They are written
// once, for every collection C<T>; the compiler makes a copy for each, into which the collection's
// own loops are inlined.
#pragma once

#include "clock.hpp"
#include "held.hpp"
#include "report.hpp"
#include "rng.hpp"

#include <algorithm>
#include <memory>
#include <optional>

// A word that the compiler does not know.
inline std::uint64_t word() {
	static volatile std::uint64_t one = 1;
	return one;
}

// The pad of all elements of a loop: nothing, or a struct of words.
struct NoWords {
	static NoWords make() { return {}; }
};

struct Words3 {
	std::uint64_t a, b, c;

	static Words3 make() { return {word(), word(), word()}; }
};

struct Words15 {
	std::uint64_t a, b, c, d, e, f, g, h, i, j, k, l, m, n, o;

	static Words15 make() {
		return {word(), word(), word(), word(), word(), word(), word(), word(), word(), word(),
			word(), word(), word(), word(), word()};
	}
};

// An element: the workloads add up v, and the pad fills it up to its size. It is a struct of
// words, as in Go, where arrays of words would be slower than typical values.
template <class P>
struct Elem {
	using Pad = P;

	[[no_unique_address]] P pad;
	std::uint64_t v;
};

// The timed loops are not inlined, so that all workloads run the same code.
// Handles are stored at their positions in hs, which has n of them.
template <class C, class E>
struct Loops {
	using Handles = std::vector<typename C::Handle>;

	[[gnu::noinline]] static void fill(C &c, Handles &hs) {
		const auto pad = E::Pad::make();
		for (std::size_t i = 0; i < hs.size(); i++) {
			hs[i] = c.insert(E{pad, i});
		}
	}

	[[gnu::noinline]] static std::uint64_t sum(C &c) {
		std::uint64_t s = 0;
		c.for_each([&](const E &e) { s += e.v; });
		return s;
	}

	[[gnu::noinline]] static void add_one(C &c) {
		c.for_each([](E &e) { e.v++; });
	}

	[[gnu::noinline]] static std::uint64_t get(const C &c, const Handles &hs) {
		std::uint64_t s = 0;
		for (const auto &h : hs) {
			s += c.get(h).v;
		}
		return s;
	}

	[[gnu::noinline]] static std::uint64_t drain(C &c, const Handles &hs) {
		std::uint64_t s = 0;
		for (const auto &h : hs) {
			s += c.remove(h).v;
		}
		return s;
	}

	[[gnu::noinline]] static std::uint64_t exchange(C &c, Handles &hs, std::size_t pairs) {
		Rng r(6);
		const auto pad = E::Pad::make();
		std::uint64_t s = 0, next = hs.size();
		for (std::size_t k = 0; k < pairs; k++) {
			s += c.replace(hs[r.below(hs.size())], E{pad, next++}).v;
		}
		return s;
	}
};

// One generator serves all repetitions, so that each has another order.
template <class C, class E>
Series basic(std::size_t n) {
	using L = Loops<C, E>;
	return [n, per = double(n), r = Rng(1 ^ n), hs = typename L::Handles(n)](Report &out) mutable {
		std::uint64_t s = 0;
		{
			C c(n);
			const double ns = timed([&] { L::fill(c, hs); });
			out.ns("insert_reserved", ns / per, L::sum(c));
		}
		std::optional<C> made;
		double ns = timed([&] {
			made.emplace(0);
			L::fill(*made, hs);
		});
		C &c = *made;
		out.ns("insert_new", ns / per, L::sum(c));
		ns = timed([&] { s = L::sum(c); });
		out.ns("iter_sum", ns / per, s);
		ns = timed([&] { L::add_one(c); });
		out.ns("iter_mut", ns / per, L::sum(c));

		ns = timed([&] { s = L::get(c, hs); });
		out.ns("get_seq", ns / per, s);
		r.shuffle(hs);
		ns = timed([&] { s = L::get(c, hs); });
		out.ns("get_random", ns / per, s);
		C::plan(hs, r);
		ns = timed([&] { s = L::drain(c, hs); });
		out.ns("remove_random", ns / per, s);

		ns = timed([&] { L::fill(c, hs); });
		out.ns("insert_refill", ns / per, L::sum(c));
	};
}

// The same as in section 6.1 of the thesis, and the bytes of the values.
template <class C, class E>
Series thesis_basic(std::size_t n) {
	using L = Loops<C, E>;
	return [n, per = double(n), r = Rng(1 ^ n), hs = typename L::Handles(n)](Report &out) mutable {
		std::uint64_t s = 0;
		std::optional<C> made;
		const std::size_t before = held.now;
		double ns = timed([&] {
			made.emplace(0);
			L::fill(*made, hs);
		});
		const double bytes = double(held.now - before);
		C &c = *made;
		out.ns("insert", ns / per, L::sum(c));
		ns = timed([&] { s = L::sum(c); });
		out.ns("iterate", ns / per, s);
		out.bytes("bytes_per_value", bytes / per, s);
		r.shuffle(hs);
		ns = timed([&] { s = L::get(c, hs); });
		out.ns("random_get", ns / per, s);
		C::plan(hs, r);
		ns = timed([&] { s = L::drain(c, hs); });
		out.ns("random_remove", ns / per, s);
	};
}

// The number of values left when nearly all are removed.
inline constexpr std::size_t few_left = 25;

// A way to thin out n values, by handles after a shuffle or in insertion order.
struct Removal {
	std::string name;
	bool shuffled;
	bool few;
	std::pair<std::size_t, std::size_t> (*span)(std::size_t n);

	// Fills the empty c with n values and removes some.
	template <class C, class E>
	void thin(C &c, typename Loops<C, E>::Handles &hs) const {
		Loops<C, E>::fill(c, hs);
		if (shuffled) {
			Rng(5).shuffle(hs);
		}
		const auto [lo, hi] = span(hs.size());
		c.remove_all(hs.data() + lo, hs.data() + hi);
	}
};

inline const std::vector<Removal> &removals() {
	using Span = std::pair<std::size_t, std::size_t>;
	auto all_but_last = [](std::size_t n) { return Span{0, std::max(n, few_left) - few_left}; };
	static const std::vector<Removal> all{
		{"remove50", true, false, [](std::size_t n) { return Span{0, n / 2}; }},
		{"remove90", true, false, [](std::size_t n) { return Span{0, n / 10 * 9}; }},
		{"keep25_random", true, true, all_but_last},
		{"keep25_first", false, true, [](std::size_t n) { return Span{std::min(n, few_left), n}; }},
		{"keep25_last", false, true, all_but_last},
	};
	return all;
}

template <class C, class E>
Series sparse(std::size_t n) {
	using L = Loops<C, E>;
	return [hs = typename L::Handles(n)](Report &out) mutable {
		for (const Removal &d : removals()) {
			C c(0);
			d.thin<C, E>(c, hs);
			const std::size_t left = c.size();
			const double per = d.few ? 1 : double(std::max<std::size_t>(left, 1));
			// Each pass must have the same sum. A different one is reported.
			const std::uint64_t first = L::sum(c);
			std::uint64_t got = first;
			const double ns = per_call([&] {
				if (const std::uint64_t s = L::sum(c); s != first) {
					got = s;
				}
			}).first;
			out.ns(d.name + (d.few ? "_pass" : "_sum"), ns / per, got);
			// Subtract the changes of the passes.
			const auto [mut_ns, calls] = per_call([&] { L::add_one(c); });
			out.ns(d.name + "_mut", mut_ns / per, L::sum(c) - calls * left);
		}
	};
}

template <class C, class E>
Series churn(std::size_t n) {
	using L = Loops<C, E>;
	const std::size_t pairs = std::min<std::size_t>(100 * n, 10'000'000);
	return [pairs, hs = typename L::Handles(n)](Report &out) mutable {
		C c(0);
		L::fill(c, hs);
		std::uint64_t s = 0;
		const double ns = timed([&] { s = L::exchange(c, hs, pairs); });
		out.ns("ns_per_pair", ns / double(pairs), s);
	};
}

template <class C, class E>
Series memory(std::size_t n) {
	using L = Loops<C, E>;
	return [n, hs = typename L::Handles(n)](Report &out) mutable {
		std::size_t base = held.now;
		{
			C c(0);
			held.most = held.now;
			L::fill(c, hs);
			const double most = double(held.most - base), bytes = double(held.now - base);
			out.bytes("bytes_per_value", bytes / double(n), L::sum(c));
			out.bytes("peak_bytes_per_value", most / double(n), L::sum(c));
		}
		for (const Removal &d : removals()) {
			if (!d.few) {
				continue;
			}
			base = held.now; // without what the report has come to
			C c(0);
			d.thin<C, E>(c, hs);
			const std::uint64_t s = L::sum(c);
			const double bytes = double(held.now) - double(base);
			const std::string metric = "left_25" + d.name.substr(std::string("keep25").size());
			if (d.name == "keep25_random") {
				c.clip();
				const double less = double(held.now) - double(base);
				out.bytes(metric + "_clip", less, L::sum(c));
			}
			out.bytes(metric, bytes, s);
		}
	};
}
