// The bytes held on the heap, for the workloads that measure them. main.cpp counts them.
#pragma once

#include <cstddef>

struct Held {
	std::size_t now = 0;  // bytes held
	std::size_t most = 0; // and the most of them since somebody set this
};

inline Held held;
