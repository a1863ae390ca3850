// cross, ephemeral and cross-ephemeral, and their namesakes of the thesis.
#pragma once

#include "clock.hpp"
#include "collider.hpp"
#include "report.hpp"
#include "rng.hpp"

#include <algorithm>

// The step of the burst; one value comes at any other step.
inline constexpr int burst_step = 100;
inline constexpr std::size_t max_ttl = 50;
inline constexpr std::size_t side = 1000;

// The number of values that come at a step.
inline std::size_t arrivals(int step, std::size_t burst) {
	return step == burst_step ? 1 + burst : 1;
}

inline Collider draw_collider(Rng &r) {
	Collider c;
	c.x = std::int16_t(r.below(side));
	c.y = std::int16_t(r.below(side));
	return c;
}

template <class C>
Series cross(std::size_t n) {
	Rng r(2);
	std::vector<Collider> all(n);
	for (Collider &v : all) {
		v = draw_collider(r);
	}
	return [n, all = std::move(all)](Report &out) {
		C c(0);
		for (const Collider &v : all) {
			c.insert(v);
		}
		const double ns = timed([&] { c.cross(); });
		std::uint64_t marks = 0;
		c.for_each([&](const Collider &v) { marks += v.hit * 100'000 + v.been; });
		out.ns("ns_per_pair", ns / double(std::max<std::size_t>(n * (n - 1), 1)), marks);
	};
}

template <class C>
Series ephemeral(std::size_t burst) {
	Rng r(3);
	std::vector<std::uint32_t> ttls(steps + burst);
	for (std::uint32_t &t : ttls) {
		t = std::uint32_t(1 + r.below(max_ttl));
	}
	return [burst, ttls = std::move(ttls)](Report &out) {
		std::uint64_t lens = 0, visits = 0, deaths = 0;
		std::vector<double> took(steps);
		C c(0);
		const std::uint32_t *next = ttls.data();
		for (int step = 0; step < steps; step++) {
			const std::uint32_t *const come = next + arrivals(step, burst);
			took[step] = timed([&] {
				for (; next != come; next++) {
					c.insert(*next);
				}
				std::uint64_t seen = 0, dead = 0;
				c.retain([&](std::uint32_t &ttl) {
					seen++;
					dead += --ttl == 0;
					return ttl != 0;
				});
				visits += seen;
				deaths += dead;
			});
			lens += c.size();
		}
		out.step_times(took, lens * 1'000'000 + visits % 1'000'000 + deaths);
	};
}

template <class C>
Series cross_ephemeral(std::size_t burst) {
	Rng r(4);
	std::vector<Collider> all(steps + burst);
	for (Collider &v : all) {
		v = draw_collider(r);
		v.ttl = std::uint8_t(1 + r.below(max_ttl));
	}
	return [burst, all = std::move(all)](Report &out) {
		std::uint64_t pairs = 0, both = 0;
		std::vector<double> took(steps);
		C c(0);
		const Collider *next = all.data();
		for (int step = 0; step < steps; step++) {
			const Collider *const come = next + arrivals(step, burst);
			took[step] = timed([&] {
				for (; next != come; next++) {
					c.insert(*next);
				}
				pairs += c.cross();
				std::uint64_t marked = 0;
				c.retain([&](Collider &v) {
					const bool stays = --v.ttl != 0;
					marked += !stays && v.hit && v.been;
					return stays;
				});
				both += marked;
			});
		}
		out.step_times(took, pairs * 100'000 + both);
	};
}
