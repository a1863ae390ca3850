package stable

import (
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
)

// heap records the vacant slots of a list under FirstFreeHeap or FirstFreeHeapWalk: a priority
// queue of them and, if runs are kept, the ends of each run.
//
// When the list is truncated, the slots that are cut off stay in the queue. When one of them comes
// up as the lowest, all slots below it are live, and the whole queue is dropped.
//
// Source: F. Saukko, StableList, University of Turku 2025, section 5.6.2. There both ends of a run
// store its length. Here each stores the other end, since the length of a run of 65 536 slots does
// not fit a uint16.
//
// Invariants (check):
//  1. no slot of queue is greater than a child of it, which are at 2k+1 and 2k+2
//  2. queue has each vacant slot below open exactly once, and no live ones
//  3. each run of vacant slots has its last one at ends[first], and its first one at ends[last];
//     and if ends[i] of an inner slot is greater than i, all slots up to there are vacant
//
// By the second half of 3, a loop may skip from any vacant slot, whatever was removed meanwhile. It
// holds because ends[i] is the last slot of the run when slot i is vacated, and none of the slots
// between is taken before slot i.
type heap[I Index] struct {
	queue []I
	ends  []I // nil if runs are not kept
}

// take returns the slot for the next insert: the lowest vacant one below open, or open.
// Source: R. Floyd's variant of the sift: a hole sinks to the bottom, and the last one rises there.
func (h *heap[I]) take(open int) int {
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

// push adds slot i to the queue.
func (h *heap[I]) push(i int) {
	h.queue = append(h.queue, I(i))
	q, k := h.queue, len(h.queue)-1
	for k > 0 && q[(k-1)/2] > I(i) {
		q[k] = q[(k-1)/2]
		k = (k - 1) / 2
	}
	q[k] = I(i)
}

// shrinkRun takes slot i, the first of its run, out of the run.
func (h *heap[I]) shrinkRun(i int) {
	if last := h.ends[i]; int(last) != i {
		h.ends[i+1] = last
		h.ends[last] = I(i + 1)
	}
}

// joinRuns joins slot i, which has been vacated, to the runs beside it. before and after report
// whether there are such runs.
func (h *heap[I]) joinRuns(i int, before, after bool) {
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

// clear drops all slots.
func (h *heap[I]) clear() { h.queue = h.queue[:0] }

// clone returns an independent copy.
func (h *heap[I]) clone() heap[I] { return heap[I]{slices.Clone(h.queue), slices.Clone(h.ends)} }

// check panics with the number of the invariant that h breaks, if any.
func (h *heap[I]) check(open int, runs bool, vacant func(i int) bool) {
	var want, got uint64
	for k, i := range h.queue {
		if k > 0 && h.queue[(k-1)/2] > i {
			fail("heap", 1, "slot %d is the parent of %d", h.queue[(k-1)/2], i)
		}
		if int(i) < open {
			got += invariants.Mix(int(i))
		}
	}
	for i := 0; i < open; i++ {
		if !vacant(i) {
			continue
		}
		first := i
		for want += invariants.Mix(i); i+1 < open && vacant(i+1); want += invariants.Mix(i) {
			i++
		}
		if runs && (int(h.ends[first]) != i || int(h.ends[i]) != first) {
			fail("heap", 3, "run from %d to %d: ends %d, %d", first, i, h.ends[first], h.ends[i])
		}
		for k := first; runs && k < i; k++ {
			if int(h.ends[k]) > i {
				fail("heap", 3, "slot %d of a run to %d: end %d", k, i, h.ends[k])
			}
		}
	}
	if got != want {
		fail("heap", 2, "the queue of %d is not the vacant slots of %d", len(h.queue), open)
	}
}
