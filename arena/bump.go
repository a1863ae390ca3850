package arena

import (
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
)

// Bump makes values of one type in an [Arena]: it takes a block of them, and counts down through
// it, which is as fast as an index into a slice, where [New] looks at the type and the room each
// time. What is left of a block when the next one begins, or when nobody makes any more, stays
// unused.
//
// The zero Bump has no arena, and makes nothing. A Bump must not be copied. Pointers are good until
// the memory is rewound; a Bump whose memory has been rewound panics when it is used.
//
// Invariants (checkInvariants):
//  1. 0 <= left <= len(s); s[:left] is zero
type Bump[T any] struct {
	_     nocopy.NoCopy
	mem   memory
	s     []T
	left  int // values not made yet
	block int
}

// NewBump returns a Bump in a, which may be nil, with blocks of so many values. It panics if T
// holds Go pointers, or if block is not positive or more than a machine can have.
// Cost: O(1); allocates what is not in the arena, and takes nothing of a.
func NewBump[T any](a *Arena, block int) *Bump[T] {
	mustHold[T](a, "NewBump")
	if _, ok := bytesFor[T](block); !ok || block <= 0 {
		panic("arena: NewBump: block is not positive, or too large")
	}
	b := &Bump[T]{block: block}
	b.mem.init(a, b)
	return b
}

// New returns a pointer to a zero T, or nil if the arena has no room for a block.
// Cost: O(1); takes a block of the arena, and zeroes it, when the last one is used up.
func (b *Bump[T]) New() (v *T) { // inlined
	if b.left == 0 {
		if b.mem.stuck() {
			return
		}
	}
	b.left--
	return &b.s[b.left]
}

func (b *Bump[T]) more() bool {
	b.mem.check("Bump.New")
	s, ok := allocate[T](&b.mem, b.block)
	if !ok {
		return false
	}
	b.s, b.left = s, len(s)
	if invariants.On {
		b.checkInvariants()
	}
	return true
}

func (b *Bump[T]) evict() { b.s, b.left = nil, 0 }

// Clear makes a Bump good again whose memory has been rewound; others go on with a new block, and
// what is left of the old one stays unused.
// Cost: O(1).
func (b *Bump[T]) Clear() {
	b.mem.revive()
	b.s, b.left = nil, 0
}
