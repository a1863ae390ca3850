package arena

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
)

const (
	blockSlots = 64 // one word of occupancy
	blockMask  = blockSlots - 1
	maxRun     = 16 // blocks that are taken of the arena at once
)

// poolBlock is 64 slots of a Pool.
type poolBlock[T any] struct {
	occ  uint64 // a bit per live slot
	vals [blockSlots]T
}

// Pool holds values in slots of an [Arena], and names them by index: an insert takes the lowest
// vacant slot. There are no generations: the index of a value that has been removed is, sooner or
// later, the index of another one, and nobody can tell. Where indices are kept longer than values,
// take [Handles].
//
// Slots lie in blocks of 64, which never move: pointers are good until their value is removed, and
// until the memory is rewound; a Pool whose memory has been rewound panics when it is used. The
// table of blocks, and what says which have room, lie on Go's heap, some 10 bytes per block.
//
// The zero Pool has no arena: it is empty, and every insert fails. A Pool must not be copied.
//
// Loops visit each value that is live throughout exactly once, in order of indices. What their
// bodies remove before its turn is not visited; what they insert may be visited or not, never
// twice, and the loop ends. break, return and panics leave the Pool as it is.
//
// Invariants (checkInvariants):
//  1. n is the number of bits in all occ
//  2. room holds exactly the blocks with a vacant slot, live those with a value
//  3. a vacant slot holds the zero T
type Pool[T any] struct {
	_    nocopy.NoCopy
	mem  memory
	dir  []*poolBlock[T]
	room bitset.Queue // of blocks
	live bitset.Set   // of blocks
	n    int
}

// NewPool returns an empty Pool in a, which may be nil. It panics if T holds Go pointers.
// Cost: O(1); allocates what is not in the arena, and takes nothing of a.
func NewPool[T any](a *Arena) *Pool[T] {
	mustHold[T](a, "NewPool")
	p := &Pool[T]{room: bitset.NewQueue()}
	p.mem.init(a, p)
	return p
}

// Len returns the number of values.
// Cost: O(1).
func (p *Pool[T]) Len() int { // inlined
	if p.n == 0 {
		p.mem.check("Pool.Len")
	}
	return p.n
}

// Cap returns the number of slots.
// Cost: O(1).
func (p *Pool[T]) Cap() int {
	p.mem.check("Pool.Cap")
	return len(p.dir) * blockSlots
}

// String returns the type of the values and how many there are, as in
// "arena.Pool[int](3 of 64 slots)".
// Cost: allocates the string.
func (p *Pool[T]) String() string {
	p.mem.check("Pool.String")
	return fmt.Sprintf("arena.Pool[%v](%d of %d slots)", reflect.TypeFor[T](), p.Len(), p.Cap())
}

// Valid reports whether there is a value at index i.
// Cost: O(1).
func (p *Pool[T]) Valid(i int) bool { return p.Ptr(i) != nil }

// Ptr returns a pointer to the value at index i, or nil if there is none.
// Cost: O(1). The pointer is good until that value is removed.
func (p *Pool[T]) Ptr(i int) *T {
	if k := uint(i) / blockSlots; k < uint(len(p.dir)) {
		if b := p.dir[k]; b.occ>>(i&blockMask)&1 != 0 {
			return &b.vals[i&blockMask]
		}
	}
	p.mem.check("Pool.Ptr")
	return nil
}

// Get returns the value at index i, and reports false if there is none.
// Cost: O(1) and the copy.
func (p *Pool[T]) Get(i int) (v T, ok bool) {
	if k := uint(i) / blockSlots; k < uint(len(p.dir)) {
		if b := p.dir[k]; b.occ>>(i&blockMask)&1 != 0 {
			return b.vals[i&blockMask], true
		}
	}
	p.mem.check("Pool.Get")
	return v, false
}

// Insert puts v into the lowest vacant slot and returns its index. It reports false, and changes
// nothing, if the arena has no room.
// Cost: O(1); takes blocks of the arena when no slot is vacant.
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
	if b.occ == math.MaxUint64 && !p.room.PopLow() {
		p.room.Pop()
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
	clear(p.dir) // their place is kept for the next blocks
	p.room.Clear()
	p.live.Clear()
	p.room.Resize(0)
	p.live.Resize(0)
	p.dir, p.n = p.dir[:0], 0
}

// runOf is how many blocks to take at once if there are n: an eighth more.
func runOf(n int) int { return min(max(1, n/8), maxRun) }

// Remove removes the value at index i and returns it. It reports false, and changes nothing, if
// there is none.
// Cost: O(1).
// Ends: index i, until it is reused, and pointers to this value; no others.
func (p *Pool[T]) Remove(i int) (v T, ok bool) {
	ptr := p.Ptr(i)
	if ptr == nil {
		return v, false
	}
	var zero T
	v, *ptr = *ptr, zero
	k := i / blockSlots
	b := p.dir[k]
	if b.occ == math.MaxUint64 && !p.room.AddLow(k) {
		p.room.Add(k)
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

// Reserve makes room for n more values. It reports false if the arena has no room for all, and
// changes nothing then. It panics if n is negative.
// Cost: O(n/64).
func (p *Pool[T]) Reserve(n int) bool {
	if n < 0 {
		panic("arena: Pool.Reserve: negative count")
	}
	p.mem.check("Pool.Reserve")
	n -= p.Cap() - p.n
	return n <= 0 || p.addBlocks((n-1)/blockSlots+1)
}

// Clear removes all values, and keeps the memory. A Pool whose memory has been rewound is good
// again, and empty.
// Cost: O(Len).
// Ends: all pointers to values.
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

// All returns a loop over the values and their indices, lowest first. See [Pool] for the rules.
// Cost: O(Len); never allocates.
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

// Values returns a loop over the values, lowest index first. See [Pool] for the rules.
// Cost: O(Len); never allocates.
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

// Spans returns a loop over runs of values that lie side by side, up to 64 each, with the index of
// the first. It is the fast loop: inside a span there is nothing to ask. What is removed from a
// span while the loop is in it reads as the zero T there; else the rules of [Pool] hold.
// Cost: O(Len/64), and O(1) per run; never allocates.
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

// Chunk is a block of a [Pool]: 64 slots, of which those are live that have a bit in Mask, bit i
// for Values[i], whose index is First + i. Vacant slots hold the zero T.
type Chunk[T any] struct {
	First  int
	Mask   uint64
	Values *[blockSlots]T
}

// Chunks returns a loop over the blocks that hold values: the values and their mask. A Chunk's mask
// is that of when it is handed out. Between two chunks, the rules of [Pool] hold.
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

// addBlocks takes n more blocks of the arena, and reports false if it has no room for all.
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
