package arena

import (
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
)

// Bump allocates values of one type in an [Arena]. It takes a block of them and counts down through
// it, which is as fast as indexing a slice. [New], by contrast, checks the type and the room each
// time. Values left in a block when the next one begins, or when the Bump is no longer used, stay
// unused.
//
// The zero Bump has no arena, and allocates nothing. A Bump must not be copied. Pointers are valid
// until the memory is rewound. A Bump whose memory has been rewound panics when it is used.
type Bump[T any] struct {
	// Invariants (checkInvariants):
	//  1. 0 <= left <= len(s); s[:left] is zero

	_     nocopy.NoCopy
	mem   memory
	s     []T
	left  int // values not yet handed out
	block int
}

// NewBump returns a Bump in a, with blocks of block values. If a is nil, New returns nil. It panics
// if T holds Go pointers, if block is not positive, or if a block would not fit in any memory.
//
// Cost: O(1); allocates the Bump on Go's heap, and takes nothing from a.
//
//berth:housed r0 of a
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
//
// Cost: O(1); takes and zeroes a block of the arena when the last one is used up.
//
//berth:lends r0
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

// Clear makes a Bump whose memory has been rewound usable again. Any other Bump continues with a
// new block, and the rest of the old one stays unused.
//
// Cost: O(1).
//
//berth:revives
func (b *Bump[T]) Clear() {
	b.mem.revive()
	b.s, b.left = nil, 0
}

// checkInvariants panics with the number of the invariant that b breaks, if any.
func (b *Bump[T]) checkInvariants() {
	if b.left < 0 || b.left > len(b.s) {
		fail("Bump", 1, "%d of %d values left", b.left, len(b.s))
	}
	for i := range b.s[:b.left] {
		if !invariants.IsZero(&b.s[i]) {
			fail("Bump", 1, "value %d is not handed out yet, and not zero", i)
		}
	}
}
