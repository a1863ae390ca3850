// The generator that all languages draw from, so that all do the same work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// Combined with every seed.
inline constexpr std::uint64_t seed = 0x5EED000000000000;

// xorshift64*. Its state must not be 0.
//
// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
// 2014.
class Rng {
public:
	// The generator of the workload with this number.
	explicit Rng(std::uint64_t number) : s(seed ^ number) {}

	std::uint64_t next() {
		s ^= s >> 12;
		s ^= s << 25;
		s ^= s >> 27;
		return s * 0x2545F4914F6CDD1D;
	}

	// A number in [0, n). n must fit in 32 bits.
	std::size_t below(std::size_t n) { return ((next() >> 32) * n) >> 32; }

	// Orders v, from the last place down.
	template <class T>
	void shuffle(std::vector<T> &v) {
		for (std::size_t i = v.size(); i-- > 1;) {
			if (const std::size_t j = below(i + 1); j != i) { // not all may be moved to themselves
				std::swap(v[i], v[j]);
			}
		}
	}

private:
	std::uint64_t s;
};
