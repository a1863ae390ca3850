package freelist

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
)

// Packed is a [Stack] of indices that stores each in as few bits as it needs: 16 million indices of
// 24 bits in 48 MB, 262 144 of 18 bits in 576 KB. Otherwise it is like a Stack made by
// [NewIndices], including that a double free hands out an index twice. Unlike a Stack, it refuses
// an index that is out of range.
//
// If 8, 16 or 32 bits are needed, a Stack takes no more memory and half the time. If a double free
// would be serious, or memory is short, use a [Lowest]: it takes one bit per index and refuses a
// double free, in about twice the time.
//
// The zero Packed has no indices. A Packed may be moved until its first use, and must not be copied
// after that; see [Packed.Clone]. If several goroutines use it, it needs a lock.
type Packed struct {
	// Invariants (checkInvariants):
	//  1. top is a multiple of width in [0, end], and end is n times width
	//  2. words ends one word behind the first bit of the last entry

	// Entry k is the width bits from bit k*width on. Reads and writes always touch two words, even
	// where one would do, which is faster than a branch, and equally fast for every width. The bits
	// above top are unspecified, so a push may overwrite them.
	words []uint32
	top   uint // in bits, like end
	width uint
	end   uint
	n     uint
	mask  uint64
}

// NewPacked returns a Packed of the indices 0 to n-1, which are popped in ascending order. Each
// takes as many bits as n-1 needs. It panics if n is negative or more than 2^32, or if the total
// number of bits overflows an int.
func NewPacked(n int) *Packed {
	return newPacked("NewPacked", n, bits.Len(uint(max(n-1, 1))))
}

// NewPackedBits is like [NewPacked], but uses the given number of bits for each index. It panics if
// bits is not between 1 and 32, or is too small for n-1.
func NewPackedBits(n, bits int) *Packed {
	if bits < 1 || bits > 32 {
		panic(fmt.Sprintf("freelist: NewPackedBits: %d bits are not between 1 and 32", bits))
	}
	return newPacked("NewPackedBits", n, bits)
}

func newPacked(fn string, n, width int) *Packed {
	switch {
	case n < 0:
		panic(fmt.Sprintf("freelist: %s: negative count %d", fn, n))
	case width > 32 || uint64(n) > 1<<width:
		panic(fmt.Sprintf("freelist: %s: %d indices do not fit %d bits, which number only %d",
			fn, n, min(width, 32), uint64(1)<<min(width, 32)))
	case n > math.MaxInt/width:
		panic(fmt.Sprintf("freelist: %s: %d indices of %d bits are more bits than an int can count",
			fn, n, width))
	}
	p := &Packed{
		width: uint(width), end: uint(n) * uint(width), n: uint(n), mask: 1<<width - 1,
	}
	if n > 0 {
		p.words = make([]uint32, (p.end-p.width)>>5+2)
	}
	p.Reset()
	return p
}

// Len returns the number of free indices.
//
// Cost: O(1).
func (p *Packed) Len() int { return int(p.top / max(p.width, 1)) }

// Cap returns the number of all indices, free or not.
//
// Cost: O(1).
func (p *Packed) Cap() int { return int(p.n) }

// String returns the number of free indices, as in "freelist.Packed(3 of 8 free)".
//
// Cost: allocates the string.
func (p *Packed) String() string {
	return fmt.Sprintf("freelist.Packed(%d of %d free)", p.Len(), p.Cap())
}

// Bits returns the number of bits per index.
//
// Cost: O(1).
func (p *Packed) Bits() int { return int(p.width) }

// Pop takes the index that was pushed last. It reports false if none is free.
//
// Cost: O(1); never allocates.
func (p *Packed) Pop() (i int, ok bool) {
	top := p.top - p.width
	words, w := p.words, int(top>>5)
	if w+1 >= len(words) { // if the Packed is empty, top is beyond every word
		return 0, false
	}
	p.top = top
	if invariants.On {
		p.checkInvariants()
	}
	return int((uint64(words[w+1])<<32 | uint64(words[w])) >> (top & 31) & p.mask), true
}

// Push makes index i free again. It reports false, and changes nothing, if i is not in [0, Cap) or
// all indices are free already. It does not detect a double free; see [Stack].
//
// Cost: O(1); never allocates.
//
// Ends: the caller's claim to i.
//
//berth:ends other
func (p *Packed) Push(i int) bool {
	top := p.top
	if top >= p.end || uint(i) >= p.n {
		return false
	}
	words, w, v := p.words, int(top>>5), uint64(i)<<(top&31)
	words[w+1] = uint32(v >> 32)
	words[w] = uint32(v) | words[w]&(1<<(top&31)-1)
	p.top = top + p.width
	if invariants.On {
		p.checkInvariants()
	}
	return true
}

// Clone returns an independent copy. The same calls on both return the same indices.
//
// Cost: O(Cap); allocates the copy.
func (p *Packed) Clone() *Packed {
	q := *p
	q.words = slices.Clone(p.words)
	return &q
}

// Reset makes all indices free, in the order of a new Packed.
//
// Cost: O(Cap); never allocates.
//
// Ends: all claims to popped indices.
//
//berth:ends other
func (p *Packed) Reset() {
	p.top = 0
	for i := int(p.n) - 1; i >= 0; i-- {
		p.Push(i)
	}
	if invariants.On {
		p.checkInvariants()
	}
}

// Clear makes no index free. Use it if all entries are in use at the start, or to restore a saved
// state, by then pushing the free indices in any order. To free all indices, use Reset.
//
// Cost: O(1); never allocates.
func (p *Packed) Clear() {
	p.top = 0
	if invariants.On {
		p.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that p breaks, if any.
func (p *Packed) checkInvariants() {
	if p.end != p.n*p.width || p.top > p.end || p.top%max(p.width, 1) != 0 {
		panic(fmt.Sprintf("freelist: Packed invariant 1: top %d, end %d, %d entries of %d bits",
			p.top, p.end, p.n, p.width))
	}
	if want := int((p.end-p.width)>>5 + 2); p.n > 0 && len(p.words) != want {
		panic(fmt.Sprintf("freelist: Packed invariant 2: %d words, want %d", len(p.words), want))
	}
}
