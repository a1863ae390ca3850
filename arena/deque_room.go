package arena

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/seed505807e1/berth/internal/limits"
)

// promise is room reserved at one end of a Deque: n values from place at on, outwards. It is
// updated when that end moves on to another block. Until then, n may be more than what is left.
type promise struct{ n, at int }

// left returns what is left of p when the end is at place at. Pops do not add to it.
func (p promise) left(at int) int { return max(0, p.n-max(0, at-p.at)) }

// need returns the number of blocks that n values take beyond the room for rest of them.
func (d *Deque[T]) need(n, rest int) int {
	if n <= rest {
		return 0
	}
	return (n-rest-1)>>d.shift + 1
}

// places returns the places of both ends in the sequence of all values ever, counted outwards.
func (d *Deque[T]) places() (back, front int) {
	return d.origin + (d.used-1)<<d.shift + len(d.back), -d.origin - d.fi
}

// promised returns the room still reserved at both ends.
func (d *Deque[T]) promised() (back, front int) {
	if d.toBack.n|d.toFront.n == 0 {
		return 0, 0
	}
	b, f := d.places()
	return d.toBack.left(b), d.toFront.left(f)
}

// settle updates the promises.
func (d *Deque[T]) settle() {
	if d.toBack.n|d.toFront.n != 0 {
		back, front := d.promised()
		d.promise(back, front)
	}
}

// promise reserves room for back and front values from here on.
func (d *Deque[T]) promise(back, front int) {
	b, f := d.places()
	d.toBack, d.toFront = promise{back, b}, promise{front, f}
}

// lacks returns the number of spare blocks missing for both promises, if the blocks at the ends
// have room for back and front values. It is negative if some are left over.
func (d *Deque[T]) lacks(back, front int) int {
	b, f := d.promised()
	return d.need(b, back) + d.need(f, front) - (d.blocks - d.used)
}

// rest returns the room in the blocks at the ends.
func (d *Deque[T]) rest() (back, front int) { return cap(d.back) - len(d.back), d.fi }

// turnTo makes both ends meet at place i of the only block, which is empty.
func (d *Deque[T]) turnTo(i int) {
	d.origin += d.fi - i
	d.fi = i
	d.back = d.front[:i]
}

// FreeBack returns the number of values that can be pushed at the back without growth, if none is
// pushed at the front meanwhile. Spare blocks count for both ends, except for those reserved at the
// front.
//
// Cost: O(1).
func (d *Deque[T]) FreeBack() int {
	if d.blocks == 0 {
		d.mem.check("Deque.FreeBack")
		return 0
	}
	back, front := d.rest()
	if back == 0 && !d.some() { // the block may turn, or the result is 0
		back, front = 1<<d.shift, 0
	}
	_, f := d.promised()
	return (d.blocks-d.used-d.need(f, front))<<d.shift + back
}

// FreeFront returns the number of values that can be pushed at the front without growth, if none is
// pushed at the back meanwhile. Spare blocks count for both ends, except for those reserved at the
// back.
//
// Cost: O(1).
func (d *Deque[T]) FreeFront() int {
	if d.blocks == 0 {
		d.mem.check("Deque.FreeFront")
		return 0
	}
	back, front := d.rest()
	if front == 0 && !d.some() { // as in FreeBack
		back, front = 0, 1<<d.shift
	}
	b, _ := d.promised()
	return (d.blocks-d.used-d.need(b, back))<<d.shift + front
}

// ReserveBack reserves room for n more values at the back. The reservation holds whatever is pushed
// and popped at either end, until n values have been pushed at the back or [Deque.Clear] is called.
// A reservation at the front holds as well. ReserveBack reports false, and changes nothing, if the
// arena has no room for both. It panics if n is negative.
//
// Cost: O(n/Block).
func (d *Deque[T]) ReserveBack(n int) bool {
	d.checkReserve("ReserveBack", n)
	_, front := d.promised()
	return d.reserve(n, front)
}

// ReserveFront is [Deque.ReserveBack] for the front.
//
// Cost: O(n/Block).
func (d *Deque[T]) ReserveFront(n int) bool {
	d.checkReserve("ReserveFront", n)
	back, _ := d.promised()
	return d.reserve(back, n)
}

func (d *Deque[T]) checkReserve(fn string, n int) {
	if n < 0 {
		panic(fmt.Sprintf("arena: Deque.%s: negative count (got %d)", fn, n))
	}
	d.mem.check("Deque." + fn)
}

// reserve raises the reservations at both ends to back and front values.
func (d *Deque[T]) reserve(back, front int) bool {
	b, f := d.promised()
	back, front = max(back, b), max(front, f)
	if front > math.MaxInt-back {
		return false
	}
	block := 1 << d.shift
	if d.blocks == 0 {
		n := d.need(back, 0) + d.need(front, 0)
		if n == 0 || !d.addBlocks(n) {
			return n == 0
		}
	}
	atBack, atFront := d.rest()
	most := d.need(back, atBack) + d.need(front, atFront)
	at := -1 // where the ends should meet
	if !d.some() {
		for _, i := range [...]int{0, block, min(front, block), block - min(back, block)} {
			if n := d.need(back, block-i) + d.need(front, i); n < most {
				most, at = n, i
			}
		}
	}
	if n := most - (d.blocks - d.used); n > 0 && !d.addBlocks(n) {
		return false
	}
	if at >= 0 {
		d.turnTo(at)
	}
	d.promise(back, front)
	d.changed()
	return true
}

// maxNothingBlocks is the most blocks of a Deque of zero-size values. Any number of them fits in an
// arena, but their table does not fit on Go's heap.
const maxNothingBlocks = 1 << 12

// addBlocks takes n more blocks of the arena. It reports false if the arena lacks room for all.
func (d *Deque[T]) addBlocks(n int) bool {
	if n > limits.MaxBytes>>d.shift || n > limits.MaxBytes/64-d.blocks || // room in the table
		unsafe.Sizeof(*new(T)) == 0 && n > maxNothingBlocks-d.blocks {
		return false
	}
	s, ok := allocateDirty[T](&d.mem, n<<d.shift)
	if !ok {
		return false
	}
	d.growRing(d.blocks + n)
	size := 1 << d.shift
	for i := range n {
		d.ring[(d.first+d.blocks+i)&(len(d.ring)-1)] = s[i*size : (i+1)*size : (i+1)*size]
	}
	d.blocks += n
	if d.used == 0 {
		d.used = 1
		d.front = d.ring[d.first]
		d.back = d.front[:0]
	}
	return true
}
