package stable

import (
	"reflect"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/poison"
)

// listChanged checks the invariants after a change: always while there are few slots, and
// occasionally when there are many.
func listChanged[I Index, D Identifier[D]](l *core[I, D]) {
	if len(l.ids) <= 128 || l.n%1024 == 0 {
		listCheckInvariants(l)
	}
}

// listCheckInvariants panics with the number of the invariant that l breaks, if any.
func listCheckInvariants[I Index, D Identifier[D]](l *core[I, D]) {
	open := len(l.ids)
	if l.vals.n != open || open > l.size || l.size > cap(l.ids) || l.size > l.vals.cap {
		fail("ListOf", 1, "%d ids, %d values, size %d, memory for %d and %d",
			open, l.vals.n, l.size, cap(l.ids), l.vals.cap)
	}
	if poison.On {
		pastCheck(l)
	}
	var zero D
	n := 0
	for i, id := range l.ids {
		if id != zero {
			n++
		} else if !poison.On && !listIsZero(l, i) {
			fail("ListOf", 2, "vacant slot %d holds a value", i)
		}
	}
	if n != l.n {
		fail("ListOf", 2, "%d live, n is %d", n, l.n)
	}
	if n > 0 && l.firstID == zero && listCounts(l) {
		fail("ListOf", 5, "%d live, but no first identifier", n)
	}
	if l.quick > l.size || l.quick > 0 && (l.hooks != nil || l.firstID == zero) {
		fail("ListOf", 6, "quick is %d of %d, hooks %v", l.quick, l.size, l.hooks != nil)
	}
	for i, id := range l.ids[open:cap(l.ids)] {
		if id != zero {
			fail("ListOf", 1, "identifier %d behind the end is %v", i, id)
		}
	}
	for i := open; i < l.vals.cap; i++ {
		if !poison.On && !listIsZero(l, i) {
			fail("ListOf", 1, "slot %d behind the end holds a value", i)
		}
	}
	listCheckPlacement(l)
}

// listIsZero reports whether the value in slot i is zero.
func listIsZero[I Index, D Identifier[D]](l *core[I, D], i int) bool {
	return reflect.NewAt(l.kind.elem(), l.kind.at(l.vals.first, i)).Elem().IsZero()
}

// listCheckPlacement checks invariants 3 and 4.
func listCheckPlacement[I Index, D Identifier[D]](l *core[I, D]) {
	open := len(l.ids)
	switch {
	case !l.place.lowestFirst():
		if l.size != l.q.ends[2] || l.size > 0 && len(l.q.next) < open {
			fail("ListOf", 3, "size %d: parts of %d, links of %d",
				l.size, l.q.ends[2], len(l.q.next))
		}
		quartersCheck(&l.q, open, l.ids)
	case l.place == FirstFree:
		if l.low.Cap() != l.size {
			fail("ListOf", 3, "size %d: bitmap of %d", l.size, l.low.Cap())
		}
		for i := range l.low.Cap() {
			if l.low.IsFree(i) != (i >= open || vacant(l.ids, i)) {
				fail("ListOf", 3, "slot %d: free is %v", i, l.low.IsFree(i))
			}
		}
	default:
		heapCheck(&l.heap, open, l.place == FirstFreeHeap, l.ids)
	}
	if l.place.lowestFirst() && l.truncate != berth.TruncateNever &&
		open > 0 && vacant(l.ids, open-1) {
		fail("ListOf", 4, "the last of %d slots is vacant", open)
	}
}

// listCounts reports whether D is a counter, whose order the list knows.
func listCounts[I Index, D Identifier[D]](l *core[I, D]) bool {
	switch any(&l.last).(type) {
	case *Counter32, *Counter64:
		return true
	}
	return false
}
