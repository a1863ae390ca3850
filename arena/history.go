package arena

import "slices"

// Mark is a position in an [Arena] or a [Typed], to rewind to.
type Mark struct {
	of    *history
	pos   int
	epoch uint64
}

// history records the rewinds of an arena: enough to decide for any Mark and any Nested whether the
// arena has been rewound past it. A rewind that ends neither is not recorded. A recorded rewind
// replaces all earlier ones that did not go below it, so the list holds at most one rewind per
// position, in ascending order. It stays empty if the arena is reset each frame, or rewound to its
// Marks in reverse order. It gains 16 bytes per frame if each frame ends a Mark or a Nested and
// leaves something allocated below.
type history struct {
	epoch uint64 // number of recorded rewinds
	list  []rewind
	pin   int // the highest position of a Mark or a Nested that may still be used
	low   int // the lowest position of a rewind since the innermost Scope began
}

type rewind struct {
	epoch uint64
	pos   int
}

// observe returns the epoch of a Mark or a Nested at pos.
func (h *history) observe(pos int) uint64 {
	h.pin = max(h.pin, pos)
	return h.epoch
}

// rewound records a rewind to pos.
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

// begin starts a Scope at pos. It returns the argument low of end.
func (h *history) begin(pos int) (low int) {
	low, h.low = h.low, pos
	return low
}

// end ends the Scope that began at pos, and reports whether no rewind went below pos meanwhile.
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

// check panics if m cannot be rewound to.
func (h *history) check(m Mark, fn string) {
	if m.of != h {
		panic("arena: " + fn + ": Mark of another arena")
	}
	if !h.holds(m.epoch, m.pos) {
		panic("arena: " + fn + ": has been rewound past this Mark")
	}
}

// checkInvariants panics with the number of the invariant that h breaks, if any.
func (h *history) checkInvariants() {
	for i, r := range h.list {
		if i > 0 && (r.epoch <= h.list[i-1].epoch || r.pos <= h.list[i-1].pos) {
			fail("history", 1, "%v after %v", r, h.list[i-1])
		}
	}
	if n := len(h.list); n > 0 && h.list[n-1].epoch != h.epoch {
		fail("history", 2, "the last is of epoch %d, now is %d", h.list[n-1].epoch, h.epoch)
	}
}
