package stable

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/poison"
)

// Grow makes room for n more values, which can then be inserted without growing until the list is
// truncated. If it makes the list longer, Quartered forgets the order in which slots were vacated
// and takes the lowest first. Grow panics if n is negative, or if there would be more slots than
// the list can have.
// Cost: O(Cap) if there is less room than that; allocates then. It adds at least a fixed fraction
// of the size, so repeated calls for one more value are amortised O(1), while nothing truncates.
// Ends: pointers to values, if the list grows.
func (l *ListOf[T, I, D]) Grow(n int) {
	l.past.change()
	l.begin()
	most := min(l.most(), limits.MaxBytes/l.slotBytes(l.place))
	switch {
	case n < 0:
		panic(fmt.Sprintf("stable: ListOf.Grow: n must not be negative (got %d)", n))
	case n > most-l.n:
		panic(fmt.Sprintf("stable: ListOf.Grow: n must be at most %d (got %d)", most-l.n, n))
	}
	if n > l.size-l.n {
		was := cap(l.ids)
		if l.setSize(l.sizeFor(l.n + n)); cap(l.ids) != was {
			l.touch()
		}
	}
	if invariants.On {
		l.changed()
	}
}

// sizeFor returns the size that the list grows to for n values, for which it has no room yet.
func (l *ListOf[T, I, D]) sizeFor(n int) int {
	size := l.nextSize()
	if l.place.lowestFirst() {
		return max(size, n)
	}
	for size < n {
		size = l.double(size)
	}
	return size
}

// nextSize returns the size that the list grows to for one more value.
func (l *ListOf[T, I, D]) nextSize() int {
	switch {
	case l.size == 0:
		return l.min
	case l.place.lowestFirst() && l.size >= 1024:
		return l.size + min(l.size/2, l.most()-l.size)
	}
	return l.double(l.size)
}

// double returns twice the size, or the greatest that the list can have.
func (l *ListOf[T, I, D]) double(size int) int {
	if most := l.most(); size > most/2 {
		return most
	}
	return 2 * size
}

// begin makes the zero ListOf ready.
func (l *ListOf[T, I, D]) begin() {
	if !l.started {
		l.init("ListOf", Config{})
	}
}

// setSize grows the list to size slots. It uses memory that truncation has kept.
func (l *ListOf[T, I, D]) setSize(size int) {
	if size > cap(l.ids) {
		l.setCap(size)
	}
	full := l.n == l.size
	l.size = size
	switch l.place {
	case FirstFree:
		l.low.Grow(size - l.low.Cap() + l.low.Len())
	case FirstFreeHeap, FirstFreeHeapWalk:
	default:
		if full { // nothing is vacant, so no slot need be looked at
			l.q.setSize(size)
		} else {
			l.q.relink(size, len(l.ids), l.vacant)
		}
	}
}

// setCap moves the slots to memory for n of them.
func (l *ListOf[T, I, D]) setCap(n int) {
	was := l.vals
	l.past.check(l.ids, was[:cap(was)])
	l.ids = append(make([]D, 0, n), l.ids...)
	l.vals = append(make([]T, 0, n), was...)
	l.past.moved(l.ids, was)
	l.past.begin(l.ids, l.vals)
	switch l.place {
	case FirstFree:
	case FirstFreeHeapWalk:
		l.clipQueue()
	case FirstFreeHeap:
		l.clipQueue()
		l.heap.ends = resized(l.heap.ends, len(l.ids), n)
	default:
		l.q.next = resized(l.q.next, len(l.ids), n)
	}
}

// touch writes to all memory behind the last slot, so that inserts into slots made up front cause
// no page faults.
func (l *ListOf[T, I, D]) touch() {
	clear(l.ids[len(l.ids):cap(l.ids)])
	if !poison.On {
		clear(l.vals[len(l.vals):cap(l.vals)])
	}
}

// resized returns a slice of n elements that begins with the first keep of s.
func resized[E any](s []E, keep, n int) []E {
	r := make([]E, n)
	copy(r, s[:min(keep, len(s))])
	return r
}

// clipQueue drops the slots that truncation has left in the queue of a heap.
func (l *ListOf[T, I, D]) clipQueue() {
	q := slices.DeleteFunc(l.heap.queue, func(i I) bool { return int(i) >= len(l.ids) })
	slices.Sort(q)
	l.heap.queue = slices.Clone(q)
}

// shorten halves the list, whose second half is empty.
func (l *ListOf[T, I, D]) shorten() {
	size := l.q.shorten(len(l.ids), l.min, l.vacant)
	if size == l.size {
		return
	}
	l.truncations++
	l.size, l.quick = size, 0
	l.cut(min(size, len(l.ids)))
	if l.truncate == TruncateMemory && cap(l.ids) > 2*size {
		l.setCap(2 * size)
	}
}

// cutVacant cuts the list behind its last value. The last slot must be vacant.
func (l *ListOf[T, I, D]) cutVacant() {
	n := len(l.ids) - 1
	switch l.place {
	case FirstFree:
		i, ok := l.low.Last()
		if n = 0; ok {
			n = i + 1
		}
	case FirstFreeHeap:
		n = int(l.heap.ends[n])
	default:
		for ; n > 0 && l.vacant(n-1); n-- {
			l.visits++
		}
	}
	l.truncations++
	l.cut(n)
	if l.truncate == TruncateMemory && l.size > l.min && 4*n < l.size {
		l.setMemory(max(2*n, l.min))
	}
}

// cut drops the slots from n on, which are vacant.
func (l *ListOf[T, I, D]) cut(n int) { l.ids, l.vals = l.ids[:n], l.vals[:n] }

// setMemory gives memory back under the FirstFree placements. Room for size slots remains.
func (l *ListOf[T, I, D]) setMemory(size int) {
	l.setCap(size)
	l.size, l.quick = size, 0
	if l.place == FirstFree {
		l.low.Clip()
		l.low.Grow(size - l.low.Cap() + l.low.Len())
	}
}

// Clip cuts the list behind its last value as far as its placement can, whatever Truncate is set
// to. It gives back the memory that the rest does not need, and all memory if the list is empty.
// Quartered forgets the order in which slots were vacated and takes the lowest first.
// Cost: O(Touched), and under FirstFree one word per 64 of Cap; allocates the smaller memory.
// Ends: pointers to values.
func (l *ListOf[T, I, D]) Clip() {
	l.past.change()
	if l.n == 0 {
		l.release()
		return
	}
	if last := len(l.ids) - 1; l.place.lowestFirst() {
		if l.vacant(last) {
			l.cutVacant()
		}
		l.setMemory(max(len(l.ids), l.min))
	} else {
		for ; l.vacant(last); last-- {
			l.visits++
		}
		size := l.size
		for h := half(size); last < h && h < size && h >= l.min; h = half(size) {
			size = h
		}
		if size < l.size {
			l.truncations++
		}
		l.size, l.quick = size, 0
		l.cut(min(size, len(l.ids)))
		l.setCap(size)
		l.q.relink(size, len(l.ids), l.vacant)
	}
	if invariants.On {
		l.checkInvariants()
	}
}

// release drops all slots, which are vacant, and their memory.
func (l *ListOf[T, I, D]) release() {
	l.past.check(nil, l.vals[:cap(l.vals)])
	l.past.moved(nil, l.vals)
	l.past.begin(nil, nil)
	l.ids, l.vals, l.size, l.quick = nil, nil, 0, 0
	l.low = freelist.Lowest{}
	l.heap = heap[I]{}
	l.q = quarters[I]{stepwise: l.q.stepwise, visits: l.q.visits}
}

// Clear removes all values, and leaves no slot touched. Identifiers continue. Clear truncates as
// much as the removal of each value would. Quartered comes to the shortest length that halving
// reaches without passing Min. Under TruncateMemory memory for that length remains, and under
// the FirstFree placements memory for Min. Otherwise all memory remains.
// Cost: O(Touched), and under FirstFree one word per 64 of Cap. It allocates if it gives memory
// back, which happens only under TruncateMemory.
// Ends: all keys, and pointers to values.
func (l *ListOf[T, I, D]) Clear() {
	l.past.change()
	if l.hooks != nil && l.hooks.OnRemove != nil {
		if l.clearHooked(); l.n > 0 {
			return // values that OnRemove has inserted stay
		}
	}
	if len(l.ids) == 0 {
		return
	}
	l.past.vacateAll(l.ids, l.vals)
	clear(l.ids)
	l.cut(0)
	l.n = 0
	l.changes++
	l.truncations++
	back := l.truncate == TruncateMemory && l.size > l.min
	if l.place.lowestFirst() {
		l.heap.clear()
		l.low.Reset()
		if back {
			l.setMemory(l.min)
		}
	} else {
		if l.truncate != TruncateNever {
			for h := half(l.size); h < l.size && h >= l.min; h = half(l.size) {
				l.size, l.quick = h, 0
			}
		}
		l.q.clear(l.size)
		if back {
			l.setCap(l.size)
		}
	}
	if invariants.On {
		l.checkInvariants()
	}
}

// Clone returns an independent copy, in which the same keys refer to copies of the values. From
// then on both issue the same keys for the same calls, if Next depends only on its receiver. A key
// made after the fork belongs to its own side. The Clone of a zero list writes to that list: it
// fixes the first identifier of both.
// Cost: O(Cap); allocates the copy.
func (l *ListOf[T, I, D]) Clone() *ListOf[T, I, D] {
	l.begin()
	c := &ListOf[T, I, D]{
		n: l.n, size: l.size, last: l.last, firstID: l.firstID,
		place: l.place, truncate: l.truncate, started: true, min: l.min,
		q: l.q.clone(), heap: l.heap.clone(),
		changes: l.changes, truncations: l.truncations, visits: l.visits,
	}
	c.ids = append(make([]D, 0, cap(l.ids)), l.ids...)
	c.vals = append(make([]T, 0, cap(l.vals)), l.vals...)
	c.past.begin(c.ids, c.vals)
	if l.hooks != nil {
		c.SetHooks(l.hooks.Hooks)
	}
	c.low = *l.low.Clone()
	return c
}
