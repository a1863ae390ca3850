// A plain std::vector whose removals move the last value into the hole. It has no handles: a
// value's only name is its position, for as long as nothing before it goes.
#pragma once

#include "rng.hpp"

#include <cstdint>
#include <vector>

template <class T>
class Vector {
public:
	using Handle = std::uint32_t;

	explicit Vector(std::size_t room) { v.reserve(room); }

	std::size_t size() const { return v.size(); }

	Handle insert(const T &e) {
		v.push_back(e);
		return Handle(v.size() - 1);
	}

	const T &get(Handle h) const { return v[h]; }

	T remove(Handle h) {
		T e = v[h];
		v[h] = v.back();
		v.pop_back();
		return e;
	}

	template <class F>
	void for_each(F &&f) {
		for (T &e : v) {
			f(e);
		}
	}

	// Visits all, and removes those for which keep is false.
	template <class F>
	void retain(F &&keep) {
		for (std::size_t i = 0; i < v.size();) {
			if (keep(v[i])) {
				i++;
			} else { // another value is at i then
				v[i] = v.back();
				v.pop_back();
			}
		}
	}

	// Lets every collider meet every other one, and returns how many ordered pairs are close.
	std::uint64_t cross() {
		std::uint64_t pairs = 0;
		T *const first = v.data(), *const end = first + v.size();
		for (T *a = first; a != end; a++) {
			for (T *b = first; b != a; b++) {
				pairs += a->meet(*b);
			}
			for (T *b = a + 1; b != end; b++) {
				pairs += a->meet(*b);
			}
		}
		return pairs;
	}

	void clip() { v.shrink_to_fit(); }

	// Draws a position for each removal, among the values that are then left.
	static void plan(std::vector<Handle> &hs, Rng &r) {
		for (std::size_t i = 0; i < hs.size(); i++) {
			hs[i] = Handle(r.below(hs.size() - i));
		}
	}

	// Removes the values at these positions, and keeps the order of the rest.
	void remove_all(const Handle *lo, const Handle *hi) {
		std::vector<bool> gone(v.size());
		for (; lo != hi; ++lo) {
			gone[*lo] = true;
		}
		std::size_t kept = 0;
		for (std::size_t i = 0; i < v.size(); i++) {
			if (!gone[i]) {
				v[kept++] = v[i];
			}
		}
		v.resize(kept);
	}

	// Overwrites, which is faster than any collection with handles can be.
	T replace(Handle &h, const T &e) {
		T old = v[h];
		v[h] = e;
		return old;
	}

private:
	std::vector<T> v;
};
