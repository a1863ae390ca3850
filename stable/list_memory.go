package stable

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/poison"
)

// Grow makes room for n more values, which can then be inserted without growing until the list is
// truncated. If it makes the list longer, Quartered forgets the order in which slots were vacated
// and takes the lowest first. Grow panics if n is negative, or if there would be more slots than
// the list can have.
// Cost: O(Cap) if there is less room than that; allocates then. It adds at least a fixed fraction
// of the size, so repeated calls for one more value are amortised O(1), while nothing truncates.
// Ends: pointers to values, if the list grows.
//
//berth:ends all
func (l *ListOf[T, I, D]) Grow(n int) {
	l.past.change()
	listBegin(l)
	most := min(listMost(l), limits.MaxBytes/listSlotBytes(l, l.place))
	switch {
	case n < 0:
		panic(fmt.Sprintf("stable: ListOf.Grow: n must not be negative (got %d)", n))
	case n > most-l.n:
		panic(fmt.Sprintf("stable: ListOf.Grow: n must be at most %d (got %d)", most-l.n, n))
	}
	if n > l.size-l.n {
		was := cap(l.ids)
		if listSetSize(l, listSizeFor(l, l.n+n)); cap(l.ids) != was {
			listTouch(l)
		}
	}
	if invariants.On {
		listChanged(l)
	}
}

// listSizeFor returns the size that the list grows to for n values, for which it has no room yet.
func listSizeFor[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], n int) int {
	size := listNextSize(l)
	if l.place.lowestFirst() {
		return max(size, n)
	}
	for size < n {
		size = listDouble(l, size)
	}
	return size
}

// listNextSize returns the size that the list grows to for one more value.
func listNextSize[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) int {
	switch {
	case l.size == 0:
		return l.min
	case l.place.lowestFirst() && l.size >= 1024:
		return l.size + min(l.size/2, listMost(l)-l.size)
	}
	return listDouble(l, l.size)
}

// listDouble returns twice the size, or the greatest that the list can have.
func listDouble[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], size int) int {
	if most := listMost(l); size > most/2 {
		return most
	}
	return 2 * size
}

// listBegin makes the zero ListOf ready.
func listBegin[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
	if !l.started {
		listInit(l, "ListOf", Config{})
	}
}

// listSetSize grows the list to size slots. It uses memory that truncation has kept.
func listSetSize[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], size int) {
	if size > cap(l.ids) {
		listSetCap(l, size)
	}
	full := l.n == l.size
	l.size = size
	switch l.place {
	case FirstFree:
		l.low.Grow(size - l.low.Cap() + l.low.Len())
	case FirstFreeHeap, FirstFreeHeapWalk:
	default:
		if full { // nothing is vacant, so no slot need be looked at
			quartersSetSize(&l.q, size)
		} else {
			quartersRelink(&l.q, size, len(l.ids), l.vacant)
		}
	}
}

// listBytes returns the memory that l holds, in bytes.
func listBytes[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) int {
	n := int(plain.SizeOf((*ListOf[T, I, D])(nil)))
	n += cap(l.ids)*int(plain.SizeOf((*D)(nil))) + cap(l.vals)*int(plain.SizeOf((*T)(nil)))
	links := cap(l.heap.queue) + cap(l.heap.ends) + cap(l.q.next)
	n += links*int(plain.SizeOf((*I)(nil))) + cap(l.heap.filled)*8
	n += cap(l.q.bands)*bits.UintSize/8 + cap(l.q.seen)*8
	words := (l.low.Cap() + 63) / 64
	return n + (words+2*(words+63)/64)*8
}

// listSetCap moves the slots to memory for n of them.
func listSetCap[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], n int) {
	was := l.vals
	l.past.check(l.ids, was[:cap(was)])
	l.ids = append(make([]D, 0, n), l.ids...)
	l.vals = append(make([]T, 0, n), was...)
	if n > 0 {
		l.grown++
	}
	l.past.moved(l.ids, was)
	l.past.begin(l.ids, l.vals)
	switch l.place {
	case FirstFree:
	case FirstFreeHeapWalk:
		listClipQueue(l)
	case FirstFreeHeap:
		listClipQueue(l)
		l.heap.ends = resized(l.heap.ends, len(l.ids), n)
	default:
		l.q.next = resized(l.q.next, len(l.ids), n)
	}
}

// listTouch writes to all memory behind the last slot, so that inserts into slots made up front
// cause no page faults.
func listTouch[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
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

// listClipQueue drops the slots that truncation has left in the queue of a heap.
func listClipQueue[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
	heapPurge(&l.heap, len(l.ids))
	l.heap.queue = slices.Clone(l.heap.queue)
}

// listShorten halves the list, whose second half is empty.
func listShorten[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
	size := quartersShorten(&l.q, len(l.ids), l.min, l.vacant)
	if size == l.size {
		return
	}
	l.truncations++
	l.size, l.quick = size, 0
	listCut(l, min(size, len(l.ids)))
	if l.truncate == TruncateMemory && cap(l.ids) > 2*size {
		listSetCap(l, 2*size)
	}
}

// listCutVacant cuts the list behind its last value. The last slot must be vacant.
func listCutVacant[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
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
	listCut(l, n)
	switch {
	case l.truncate != TruncateMemory:
	case l.size > l.min && 4*n < l.size:
		listSetMemory(l, max(2*n, l.min))
	case cap(l.ids) > l.size && 4*n < cap(l.ids): // CopyFrom has kept memory
		listSetCap(l, l.size)
	}
}

// listCut drops the slots from n on, which are vacant.
func listCut[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], n int) {
	l.ids, l.vals = l.ids[:n], l.vals[:n]
}

// listSetMemory gives memory back under the FirstFree placements. Room for size slots remains.
func listSetMemory[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], size int) {
	listSetCap(l, size)
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
//
//berth:ends all
func (l *ListOf[T, I, D]) Clip() {
	l.past.change()
	switch last := len(l.ids) - 1; {
	case l.n == 0:
		listRelease(l)
	case l.place.lowestFirst():
		if l.vacant(last) {
			listCutVacant(l)
		}
		listSetMemory(l, max(len(l.ids), l.min))
	default:
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
		listCut(l, min(size, len(l.ids)))
		listSetCap(l, size)
		quartersRelink(&l.q, size, len(l.ids), l.vacant)
	}
	if invariants.On {
		listCheckInvariants(l)
	}
}

// listRelease drops all slots, which are vacant, and their memory.
func listRelease[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
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
//
//berth:ends emptied
func (l *ListOf[T, I, D]) Clear() {
	l.past.change()
	if l.hooks != nil && l.hooks.OnRemove != nil {
		if listClearHooked(l); l.n > 0 {
			return // values that OnRemove has inserted stay
		}
	}
	if len(l.ids) == 0 {
		return
	}
	l.past.vacateAll(l.ids, l.vals)
	clear(l.ids)
	listCut(l, 0)
	removes := listRemoves(l) + uint64(l.n)
	l.n = 0
	l.changes++
	listSetRemoves(l, removes)
	l.truncations++
	back := l.truncate == TruncateMemory && max(l.size, cap(l.ids)/2) > l.min
	if l.place.lowestFirst() {
		heapClear(&l.heap)
		l.low.Reset()
		if back {
			listSetMemory(l, l.min)
		}
	} else {
		if l.truncate != TruncateNever {
			for h := half(l.size); h < l.size && h >= l.min; h = half(l.size) {
				l.size, l.quick = h, 0
			}
		}
		quartersClear(&l.q, l.size)
		if back {
			listSetCap(l, l.size)
		}
	}
	if invariants.On {
		listCheckInvariants(l)
	}
}

// Clone returns an independent copy, in which the same keys refer to copies of the values. From
// then on both issue the same keys for the same calls, if Next depends only on its receiver. A key
// made after the fork belongs to its own side. The Clone of a zero list writes to that list: it
// fixes the first identifier of both.
// Cost: O(Cap); allocates the copy.
//
//berth:clones r0
func (l *ListOf[T, I, D]) Clone() *ListOf[T, I, D] {
	listBegin(l)
	c := &ListOf[T, I, D]{
		n: l.n, size: l.size, last: l.last, firstID: l.firstID,
		place: l.place, truncate: l.truncate, started: true, min: l.min,
		q: quartersClone(&l.q), heap: heapClone(&l.heap),
		changes: l.changes, others: l.others,
		truncations: l.truncations, grown: l.grown, visits: l.visits,
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

// CopyFrom makes l a copy of q, as [ListOf.Clone] would return it, in the memory that l has. It
// takes the values, the identifiers, and the Config of q, and the same calls on both then issue the
// same keys. The hooks stay those of l, and none is called. It is the fastest way to keep a second
// state of a list, and to go back to it. If l has more memory than q, it keeps that until Clip, or
// until truncation gives memory back. CopyFrom writes to a zero q, as Clone does. If q is l, it
// does nothing.
//
// A loop over l in which CopyFrom is called goes on with the values of the copy: it visits a value
// whose key was live before, if its turn is yet to come, and it may visit others.
// Cost: O(Touched) of both, and under FirstFree one word per 64 of Cap. It allocates if q has more
// slots than l has memory for: nothing in a steady state.
// Ends: keys and pointers of l. The keys of q refer to the copies.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) CopyFrom(q *ListOf[T, I, D]) {
	if l == q {
		return
	}
	listBegin(q)
	l.past.change()
	l.past.check(l.ids, l.vals[:cap(l.vals)])
	if q.size > cap(l.ids) {
		l.past.moved(l.ids, l.vals)
		l.ids = append(make([]D, 0, cap(q.ids)), q.ids...)
		l.vals = append(make([]T, 0, cap(q.ids)), q.vals...)
		l.past.begin(l.ids, l.vals)
	} else {
		listSetSlots(l, q.ids, q.vals)
	}
	l.n, l.size, l.quick = q.n, q.size, 0
	l.last, l.firstID = q.last, q.firstID
	l.place, l.truncate, l.min, l.started = q.place, q.truncate, q.min, true
	l.truncations, l.grown, l.visits = q.truncations, q.grown, q.visits
	l.changes++
	listSetRemoves(l, listRemoves(q))
	l.low.CopyFrom(&q.low)
	heapCopyFrom(&l.heap, &q.heap)
	quartersCopyFrom(&l.q, &q.q)
	listLink(l)
	copy(l.heap.ends, q.heap.ends[:min(len(q.ids), len(q.heap.ends))])
	copy(l.q.next, q.q.next[:min(len(q.ids), len(q.q.next))])
	if invariants.On {
		listCheckInvariants(l)
	}
}

// listSetSlots replaces the slots by copies of those given, for which there is memory.
func listSetSlots[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], ids []D, vals []T) {
	var zero D
	n, keep := len(ids), min(len(ids), len(l.ids))
	if poison.On {
		l.past.vacateAll(l.ids, l.vals)
		l.vals = l.vals[:n]
		for i, id := range ids {
			if id != zero {
				l.vals[i] = vals[i]
			}
		}
	} else {
		clear(l.vals[keep:])
		l.vals = l.vals[:n]
		copy(l.vals, vals)
	}
	clear(l.ids[keep:])
	l.ids = l.ids[:n]
	copy(l.ids, ids)
}

// listLink ensures that there is a link for each slot in memory, if the placement has links, and
// none otherwise.
func listLink[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
	ends, next := 0, 0
	switch l.place {
	case FirstFreeHeap:
		ends = cap(l.ids)
	case Quartered, QuarteredStepwise:
		next = cap(l.ids)
	}
	l.heap.ends, l.q.next = links(l.heap.ends, ends), links(l.q.next, next)
}

// links returns s if it has n elements, and otherwise n others, or nil for none.
func links[I Index](s []I, n int) []I {
	switch {
	case n == 0:
		return nil
	case len(s) != n:
		return make([]I, n)
	}
	return s
}
