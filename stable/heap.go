package stable

import (
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
)

// heap records the vacant slots of a list under FirstFreeHeap or firstFreeHeapWalk: a priority
// queue of them and, if runs are kept, the ends of each run.
//
// When the list is truncated, the slots that are cut off stay in the queue. When one of them comes
// up as the lowest, all slots below it are live, and the whole queue is dropped.
//
// A slot that InsertAt takes from the middle of the queue also stays there, and is marked as
// filled. The mark ends when the slot is vacated, or comes up as the lowest and is passed over.
//
// Source: F. Saukko, StableList, University of Turku 2025, section 5.6.2. There both ends of a run
// store its length. Here each stores the other end, since the length of a run of 65 536 slots does
// not fit a uint16.
//
// Invariants (check):
//  1. no slot of queue is greater than a child of it, which are at 2k+1 and 2k+2
//  2. queue has each slot below open that is vacant or marked as filled exactly once, and no other
//  3. each run of vacant slots has its last one at ends[first], and its first one at ends[last];
//     and if ends[i] of an inner slot is greater than i, all slots up to there are vacant, unless
//     torn is set
//  4. marks counts the marked slots, which are live
//
// By the second half of 3, a loop may skip from any vacant slot, whatever was removed meanwhile. It
// holds because ends[i] is the last slot of the run when slot i is vacated, and none of the slots
// between is taken before slot i, except by InsertAt. After that, loops check each skip.
type heap[I Index] struct {
	queue  []I
	ends   []I      // nil if runs are not kept
	filled []uint64 // a bit for each slot of queue that InsertAt has filled
	marks  int
	torn   bool // InsertAt has split a run
}

// heapTake returns the slot for the next insert: the lowest vacant one below open, or open.
//
// Source: R. Floyd's variant of the sift: a hole sinks to the bottom, and the last one rises there.
func heapTake[I Index](h *heap[I], open int) int {
	q := h.queue
	if len(q) == 0 {
		return open
	}
	i := int(q[0])
	if i >= open {
		h.queue = q[:0]
		return open
	}
	last := len(q) - 1
	x := q[last]
	q = q[:last]
	h.queue = q
	if last > 0 {
		k := 0
		for c := 1; c < len(q); c = 2*k + 1 {
			if c+1 < len(q) && q[c+1] < q[c] {
				c++
			}
			q[k] = q[c]
			k = c
		}
		for k > 0 && q[(k-1)/2] > x {
			q[k] = q[(k-1)/2]
			k = (k - 1) / 2
		}
		q[k] = x
	}
	return i
}

// heapPush adds slot i to the queue.
func heapPush[I Index](h *heap[I], i int) {
	if h.marks > 0 && heapUnmark(h, i) {
		return // it is there
	}
	h.queue = append(h.queue, I(i))
	q, k := h.queue, len(h.queue)-1
	for k > 0 && q[(k-1)/2] > I(i) {
		q[k] = q[(k-1)/2]
		k = (k - 1) / 2
	}
	q[k] = I(i)
}

// heapMark notes that slot i of the queue is live.
func heapMark[I Index](h *heap[I], i int) {
	if w := i>>6 + 1; w > len(h.filled) {
		h.filled = append(h.filled, make([]uint64, w-len(h.filled))...)
	}
	h.filled[i>>6] |= 1 << (i & 63)
	h.marks++
}

// heapMarked reports whether slot i has a mark.
func heapMarked[I Index](h *heap[I], i int) bool {
	return i>>6 < len(h.filled) && h.filled[i>>6]>>(i&63)&1 != 0
}

// heapUnmark removes the mark of slot i, and reports whether there was one.
func heapUnmark[I Index](h *heap[I], i int) bool {
	if !heapMarked(h, i) {
		return false
	}
	h.filled[i>>6] &^= 1 << (i & 63)
	h.marks--
	return true
}

// heapUnmarkAll removes all marks.
func heapUnmarkAll[I Index](h *heap[I]) {
	if h.marks > 0 {
		clear(h.filled)
		h.marks = 0
	}
}

// heapTakeMarked is heapTake if slots are marked. slot is what heapTake has returned.
func heapTakeMarked[I Index](h *heap[I], slot, open int) int {
	for heapUnmark(h, slot) {
		slot = heapTake(h, open)
	}
	return slot
}

// heapExtend adds the slots from open to end, which are vacant now. live is the number of live
// slots below open.
func heapExtend[I Index](h *heap[I], open, end, live int) {
	if len(h.queue) > open-live+h.marks { // some were cut off
		heapPurge(h, open)
	}
	for i := open; i < end; i++ {
		h.queue = append(h.queue, I(i)) // in order, since all others are less
	}
}

// heapPurge drops the slots of the queue that are not vacant, and all marks.
func heapPurge[I Index](h *heap[I], open int) {
	h.queue = slices.DeleteFunc(h.queue, func(i I) bool {
		return int(i) >= open || heapMarked(h, int(i))
	})
	slices.Sort(h.queue)
	heapUnmarkAll(h)
}

// heapShrinkRun takes slot i, the first of its run, out of the run.
func heapShrinkRun[I Index](h *heap[I], i int) {
	if last := h.ends[i]; int(last) != i {
		h.ends[i+1] = last
		h.ends[last] = I(i + 1)
	}
}

// heapExtendRuns adds the slots from open to last, which are vacant now. before reports whether the
// slot before open is vacant too.
func heapExtendRuns[I Index](h *heap[I], open, last int, before bool) {
	first := I(open)
	if before {
		first = h.ends[open-1]
	}
	clear(h.ends[open:last])
	h.ends[first], h.ends[last] = I(last), first
}

// heapSplitRun takes slot i out of its run. It searches for the nearer end of the run, so the
// splits of a run into single slots, in any order, cost O(log) each.
func heapSplitRun[I Index, D Identifier[D]](h *heap[I], i, open int, ids []D) {
	before, after := i > 0 && vacant(ids, i-1), i+1 < open && vacant(ids, i+1)
	switch {
	case !before:
		heapShrinkRun(h, i)
	case !after:
		h.torn = true
		first := h.ends[i]
		h.ends[first], h.ends[i-1] = I(i-1), first
	default:
		h.torn = true
		d := 2
		for i-d >= 0 && vacant(ids, i-d) && i+d < open && vacant(ids, i+d) {
			d++
		}
		first, last := I(i-d+1), I(i+d-1)
		if i-d < 0 || !vacant(ids, i-d) {
			last = h.ends[first]
		} else {
			first = h.ends[last]
		}
		h.ends[first], h.ends[i-1] = I(i-1), first
		h.ends[i+1], h.ends[last] = last, I(i+1)
	}
}

// listLastVacant returns a slot from i on up to which all are vacant. Slot i must be vacant. It is
// the last slot of its run if i is the first one, or if ends[i] still is the last, and otherwise i.
func listLastVacant[I Index, D Identifier[D]](l *core[I, D], i int) int {
	e := int(l.heap.ends[i])
	switch {
	case e <= i:
		return i
	case !l.heap.torn, i == 0 || !vacant(l.ids, i-1):
		return e
	case e < len(l.ids) && vacant(l.ids, e) && int(l.heap.ends[e]) <= i &&
		(e+1 == len(l.ids) || !vacant(l.ids, e+1)):
		return e
	}
	return i
}

// listSkip is listLastVacant for loops.
func listSkip[I Index, D Identifier[D]](l *core[I, D], i int) int { // inlined
	if l.heap.torn {
		return listLastVacant(l, i)
	}
	return max(i, int(l.heap.ends[i]))
}

// heapJoinRuns joins slot i, which has been vacated, to the runs beside it. before and after report
// whether there are such runs.
func heapJoinRuns[I Index](h *heap[I], i int, before, after bool) {
	first, last := I(i), I(i)
	if before {
		first = h.ends[i-1]
	}
	if after {
		last = h.ends[i+1]
	}
	h.ends[i] = last
	h.ends[first], h.ends[last] = last, first
}

// heapClear drops all slots.
func heapClear[I Index](h *heap[I]) {
	h.queue = h.queue[:0]
	heapUnmarkAll(h)
	h.torn = false
}

// heapCopyFrom makes h a copy of o, apart from ends, in the memory that h has.
func heapCopyFrom[I Index](h *heap[I], o *heap[I]) {
	h.queue = append(h.queue[:0], o.queue...)
	h.filled, h.marks = append(h.filled[:0], o.filled...), o.marks
	h.torn = o.torn
}

// heapCheck panics with the number of the invariant that h breaks, if any.
func heapCheck[I Index, D Identifier[D]](h *heap[I], open int, runs bool, ids []D) {
	var want, got uint64
	for k, i := range h.queue {
		if k > 0 && h.queue[(k-1)/2] > i {
			fail("heap", 1, "slot %d is the parent of %d", h.queue[(k-1)/2], i)
		}
		if int(i) < open {
			got += invariants.Mix(int(i))
		}
	}
	marks := 0
	for i := range len(h.filled) * 64 {
		if heapMarked(h, i) {
			if marks++; i >= open || vacant(ids, i) {
				fail("heap", 4, "slot %d is marked and not live", i)
			}
			want += invariants.Mix(i)
		}
	}
	if marks != h.marks {
		fail("heap", 4, "%d marks, want %d", h.marks, marks)
	}
	for i := 0; i < open; i++ {
		if !vacant(ids, i) {
			continue
		}
		first := i
		for want += invariants.Mix(i); i+1 < open && vacant(ids, i+1); want += invariants.Mix(i) {
			i++
		}
		if runs && (int(h.ends[first]) != i || int(h.ends[i]) != first) {
			fail("heap", 3, "run from %d to %d: ends %d, %d", first, i, h.ends[first], h.ends[i])
		}
		for k := first; runs && !h.torn && k < i; k++ {
			if int(h.ends[k]) > i {
				fail("heap", 3, "slot %d of a run to %d: end %d", k, i, h.ends[k])
			}
		}
	}
	if got != want {
		fail("heap", 2, "the queue of %d is not the vacant slots of %d", len(h.queue), open)
	}
}
