package arena

import (
	"fmt"
	"iter"
	"math/bits"
	"unsafe"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
)

// DequeConfig tunes [NewDeque]. Its zero value is the default.
type DequeConfig struct {
	// Block is the number of values in a block, rounded up to a power of two. 0 means as many as
	// fit in 4 KiB, but at least 16. A Deque of zero-size values has at most 4096 blocks.
	Block int
}

// Deque is a double-ended queue in an [Arena]: a sequence that grows and shrinks at both ends. It
// serves as a stack, a queue or an indexed list. Its values lie in blocks of equal size, which
// never move. A block that is emptied at one end is reused at either, so a queue of steady length
// runs forever in constant memory. The table of blocks lies on Go's heap, with a slice header for
// each block, so growth leaves no garbage in the arena.
//
// The zero Deque has no arena. It is empty, and every growth fails. A Deque must not be copied. A
// pointer is valid until its value is removed or its memory is rewound. A Deque whose memory has
// been rewound panics when it is used.
type Deque[T any] struct {
	// Invariants (checkInvariants):
	//  1. len(ring) is a power of two, or 0; exactly the blocks entries from first on, wrapping
	//     around, are not nil, and have 1<<shift values each
	//  2. front is ring[first], and back begins the block used-1 after it; 1 <= used <= blocks,
	//     and all are 0 without blocks
	//  3. values lie from place fi of front to the last of back; fi < len(front) and len(back) > 0
	//     if there are any; if there are none, then used <= 1 and fi == len(back)
	//  4. the spare blocks suffice for the reservations at both ends; without blocks, there are
	//     none

	_   nocopy.NoCopy
	mem memory

	front  []T // the block of the first value
	back   []T // the block of the last value, up to that value
	fi     int // place of the first value in front
	origin int // number of front's place 0 in the sequence of all values ever, for loops

	ring   [][]T
	first  int // index of front in ring
	used   int // number of blocks from front to back
	blocks int // number of all blocks; those after back are spare
	shift  uint8

	toBack, toFront promise // reservations
}

// NewDeque returns an empty Deque in a. If a is nil, every growth fails. It panics if T holds Go
// pointers, if c.Block is negative, or if a block would not fit in any memory.
//
// Cost: O(1); allocates the Deque on Go's heap, and takes nothing from a.
//
//berth:housed r0 of a
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
//
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

// Cap returns the number of values for which d has blocks.
//
// Cost: O(1).
func (d *Deque[T]) Cap() int {
	d.mem.check("Deque.Cap")
	return d.blocks << d.shift
}

// String returns the type and number of the values, as in "arena.Deque[int](3 of 64 values)".
//
// Cost: allocates the string.
func (d *Deque[T]) String() string {
	d.mem.check("Deque.String")
	return fmt.Sprintf("arena.Deque[%v](%d of %d values)", plain.TypeFor[T](), d.Len(), d.Cap())
}

// Block returns the number of values in a block.
//
// Cost: O(1).
func (d *Deque[T]) Block() int {
	d.mem.check("Deque.Block")
	return 1 << d.shift
}

// At returns value i, counted from 0 at the front. Like a slice, it panics if i is out of range.
//
// Cost: O(1).
func (d *Deque[T]) At(i int) T {
	if uint(i) >= uint(d.length()) {
		d.mem.check("Deque.At")
		panic("arena: Deque.At: index out of range")
	}
	return *d.at(i)
}

// Ptr returns a pointer to value i, or nil if i is out of range. The pointer is valid until that
// value is removed.
//
// Cost: O(1).
//
//berth:lends r0
func (d *Deque[T]) Ptr(i int) *T {
	if uint(i) >= uint(d.length()) {
		d.mem.check("Deque.Ptr")
		return nil
	}
	return d.at(i)
}

// at returns a pointer to value i, which must exist.
func (d *Deque[T]) at(i int) *T {
	p := d.fi + i
	b := d.ring[(d.first+p>>d.shift)&(len(d.ring)-1)]
	return &b[p&(len(b)-1)]
}

// Front returns the first value. It reports false if d is empty.
//
// Cost: O(1).
func (d *Deque[T]) Front() (v T, ok bool) {
	if !d.some() {
		d.mem.check("Deque.Front")
		return v, false
	}
	return d.front[d.fi], true
}

// Back returns the last value. It reports false if d is empty.
//
// Cost: O(1).
func (d *Deque[T]) Back() (v T, ok bool) {
	if !d.some() {
		d.mem.check("Deque.Back")
		return v, false
	}
	return d.back[len(d.back)-1], true
}

// PushBack appends v at the back. It reports false, and changes nothing, if the arena has no room.
//
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

// more makes the next block the back, which is full.
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
//
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

// prepend makes the last spare block the front.
func (d *Deque[T]) prepend() {
	mask := len(d.ring) - 1
	last := (d.first + d.blocks - 1) & mask
	d.front = d.ring[last]
	d.ring[last] = nil
	d.first = (d.first - 1) & mask
	d.ring[d.first] = d.front
	d.used++
}

// PopFront removes and returns the first value. It reports false if d is empty.
//
// Cost: O(1).
//
// Ends: pointers to it.
//
//berth:ends some
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

// leaveFront moves on to the next block and makes the front one spare. If no value is left, it
// starts over in the same block, unless a reservation at the front prevents that.
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

// PopBack removes and returns the last value. It reports false if d is empty.
//
// Cost: O(1).
//
// Ends: pointers to it.
//
//berth:ends some
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

// Clear removes all values. It keeps the blocks, for use at both ends. A Deque whose memory has
// been rewound becomes usable again, and is empty.
//
// Cost: O(1).
//
// Ends: pointers to values, and reservations.
//
//berth:ends emptied
//berth:revives
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

// CopyTo copies values from the front into dst until dst is full or no value is left, and returns
// the number copied.
//
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

// Spans returns an iterator over the values, first to last, as slices of adjacent values, each with
// the index of its first value. A span holds at most one block. It is d's own memory, and is valid
// until one of its values is removed. The rules of [Deque.All] apply.
//
// Cost: O(Len/Block); never allocates.
//
//berth:lends y1
func (d *Deque[T]) Spans() iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		p := d.origin + d.fi
		end := p + d.length()
		for {
			d.mem.check("Deque.Spans")
			head := d.origin + d.fi // it may wrap, so only differences matter
			i := max(p-head, 0)
			n := min(end-head, d.length()) - i
			if n <= 0 {
				return
			}
			b := d.ring[(d.first+(d.fi+i)>>d.shift)&(len(d.ring)-1)]
			lo := (d.fi + i) & (len(b) - 1)
			s := b[lo:min(len(b), lo+n)]
			p = head + i + len(s)
			if !yield(i, s[:len(s):len(s)]) {
				return
			}
		}
	}
}

// All returns an iterator over indices and pointers to the values, first to last. The body may
// change d. A value that is present throughout the loop is visited exactly once. A value removed
// before its turn is not visited. A value pushed during the loop is not visited either, unless it
// takes the place of a value that the body popped.
//
// Cost: O(Len); never allocates.
//
//berth:lends y1
func (d *Deque[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		p := d.origin + d.fi
		for end := p + d.length(); ; p++ {
			d.mem.check("Deque.All")
			head := d.origin + d.fi // it may wrap, so only differences matter
			i := max(p-head, 0)
			if i >= min(end-head, d.length()) || !yield(i, d.at(i)) {
				return
			}
			p = head + i
		}
	}
}

func (d *Deque[T]) evict() {
	clear(d.ring) // the ring itself is kept for later blocks
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

// changed checks the invariants after a change if the tag berth_invariants is set.
func (d *Deque[T]) changed() {
	if invariants.On && checkNow(d.blocks) {
		d.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that d breaks, if any.
func (d *Deque[T]) checkInvariants() {
	if len(d.ring)&(len(d.ring)-1) != 0 || d.blocks > len(d.ring) {
		fail("Deque", 1, "%d blocks in a ring of %d", d.blocks, len(d.ring))
	}
	for i := range d.ring {
		b := d.ring[(d.first+i)&(len(d.ring)-1)]
		if (b != nil) != (i < d.blocks) || b != nil && len(b) != 1<<d.shift {
			fail("Deque", 1, "place %d of %d blocks has %d values", i, d.blocks, len(b))
		}
	}
	if d.blocks == 0 {
		if d.used != 0 || d.fi != 0 || d.front != nil || d.back != nil {
			fail("Deque", 2, "used %d of no blocks", d.used)
		}
		if d.toBack.n|d.toFront.n != 0 {
			fail("Deque", 4, "promises of %v and %v without blocks", d.toBack, d.toFront)
		}
		return
	}
	back := d.ring[(d.first+d.used-1)&(len(d.ring)-1)]
	if d.used < 1 || d.used > d.blocks || !sameStart(d.front, d.ring[d.first]) ||
		!sameStart(d.back, back) || cap(d.back) != len(back) {
		fail("Deque", 2, "front or back are not the first and last of %d in use", d.used)
	}
	if d.some() && (d.fi >= len(d.front) || len(d.back) == 0) ||
		!d.some() && (d.used > 1 || d.fi != len(d.back)) {
		fail("Deque", 3, "from %d in the first to %d in the last of %d", d.fi, len(d.back), d.used)
	}
	if n := d.lacks(d.rest()); n > 0 {
		back, front := d.promised()
		fail("Deque", 4, "%d blocks are missing for %d values at the back and %d at the front",
			n, back, front)
	}
}
