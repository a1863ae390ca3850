// Timing, with barriers against the optimizer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

// The compiler must then assume that v and all memory have been read and written, so it
// cannot move work on them to the other side.
template <class T>
inline void escape(T &v) {
	asm volatile("" : : "r"(&v) : "memory");
}

// The time that f() takes, in ns.
template <class F>
double timed(F &&f) {
	using clock = std::chrono::steady_clock;
	escape(f);
	const auto start = clock::now();
	escape(f);
	f();
	escape(f);
	return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

// Times a loop that may be too short for the clock: after a call to warm up, it doubles the number
// of calls in a batch until a batch takes a millisecond, and returns the median of five such
// batches, per call. A loop of more than 20 ms runs once. The second result counts all calls.
template <class F>
std::pair<double, std::uint64_t> per_call(F &&f) {
	f();
	std::uint64_t calls = 1;
	auto run = [&](std::uint64_t batch) {
		calls += batch;
		return timed([&] {
			for (std::uint64_t k = 0; k < batch; k++) {
				escape(f); // lest the compiler do once what gives the same each time
				f();
			}
		});
	};
	std::uint64_t batch = 1;
	double first = run(batch);
	while (first < 1e6) {
		batch *= 2;
		first = run(batch);
	}
	std::vector<double> times{first};
	while (first < 20e6 && times.size() < 5) {
		times.push_back(run(batch));
	}
	std::sort(times.begin(), times.end());
	return {times[times.size() / 2] / double(batch), calls};
}
