package arena

import (
	"fmt"
	"iter"
	"math"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
)

const (
	blockSlots = 64 // one word of occupancy
	blockMask  = blockSlots - 1
	maxRun     = 16 // most blocks taken from the arena at once
)

// poolBlock is 64 slots of a Pool.
type poolBlock[T any] struct {
	occ  uint64 // a bit per live slot
	vals [blockSlots]T
}

// Pool holds values in slots of an [Arena], and refers to them by index. An insert takes the lowest
// vacant slot. A Pool has no generations: the index of a removed value is reused by a later insert,
// which the holder of the old index cannot detect. If indices are kept longer than values, use
// [Handles].
//
// Slots lie in blocks of 64, which never move. A pointer is valid until its value is removed or its
// memory is rewound. A Pool whose memory has been rewound panics when it is used. The table of
// blocks and the bitmap of blocks with room lie on Go's heap, and take about 10 bytes per block.
//
// The zero Pool has no arena. It is empty, and every insert fails. A Pool must not be copied.
//
// Loops run in order of indices, and their bodies may insert and remove values. A value that is
// live throughout the loop is visited exactly once. A value removed before its turn is not visited.
// A value inserted during the loop may be visited or not, but never twice, and the loop always
// ends. Leaving a loop by break, return or panic is safe.
type Pool[T any] struct {
	// Invariants (checkInvariants):
	//  1. n is the number of bits set in all occ
	//  2. room holds exactly the blocks with a vacant slot, and live those with a value
	//  3. a vacant slot holds the zero T

	_    nocopy.NoCopy
	mem  memory
	dir  []*poolBlock[T]
	room bitset.Queue // of blocks
	live bitset.Set   // of blocks
	n    int
}

// NewPool returns an empty Pool in a. If a is nil, every insert fails. It panics if T holds Go
// pointers.
//
// Cost: O(1); allocates the Pool on Go's heap, and takes nothing from a.
//
//berth:housed r0 of a
func NewPool[T any](a *Arena) *Pool[T] {
	mustHold[T](a, "NewPool")
	p := &Pool[T]{room: bitset.NewQueue()}
	p.mem.init(a, p)
	return p
}

// Len returns the number of values.
//
// Cost: O(1).
func (p *Pool[T]) Len() int { // inlined
	if p.n == 0 {
		p.mem.check("Pool.Len")
	}
	return p.n
}

// Cap returns the number of slots.
//
// Cost: O(1).
func (p *Pool[T]) Cap() int {
	p.mem.check("Pool.Cap")
	return len(p.dir) * blockSlots
}

// String returns the type and number of the values, as in "arena.Pool[int](3 of 64 slots)".
//
// Cost: allocates the string.
func (p *Pool[T]) String() string {
	p.mem.check("Pool.String")
	return fmt.Sprintf("arena.Pool[%v](%d of %d slots)", plain.TypeFor[T](), p.Len(), p.Cap())
}

// Contains reports whether there is a value at index i.
//
// Cost: O(1).
func (p *Pool[T]) Contains(i int) bool { return p.Ptr(i) != nil }

// Ptr returns a pointer to the value at index i, or nil if there is none. The pointer is valid
// until that value is removed.
//
// Cost: O(1).
//
//berth:lends r0 by i
func (p *Pool[T]) Ptr(i int) *T {
	if k := uint(i) / blockSlots; k < uint(len(p.dir)) {
		if b := p.dir[k]; b.occ>>(i&blockMask)&1 != 0 {
			return &b.vals[i&blockMask]
		}
	}
	p.mem.check("Pool.Ptr")
	return nil
}

// Get returns a copy of the value at index i. It reports false if there is none.
//
// Cost: O(1) and the copy.
//
//berth:copies r0
func (p *Pool[T]) Get(i int) (v T, ok bool) {
	if k := uint(i) / blockSlots; k < uint(len(p.dir)) {
		if b := p.dir[k]; b.occ>>(i&blockMask)&1 != 0 {
			return b.vals[i&blockMask], true
		}
	}
	p.mem.check("Pool.Get")
	return v, false
}

// Insert stores v in the lowest vacant slot and returns its index. It reports false, and changes
// nothing, if the arena has no room.
//
// Cost: O(1); takes blocks of the arena when no slot is vacant.
//
//berth:issues r0
func (p *Pool[T]) Insert(v T) (i int, ok bool) {
	k := p.room.Low
	if k >= len(p.dir) {
		return p.insertSlow(v)
	}
	b := p.dir[k]
	i = bits.TrailingZeros64(^b.occ) & blockMask
	b.vals[i] = v
	first := b.occ == 0
	b.occ |= 1 << i
	p.n++
	if b.occ == math.MaxUint64 {
		if p.room.Two() {
			p.room.PopLow()
		} else {
			p.room.Pop()
		}
	}
	if first {
		p.live.Add(k)
	}
	if invariants.On {
		p.changed()
	}
	return k*blockSlots + i, true
}

func (p *Pool[T]) insertSlow(v T) (int, bool) {
	if p.mem.stuck() {
		return 0, false
	}
	return p.Insert(v)
}

func (p *Pool[T]) more() bool {
	p.mem.check("Pool.Insert")
	return p.addBlocks(runOf(len(p.dir))) || p.addBlocks(1)
}

func (p *Pool[T]) evict() {
	clear(p.dir) // the table itself is kept for later blocks
	p.room.Reset(0)
	p.live.Reset(0)
	p.dir, p.n = p.dir[:0], 0
}

// runOf returns the number of blocks to take at once when there are n: an eighth more, within
// limits.
func runOf(n int) int { return min(max(1, n/8), maxRun) }

// Remove removes and returns the value at index i. It reports false, and changes nothing, if there
// is none.
//
// Cost: O(1).
//
// Ends: index i, until it is reused, and pointers to this value.
//
//berth:ends by i
func (p *Pool[T]) Remove(i int) (v T, ok bool) {
	ptr := p.Ptr(i)
	if ptr == nil {
		return v, false
	}
	var zero T
	v, *ptr = *ptr, zero
	k := i / blockSlots
	b := p.dir[k]
	if b.occ == math.MaxUint64 {
		if k < p.room.Low && !p.room.Two() {
			p.room.AddLow(k)
		} else {
			p.room.Add(k)
		}
	}
	p.n--
	if b.occ &^= 1 << (i & blockMask); b.occ == 0 {
		p.live.Remove(k)
	}
	if invariants.On {
		p.changed()
	}
	return v, true
}

// Grow makes room for n more values. It reports false, and changes nothing, if the arena has no
// room for all of them. It panics if n is negative.
//
// Cost: O(n/64).
func (p *Pool[T]) Grow(n int) bool {
	if n < 0 {
		panic("arena: Pool.Grow: negative count")
	}
	p.mem.check("Pool.Grow")
	n -= p.Cap() - p.n
	return n <= 0 || p.addBlocks((n-1)/blockSlots+1)
}

// Clear removes all values, and keeps the memory. A Pool whose memory has been rewound becomes
// usable again, and is empty.
//
// Cost: O(Len).
//
// Ends: all pointers to values.
//
//berth:ends emptied
//berth:revives
func (p *Pool[T]) Clear() {
	if p.mem.revive() {
		return
	}
	for k := p.live.First(); k >= 0; k = p.live.Next(k + 1) {
		b := p.dir[k]
		if b.occ == math.MaxUint64 {
			p.room.Add(k)
		}
		*b = poolBlock[T]{}
	}
	p.live.Clear()
	p.n = 0
	p.changed()
}

// All returns an iterator over indices and pointers to the values, in ascending order. See [Pool]
// for the rules.
//
// Cost: O(Len); never allocates.
//
//berth:lends y1 by y0
func (p *Pool[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		p.mem.check("Pool.All")
		l, lost, last := p.mem.l, p.mem.lost(), len(p.dir)
		for k := p.live.First(); k >= 0 && k < last; k = p.live.Next(k + 1) {
			b := p.dir[k]
			for w := b.occ; w != 0; w &= (w - 1) & b.occ {
				i := bits.TrailingZeros64(w) & blockMask
				if !yield(k*blockSlots+i, &b.vals[i]) {
					return
				}
				l.checkSince(lost, "Pool.All")
			}
		}
	}
}

// Values returns an iterator over pointers to the values, in order of indices. See [Pool] for the
// rules.
//
// Cost: O(Len); never allocates.
//
//berth:lends y0
func (p *Pool[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		p.mem.check("Pool.Values")
		l, lost, last := p.mem.l, p.mem.lost(), len(p.dir)
		for k := p.live.First(); k >= 0 && k < last; k = p.live.Next(k + 1) {
			b := p.dir[k]
			for w := b.occ; w != 0; w &= (w - 1) & b.occ {
				if !yield(&b.vals[bits.TrailingZeros64(w)&blockMask]) {
					return
				}
				l.checkSince(lost, "Pool.Values")
			}
		}
	}
}

// Spans returns an iterator over slices of up to 64 adjacent values, each with the index of its
// first value. It is the fastest loop, because there is no check inside a span. A value removed
// from a span while the body holds it reads as the zero T. Otherwise the rules of [Pool] apply.
//
// Cost: O(Len/64), and O(1) per span; never allocates.
//
//berth:lends y1
func (p *Pool[T]) Spans() iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		p.mem.check("Pool.Spans")
		l, lost, last := p.mem.l, p.mem.lost(), len(p.dir)
		for k := p.live.First(); k >= 0 && k < last; k = p.live.Next(k + 1) {
			b := p.dir[k]
			for w := b.occ; w != 0; w &= b.occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				if !yield(k*blockSlots+i, b.vals[i:i+n:i+n]) {
					return
				}
				l.checkSince(lost, "Pool.Spans")
			}
		}
	}
}

// Span returns the first run of adjacent values at an index or after it, of up to 64, and the index
// from which to go on. It returns nil and 0 if there is none. See [berth.Pool.Span] for the loop.
//
// Cost: O(1), and a word for each 64 vacant blocks in between; never allocates.
//
//berth:lends r0
func (p *Pool[T]) Span(index int) (span []T, next int) {
	p.mem.check("Pool.Span")
	k, w := index>>6, bitset.Beyond(index&blockMask)
	for uint(k) < uint(len(p.dir)) {
		b := p.dir[k]
		if w &= b.occ; w != 0 {
			i, n := bitset.Run(w)
			return b.vals[i : i+n : i+n], k<<6 + i + n
		}
		k, w = p.live.Next(k+1), bitset.Beyond(0)
	}
	return nil, 0
}

// Chunk is a block of a [Pool] with 64 slots. If bit i of Mask is set, Values[i] is live, and its
// index is First + i. Vacant slots hold the zero T.
type Chunk[T any] struct {
	First  int
	Mask   uint64
	Values *[blockSlots]T
}

// Chunks returns an iterator over the blocks that hold values. The Mask of a Chunk is taken when
// the Chunk is passed to the body, and is not updated. Otherwise the rules of [Pool] apply.
//
// Cost: O(blocks with values); never allocates.
func (p *Pool[T]) Chunks() iter.Seq[Chunk[T]] {
	return func(yield func(Chunk[T]) bool) {
		p.mem.check("Pool.Chunks")
		l, lost, last := p.mem.l, p.mem.lost(), len(p.dir)
		for k := p.live.First(); k >= 0 && k < last; k = p.live.Next(k + 1) {
			b := p.dir[k]
			if !yield(Chunk[T]{First: k * blockSlots, Mask: b.occ, Values: &b.vals}) {
				return
			}
			l.checkSince(lost, "Pool.Chunks")
		}
	}
}

// addBlocks takes n more blocks of the arena. It reports false if the arena lacks room for all.
func (p *Pool[T]) addBlocks(n int) bool {
	s, ok := allocate[poolBlock[T]](&p.mem, n)
	if !ok {
		return false
	}
	k := len(p.dir)
	p.room.Resize(k + n)
	p.live.Resize(k + n)
	for i := range s {
		p.dir = append(p.dir, &s[i])
		p.room.Add(k + i)
	}
	return true
}

// changed checks the invariants after a change if the tag berth_invariants is set.
func (p *Pool[T]) changed() {
	if invariants.On && checkNow(p.n) {
		p.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that p breaks, if any.
func (p *Pool[T]) checkInvariants() {
	n := 0
	for k, b := range p.dir {
		n += bits.OnesCount64(b.occ)
		if p.room.Has(k) != (b.occ != 1<<blockSlots-1) || p.live.Has(k) != (b.occ != 0) {
			fail("Pool", 2, "block %d with values %064b: room %t, live %t",
				k, b.occ, p.room.Has(k), p.live.Has(k))
		}
		for i := range blockSlots {
			if b.occ>>i&1 == 0 && !invariants.IsZero(&b.vals[i]) {
				fail("Pool", 3, "vacant slot %d is not zero", k*blockSlots+i)
			}
		}
	}
	if n != p.n {
		fail("Pool", 1, "%d values, noted %d", n, p.n)
	}
}
