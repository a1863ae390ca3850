// plf::colony: blocks of values that never move, and loops that skip erased values.
// Its handle is an iterator, which cannot tell whether its value still exists.
#pragma once

#include "collider.hpp"
#include "rng.hpp"

#include <plf_colony.h>

template <class T>
class Colony {
public:
	using Handle = typename plf::colony<T>::iterator;

	explicit Colony(std::size_t room) {
		if (room > 0) {
			c.reserve(room);
		}
	}

	std::size_t size() const { return c.size(); }
	Handle insert(const T &v) { return c.insert(v); }
	const T &get(Handle h) const { return *h; }

	T remove(Handle h) {
		T v = *h;
		c.erase(h);
		return v;
	}

	template <class F>
	void for_each(F &&f) {
		for (T &v : c) {
			f(v);
		}
	}

	// Visits all, and removes those for which keep is false.
	template <class F>
	void retain(F &&keep) {
		for (auto it = c.begin(); it != c.end();) {
			if (keep(*it)) {
				++it;
			} else {
				it = c.erase(it);
			}
		}
	}

	// Lets every collider meet every other one, and returns how many ordered pairs are close.
	std::uint64_t cross() {
		std::uint64_t pairs = 0;
		const auto end = c.end();
		for (auto a = c.begin(); a != end; ++a) {
			T &pivot = *a;
			for (auto b = c.begin(); b != a; ++b) {
				pairs += pivot.meet(*b);
			}
			auto b = a;
			for (++b; b != end; ++b) {
				pairs += pivot.meet(*b);
			}
		}
		return pairs;
	}

	// Releases memory, as far as no value must move for it.
	void clip() { c.trim_capacity(); }

	static void plan(std::vector<Handle> &hs, Rng &r) { r.shuffle(hs); }

	void remove_all(const Handle *lo, const Handle *hi) {
		for (; lo != hi; ++lo) {
			c.erase(*lo);
		}
	}

	// Removes the value of h, and inserts another, of which h is then the handle.
	T replace(Handle &h, const T &v) {
		T old = remove(h);
		h = c.insert(v);
		return old;
	}

private:
	plf::colony<T> c;
};
