package arena

import "slices"

// history is what an arena remembers of its rewinds: enough to tell of any position in the past
// whether it has been rewound since. Of two rewinds, the earlier one need not be remembered if the
// later one went as far or farther, so there are as many to remember as there are heights at which
// rewinds ended, one above the other: one, for an arena that is reset each frame. Where each frame
// leaves something behind below its Scope, there is one for each frame, of 16 bytes.
//
// Invariants (checkInvariants):
//  1. epochs and positions of list rise
//  2. the last epoch of list is epoch, unless list is empty
type history struct {
	epoch uint64 // rewinds so far
	list  []rewind
}

type rewind struct {
	epoch uint64
	pos   int
}

// rewound notes a rewind to pos.
func (h *history) rewound(pos int) {
	h.epoch++
	n := len(h.list)
	for n > 0 && h.list[n-1].pos >= pos {
		n--
	}
	h.list = append(h.list[:n], rewind{h.epoch, pos})
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
