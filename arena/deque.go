package arena

import (
	"fmt"
	"iter"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/seed505807e1/berth/internal/nocopy"
)

// DequeConfig tunes [NewDeque]; its zero value is the default.
type DequeConfig struct {
	// Block is the number of values in a block, rounded up to a power of two; 0 is as many as
	// take 4 KiB, but at least 16. Of values without size there are 4096 blocks at most.
	Block int
}

// Deque is a sequence in an [Arena] that grows and shrinks at both ends: a stack, a queue, a list
// with indices. Its values lie in blocks of one size, which never move; a block that is used up at
// one end serves again at either, so a queue of steady length runs for ever in constant memory.
// The table of blocks lies on Go's heap, the size of a slice for each, so growth leaves nothing
// behind in the arena.
//
// The zero Deque has no arena: it is empty, and every growth fails. A Deque must not be copied.
// Pointers are good until their value is removed, and until its memory is rewound; a Deque whose
// memory has been rewound panics when it is used.
//
// Invariants (checkInvariants):
//  1. len(ring) is a power of two, or 0; exactly the blocks entries from first on, round the end,
//     are not nil, and have 1<<shift values each
//  2. front is ring[first], and back begins the block used-1 behind it; 1 <= used <= blocks, and
//     all 0 without blocks
//  3. values lie from place fi of front to the last of back; fi < len(front) and len(back) > 0 if
//     there are any; if there are none, then used <= 1 and fi == len(back)
//  4. the spare blocks are enough for what is promised to both ends; without blocks, nothing is
type Deque[T any] struct {
	_   nocopy.NoCopy
	mem memory

	front  []T // the block that the first value is in
	back   []T // the block that the last value is in, up to that
	fi     int // the first value's place in front
	origin int // front's place 0 in the sequence of all values ever, for loops

	ring   [][]T
	first  int // in ring: front
	used   int // blocks from front to back
	blocks int // all blocks; those behind back are spare
	shift  uint8

	toBack, toFront promise // reservations
}

// NewDeque returns an empty Deque in a, which may be nil. It panics if T holds Go pointers, or if
// c.Block is negative or more than a machine can have.
// Cost: O(1); allocates what is not in the arena, and takes nothing of a.
func NewDeque[T any](a *Arena, c DequeConfig) *Deque[T] {
	mustHold[T](a, "NewDeque")
	if _, ok := bytesFor[T](c.Block); !ok || c.Block < 0 || c.Block > 1<<30 {
		panic("arena: NewDeque: Block is negative, or too large")
	}
	if c.Block == 0 {
		c.Block = max(16, 4096/max(1, int(unsafe.Sizeof(*new(T)))))
	}
	d := &Deque[T]{shift: uint8(bits.Len(uint(c.Block - 1)))}
	d.mem.init(a, d)
	return d
}

// Len returns the number of values.
// Cost: O(1).
func (d *Deque[T]) Len() int { // inlined
	if d.used == 0 {
		d.mem.check("Deque.Len")
	}
	return d.length()
}

func (d *Deque[T]) length() int { return max((d.used-1)<<d.shift+len(d.back)-d.fi, 0) }

// some reports whether there is a value.
func (d *Deque[T]) some() bool { return d.used > 1 || len(d.back) > d.fi }

// Cap returns how many values the blocks hold that d has.
// Cost: O(1).
func (d *Deque[T]) Cap() int {
	d.mem.check("Deque.Cap")
	return d.blocks << d.shift
}

// String returns the type of the values and how many there are, as in
// "arena.Deque[int](3 of 64 values)".
// Cost: allocates the string.
func (d *Deque[T]) String() string {
	d.mem.check("Deque.String")
	return fmt.Sprintf("arena.Deque[%v](%d of %d values)", reflect.TypeFor[T](), d.Len(), d.Cap())
}

// Block returns the number of values in a block.
// Cost: O(1).
func (d *Deque[T]) Block() int {
	d.mem.check("Deque.Block")
	return 1 << d.shift
}

// At returns value i, the first being 0. It panics if there is none, as a slice does.
// Cost: O(1).
func (d *Deque[T]) At(i int) T {
	if uint(i) >= uint(d.length()) {
		d.mem.check("Deque.At")
		panic("arena: Deque.At: index out of range")
	}
	return *d.at(i)
}

// Ptr returns a pointer to value i, or nil if there is none.
// Cost: O(1). The pointer is good until that value is removed.
func (d *Deque[T]) Ptr(i int) *T {
	if uint(i) >= uint(d.length()) {
		d.mem.check("Deque.Ptr")
		return nil
	}
	return d.at(i)
}

// at returns value i, of which there is one.
func (d *Deque[T]) at(i int) *T {
	p := d.fi + i
	b := d.ring[(d.first+p>>d.shift)&(len(d.ring)-1)]
	return &b[p&(len(b)-1)]
}

// Front returns the first value, and reports false if there is none.
// Cost: O(1).
func (d *Deque[T]) Front() (v T, ok bool) {
	if !d.some() {
		d.mem.check("Deque.Front")
		return v, false
	}
	return d.front[d.fi], true
}

// Back returns the last value, and reports false if there is none.
// Cost: O(1).
func (d *Deque[T]) Back() (v T, ok bool) {
	if !d.some() {
		d.mem.check("Deque.Back")
		return v, false
	}
	return d.back[len(d.back)-1], true
}

// PushBack appends v behind the last value. It reports false, and changes nothing, if the arena has
// no room.
// Cost: amortised O(1); takes a block of the arena when none is spare.
func (d *Deque[T]) PushBack(v T) (ok bool) { // inlined
	if len(d.back) == cap(d.back) {
		if d.mem.stuck() {
			return
		}
	}
	d.back = append(d.back, v)
	return true
}

// more makes the next block the last one, which is full.
func (d *Deque[T]) more() bool {
	d.mem.check("Deque.PushBack")
	if d.blocks == 0 {
		return d.addBlocks(1)
	}
	d.settle()
	some, block, taken := d.some(), 1<<d.shift, 0
	front := 0
	if some {
		front, taken = d.fi, 1
	}
	if d.lacks(block, front)+taken > 0 && !d.addBlocks(1) {
		return false
	}
	if some {
		d.back = d.ring[(d.first+d.used)&(len(d.ring)-1)][:0]
		d.used++
	} else {
		d.turnTo(0)
	}
	return true
}

// PushFront puts v before the first value. It reports false, and changes nothing, if the arena has
// no room.
// Cost: amortised O(1); takes a block of the arena when none is spare.
func (d *Deque[T]) PushFront(v T) bool {
	if fi := d.fi - 1; uint(fi) < uint(len(d.front)) {
		d.front[fi] = v
		d.fi = fi
		return true
	}
	return d.pushFrontSlowly(v)
}

func (d *Deque[T]) pushFrontSlowly(v T) bool {
	d.mem.check("Deque.PushFront")
	if d.blocks == 0 && !d.addBlocks(1) {
		return false
	}
	if d.fi == 0 {
		d.settle()
		some, block, taken := d.some(), 1<<d.shift, 0
		back := 0
		if some {
			back, taken = cap(d.back)-len(d.back), 1
		}
		if d.lacks(back, block)+taken > 0 && !d.addBlocks(1) {
			return false
		}
		if some {
			d.prepend()
			d.fi = block
			d.origin -= block
		} else {
			d.turnTo(block)
		}
	}
	d.fi--
	d.front[d.fi] = v
	d.changed()
	return true
}

// prepend makes the last spare block the first of all.
func (d *Deque[T]) prepend() {
	mask := len(d.ring) - 1
	last := (d.first + d.blocks - 1) & mask
	d.front = d.ring[last]
	d.ring[last] = nil
	d.first = (d.first - 1) & mask
	d.ring[d.first] = d.front
	d.used++
}

// PopFront removes the first value and returns it, and reports false if there is none.
// Cost: O(1).
// Ends: pointers to it.
func (d *Deque[T]) PopFront() (v T, ok bool) {
	if d.fi >= len(d.front) || !d.some() {
		d.mem.check("Deque.PopFront")
		return v, false
	}
	v = d.front[d.fi]
	d.fi++
	if d.fi == len(d.front) {
		d.leaveFront()
	}
	return v, true
}

// leaveFront goes on to the next block, and makes the front one spare; or if there is no value left
// begins anew in the same one, unless what is promised to the front stands against it.
func (d *Deque[T]) leaveFront() {
	d.settle()
	if d.used == 1 {
		if d.lacks(1<<d.shift, 0) <= 0 {
			d.turnTo(0)
		}
		return
	}
	d.origin += len(d.front)
	d.fi = 0
	mask := len(d.ring) - 1
	d.ring[d.first] = nil
	d.ring[(d.first+d.blocks)&mask] = d.front
	d.first = (d.first + 1) & mask
	d.front = d.ring[d.first]
	d.used--
	d.changed()
}

// PopBack removes the last value and returns it, and reports false if there is none.
// Cost: O(1).
// Ends: pointers to it.
func (d *Deque[T]) PopBack() (v T, ok bool) {
	last := len(d.back) - 1
	if last < 0 || !d.some() {
		d.mem.check("Deque.PopBack")
		return v, false
	}
	v = d.back[last]
	d.back = d.back[:last]
	if last == 0 && d.used > 1 {
		d.leaveBack()
	}
	return v, true
}

// leaveBack makes the last block spare.
func (d *Deque[T]) leaveBack() {
	d.settle()
	d.used--
	d.back = d.ring[(d.first+d.used-1)&(len(d.ring)-1)]
	d.changed()
}

// Clear removes all values. It keeps the blocks, which serve both ends then. A Deque whose memory
// has been rewound is good again, and empty.
// Cost: O(1).
// Ends: pointers to values, and reservations.
func (d *Deque[T]) Clear() {
	if d.mem.revive() || d.used == 0 {
		return
	}
	d.origin += d.used << d.shift
	d.used, d.fi = 1, 0
	d.back = d.front[:0]
	d.toBack, d.toFront = promise{}, promise{}
	d.changed()
}

// CopyTo copies the values to dst, first to last, as far as it is long, and returns how many.
// Cost: O(n).
func (d *Deque[T]) CopyTo(dst []T) int {
	n := 0
	for _, s := range d.Spans() {
		if n += copy(dst[n:], s); n == len(dst) {
			break
		}
	}
	return n
}

// Spans returns a loop over the values, first to last, in runs that lie side by side: at most a
// block each, with the index of the first. A span is d's own memory, and good until one of its
// values is removed. The rules are those of [Deque.All].
// Cost: O(Len/Block); never allocates.
func (d *Deque[T]) Spans() iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		p := d.origin + d.fi
		end := p + d.length()
		for {
			d.mem.check("Deque.Spans")
			head := d.origin + d.fi // it may wrap, so only differences count
			i := max(p-head, 0)
			n := min(end-head, d.length()) - i
			if n <= 0 {
				return
			}
			b := d.ring[(d.first+(d.fi+i)>>d.shift)&(len(d.ring)-1)]
			lo := (d.fi + i) & (len(b) - 1)
			s := b[lo:min(len(b), lo+n)]
			p, end = head+i+len(s), head+i+n
			if !yield(i, s[:len(s):len(s)]) {
				return
			}
		}
	}
}

// All returns a loop over the values and their indices, first to last. Whatever its body does to d,
// each value that is there throughout the loop is visited exactly once; one that is removed before
// its turn is not visited, nor is one that is pushed in the loop, unless it takes the place of one
// that the body popped.
// Cost: O(Len); never allocates.
func (d *Deque[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		p := d.origin + d.fi
		for end := p + d.length(); ; p++ {
			d.mem.check("Deque.All")
			head := d.origin + d.fi // it may wrap, so only differences count
			i := max(p-head, 0)
			if i >= min(end-head, d.length()) || !yield(i, d.at(i)) {
				return
			}
			p = head + i
		}
	}
}

func (d *Deque[T]) evict() {
	clear(d.ring) // its place is kept for the next blocks
	d.front, d.back = nil, nil
	d.fi, d.first, d.used, d.blocks = 0, 0, 0, 0
	d.toBack, d.toFront = promise{}, promise{}
}

// growRing makes room for n blocks in the ring.
func (d *Deque[T]) growRing(n int) {
	if n <= len(d.ring) {
		return
	}
	ring := make([][]T, max(4, 1<<bits.Len(uint(n-1))))
	for i := range d.blocks {
		ring[i] = d.ring[(d.first+i)&(len(d.ring)-1)]
	}
	d.ring, d.first = ring, 0
}
