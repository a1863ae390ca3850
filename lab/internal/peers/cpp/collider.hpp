// A thing with a position, for the cross workloads.
#pragma once

#include <cstdint>

// Both cross workloads use this type; cross ignores ttl.
struct Collider {
	std::int16_t x = 0, y = 0;
	bool hit = false, been = false;
	std::uint8_t ttl = 0;

	// The cross rule for an ordered pair: 1 if b is less than 2 away on both axes. Positions are not
	// negative, so one unsigned comparison checks both sides.
	int meet(Collider &b) {
		if (std::uint16_t(b.x - x + 1) < 3 && std::uint16_t(b.y - y + 1) < 3) {
			hit = b.been = true;
			return 1;
		}
		return 0;
	}
};
