package stable

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/poison"
)

// Grow makes room for n more values, which can then be inserted without growing until the list is
// truncated. If it makes the list longer, Quartered forgets the order in which slots were vacated
// and takes the lowest first. Grow panics if n is negative, or if there would be more slots than
// the list can have.
//
// Cost: O(Cap) if there is less room than that; allocates then. It adds at least a fixed fraction
// of the size, so repeated calls for one more value are amortised O(1), while nothing truncates.
//
// Ends: pointers to values, if the list grows.
//
//berth:ends all
func (l *ListOf[T, I, D]) Grow(n int) { listGrow(coreOf(l), n) }

// listGrow is Grow.
func listGrow[I Index, D Identifier[D]](l *core[I, D], n int) {
	if poison.On {
		pastChange(l)
	}
	listBegin(l)
	most := min(listMost[I](), limits.MaxBytes/listSlotBytes(l, l.place))
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
func listSizeFor[I Index, D Identifier[D]](l *core[I, D], n int) int {
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
func listNextSize[I Index, D Identifier[D]](l *core[I, D]) int {
	switch {
	case l.size == 0:
		return l.min
	case l.place.lowestFirst() && l.size >= 1024:
		return l.size + min(l.size/2, listMost[I]()-l.size)
	}
	return listDouble(l, l.size)
}

// listDouble returns twice the size, or the greatest that the list can have.
func listDouble[I Index, D Identifier[D]](l *core[I, D], size int) int {
	if most := listMost[I](); size > most/2 {
		return most
	}
	return 2 * size
}

// listBegin makes the zero ListOf ready.
func listBegin[I Index, D Identifier[D]](l *core[I, D]) {
	if !l.started {
		listInit(l, "ListOf", Config{})
	}
}

// listSetSize grows the list to size slots. It uses memory that truncation has kept.
func listSetSize[I Index, D Identifier[D]](l *core[I, D], size int) {
	if size > cap(l.ids) {
		listSetCap(l, size)
	}
	full := l.n == l.size
	l.size = size
	switch l.place {
	case FirstFree:
		l.low.Grow(size - l.low.Cap() + l.low.Len())
	case FirstFreeHeap, firstFreeHeapWalk:
	default:
		if full { // nothing is vacant, so no slot need be looked at
			quartersSetSize(&l.q, size)
		} else {
			quartersRelink(&l.q, size, len(l.ids), l.ids)
		}
	}
}

// listBytes returns the memory that l holds for values of the given size, in bytes.
func listBytes[I Index, D Identifier[D]](l *core[I, D], size uintptr) int {
	var id D
	var link I
	n := int(unsafe.Sizeof(*l)) + cap(l.ids)*int(unsafe.Sizeof(id)) + l.vals.cap*int(size)
	links := cap(l.heap.queue) + cap(l.heap.ends) + cap(l.q.next)
	n += links*int(unsafe.Sizeof(link)) + cap(l.heap.filled)*8
	n += cap(l.q.bands)*bits.UintSize/8 + cap(l.q.seen)*8
	words := (l.low.Cap() + 63) / 64
	return n + (words+2*(words+63)/64)*8
}

// listSetCap moves the slots to memory for n of them.
func listSetCap[I Index, D Identifier[D]](l *core[I, D], n int) {
	if poison.On {
		pastCheck(l)
	}
	was := l.vals
	l.ids = append(make([]D, 0, n), l.ids...)
	l.vals = l.kind.make(n)
	l.vals.n = was.n
	l.kind.copy(l.vals.first, was.first, was.n)
	if n > 0 {
		l.grown++
	}
	if poison.On {
		pastMoved(l, l.ids, was)
	}
	switch l.place {
	case FirstFree:
	case firstFreeHeapWalk:
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
func listTouch[I Index, D Identifier[D]](l *core[I, D]) {
	clear(l.ids[len(l.ids):cap(l.ids)])
	if !poison.On {
		l.kind.clear(l.vals.first, l.vals.n, l.vals.cap)
	}
}

// resized returns a slice of n elements that begins with the first keep of s.
func resized[E any](s []E, keep, n int) []E {
	r := make([]E, n)
	copy(r, s[:min(keep, len(s))])
	return r
}

// listClipQueue drops the slots that truncation has left in the queue of a heap.
func listClipQueue[I Index, D Identifier[D]](l *core[I, D]) {
	heapPurge(&l.heap, len(l.ids))
	l.heap.queue = slices.Clone(l.heap.queue)
}

// listShorten halves the list, whose second half is empty.
func listShorten[I Index, D Identifier[D]](l *core[I, D]) {
	size := quartersShorten(&l.q, len(l.ids), l.min, l.ids)
	if size == l.size {
		return
	}
	l.truncations++
	l.size, l.quick = size, 0
	listCut(l, min(size, len(l.ids)))
	if l.truncate == berth.TruncateMemory && cap(l.ids) > 2*size {
		listSetCap(l, 2*size)
	}
}

// listCutVacant cuts the list behind its last value. The last slot must be vacant.
func listCutVacant[I Index, D Identifier[D]](l *core[I, D]) {
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
		for ; n > 0 && vacant(l.ids, n-1); n-- {
			l.visits++
		}
	}
	l.truncations++
	listCut(l, n)
	switch {
	case l.truncate != berth.TruncateMemory:
	case l.size > l.min && 4*n < l.size:
		listSetMemory(l, max(2*n, l.min))
	case cap(l.ids) > l.size && 4*n < cap(l.ids): // CopyFrom has kept memory
		listSetCap(l, l.size)
	}
}

// listCut drops the slots from n on, which are vacant.
func listCut[I Index, D Identifier[D]](l *core[I, D], n int) {
	l.ids, l.vals.n = l.ids[:n], n
}

// listSetMemory releases memory under the FirstFree placements. Room for size slots remains.
func listSetMemory[I Index, D Identifier[D]](l *core[I, D], size int) {
	listSetCap(l, size)
	l.size, l.quick = size, 0
	if l.place == FirstFree {
		l.low.Clip()
		l.low.Grow(size - l.low.Cap() + l.low.Len())
	}
}

// Clip cuts the list behind its last value as far as its placement can, whatever Truncate is set
// to. It releases the memory that the rest does not need, and all memory if the list is empty.
// Quartered forgets the order in which slots were vacated and takes the lowest first.
//
// Cost: O(Touched), and under FirstFree one word per 64 of Cap; allocates the smaller memory.
//
// Ends: pointers to values.
//
//berth:ends all
func (l *ListOf[T, I, D]) Clip() { listClip(coreOf(l)) }

// listClip is Clip.
func listClip[I Index, D Identifier[D]](l *core[I, D]) {
	if poison.On {
		pastChange(l)
	}
	switch last := len(l.ids) - 1; {
	case l.n == 0:
		listRelease(l)
	case l.place.lowestFirst():
		if vacant(l.ids, last) {
			listCutVacant(l)
		}
		listSetMemory(l, max(len(l.ids), l.min))
	default:
		for ; vacant(l.ids, last); last-- {
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
		quartersRelink(&l.q, size, len(l.ids), l.ids)
	}
	if invariants.On {
		listCheckInvariants(l)
	}
}

// listRelease drops all slots, which are vacant, and their memory.
func listRelease[I Index, D Identifier[D]](l *core[I, D]) {
	was := l.vals
	if poison.On {
		pastCheck(l)
	}
	l.ids, l.vals, l.size, l.quick = nil, array{}, 0, 0
	if poison.On {
		pastMoved(l, nil, was)
	}
	l.low = freelist.Lowest{}
	l.heap = heap[I]{}
	l.q = quarters[I]{stepwise: l.q.stepwise, visits: l.q.visits}
}

// Clear removes all values, and leaves no slot touched. Identifiers continue. Clear truncates as
// much as the removal of each value would. Quartered comes to the shortest length that halving
// reaches without passing Min. Under TruncateMemory memory for that length remains, and under
// the FirstFree placements memory for Min. Otherwise all memory remains.
//
// Cost: O(Touched), and under FirstFree one word per 64 of Cap. It allocates if it releases
// memory, which happens only under TruncateMemory.
//
// Ends: all keys, and pointers to values.
//
//berth:ends emptied
func (l *ListOf[T, I, D]) Clear() {
	if poison.On {
		pastChange(look(l))
	}
	if l.hooks != nil && l.hooks.OnRemove != nil {
		if listClearHooked(l); l.n > 0 {
			return // values that OnRemove has inserted stay
		}
	}
	listClear(coreOf(l))
}

// listClear is Clear for a list without hooks.
func listClear[I Index, D Identifier[D]](l *core[I, D]) {
	if len(l.ids) == 0 {
		return
	}
	if poison.On {
		pastVacateAll(l)
	} else {
		l.kind.clear(l.vals.first, 0, l.vals.n)
	}
	clear(l.ids)
	listCut(l, 0)
	removes := listRemoves(l) + uint64(l.n)
	l.n = 0
	l.changes++
	listSetRemoves(l, removes)
	l.truncations++
	back := l.truncate == berth.TruncateMemory && max(l.size, cap(l.ids)/2) > l.min
	if l.place.lowestFirst() {
		heapClear(&l.heap)
		l.low.Reset()
		if back {
			listSetMemory(l, l.min)
		}
	} else {
		if l.truncate != berth.TruncateNever {
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
//
// Cost: O(Cap); allocates the copy.
//
//berth:clones r0
func (l *ListOf[T, I, D]) Clone() *ListOf[T, I, D] {
	c := new(ListOf[T, I, D])
	listCopy(coreOf(c), coreOf(l))
	if l.hooks != nil {
		c.SetHooks(l.hooks.Hooks)
	}
	return c
}

// CopyFrom makes l a copy of q, as [ListOf.Clone] would return it, in the memory that l has. It
// takes the values, the identifiers, and the Config of q, and the same calls on both then issue the
// same keys. The hooks stay those of l, and none is called. It is the fastest way to keep a second
// state of a list, and to go back to it. If l has more memory than q, it keeps that until Clip, or
// until truncation releases memory. CopyFrom writes to a zero q, as Clone does. If q is l, it
// does nothing.
//
// A loop over l in which CopyFrom is called goes on with the values of the copy: it visits a value
// whose key was live before, if its turn is yet to come, and it may visit others.
//
// Cost: O(Touched) of both, and under FirstFree one word per 64 of Cap. It allocates if q has more
// slots than l has memory for: nothing in a steady state.
//
// Ends: keys and pointers of l. The keys of q refer to the copies.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) CopyFrom(q *ListOf[T, I, D]) {
	if l != q {
		listCopy(coreOf(l), coreOf(q))
	}
}

// listCopy makes l a copy of q, apart from its hooks.
func listCopy[I Index, D Identifier[D]](l, q *core[I, D]) {
	listBegin(q)
	if poison.On {
		pastChange(l)
		pastCheck(l)
	}
	if q.size > cap(l.ids) {
		ids, was := l.ids, l.vals
		l.ids = append(make([]D, 0, cap(q.ids)), q.ids...)
		l.vals = l.kind.make(cap(q.ids))
		l.vals.n = q.vals.n
		l.kind.copy(l.vals.first, q.vals.first, q.vals.n)
		if poison.On {
			pastMoved(l, ids, was)
		}
	} else {
		listSetSlots(l, q.ids, q.vals.first)
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
func listSetSlots[I Index, D Identifier[D]](l *core[I, D], ids []D, vals ref) {
	n, keep := len(ids), min(len(ids), len(l.ids))
	if poison.On {
		pastVacateAll(l)
		for i := range ids {
			if !vacant(ids, i) {
				l.kind.copy(l.kind.at(l.vals.first, i), l.kind.at(vals, i), 1)
			}
		}
	} else {
		l.kind.clear(l.vals.first, keep, l.vals.n)
		l.kind.copy(l.vals.first, vals, n)
	}
	clear(l.ids[keep:])
	l.ids, l.vals.n = l.ids[:n], n
	copy(l.ids, ids)
}

// listLink ensures that there is a link for each slot in memory, if the placement has links, and
// none otherwise.
func listLink[I Index, D Identifier[D]](l *core[I, D]) {
	ends, next := 0, 0
	switch l.place {
	case FirstFreeHeap:
		ends = cap(l.ids)
	case Quartered, quarteredStepwise:
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
