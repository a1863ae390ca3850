package arena

import "slices"

// history is what an arena remembers of its rewinds: enough to tell of any Mark and any Nested
// whether it has been rewound past. A rewind that ends none of them is not remembered. Of two
// others, the earlier one need not be remembered if the later one went as far or farther, so there
// are as many to remember as there are heights at which such rewinds ended, one above the other:
// none, for an arena that is reset each frame, or rewound to its Marks as they were made. Where
// each frame ends a Mark or a Nested, and leaves something behind below, there is one for each
// frame, of 16 bytes.
//
// Invariants (checkInvariants):
//  1. epochs and positions of list rise
//  2. the last epoch of list is epoch, unless list is empty
type history struct {
	epoch uint64 // rewinds that were remembered so far
	list  []rewind
	pin   int // the highest position of a Mark or a Nested that may still be used
	low   int // the lowest position of a rewind since the innermost Scope began
}

type rewind struct {
	epoch uint64
	pos   int
}

// observe returns the epoch for a Mark or a Nested at pos.
func (h *history) observe(pos int) uint64 {
	h.pin = max(h.pin, pos)
	return h.epoch
}

// rewound notes a rewind to pos.
func (h *history) rewound(pos int) {
	h.low = min(h.low, pos)
	if h.pin <= pos {
		return
	}
	h.pin = pos
	h.epoch++
	n := len(h.list)
	for n > 0 && h.list[n-1].pos >= pos {
		n--
	}
	h.list = append(h.list[:n], rewind{h.epoch, pos})
}

// begin begins a Scope at pos. It returns what end wants.
func (h *history) begin(pos int) (low int) {
	low, h.low = h.low, pos
	return low
}

// end ends the Scope that began at pos, and reports whether there was no rewind to before it.
func (h *history) end(pos, low int) bool {
	ok := h.low >= pos
	h.low = min(h.low, low)
	return ok
}

// holds reports whether nothing below pos has been given back since epoch.
func (h *history) holds(epoch uint64, pos int) bool {
	if epoch == h.epoch || len(h.list) == 0 {
		return true
	}
	i, _ := slices.BinarySearchFunc(h.list, epoch+1, func(r rewind, e uint64) int {
		if r.epoch < e {
			return -1
		}
		return 1
	})
	return i == len(h.list) || h.list[i].pos >= pos
}

// check panics if m is no Mark to rewind to.
func (h *history) check(m Mark, fn string) {
	if m.of != h {
		panic("arena: " + fn + ": Mark of another arena")
	}
	if !h.holds(m.epoch, m.pos) {
		panic("arena: " + fn + ": has been rewound past this Mark")
	}
}
