package arena

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/seed505807e1/berth/internal/limits"
)

// promise is room that was reserved at one end of a Deque: n values from place at on, outwards. It
// is brought up to date where an end goes on to another block; until then n may be more than what
// is left of it.
type promise struct{ n, at int }

// left returns what is left of p now that the end has come to place at. Pops do not renew it.
func (p promise) left(at int) int { return max(0, p.n-max(0, at-p.at)) }

// need returns how many blocks n values take that have room for rest without one.
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

// promised returns what both ends have been promised.
func (d *Deque[T]) promised() (back, front int) {
	if d.toBack.n|d.toFront.n == 0 {
		return 0, 0
	}
	b, f := d.places()
	return d.toBack.left(b), d.toFront.left(f)
}

// settle brings the promises up to date.
func (d *Deque[T]) settle() {
	if d.toBack.n|d.toFront.n != 0 {
		back, front := d.promised()
		d.promise(back, front)
	}
}

// promise promises so much from here on.
func (d *Deque[T]) promise(back, front int) {
	b, f := d.places()
	d.toBack, d.toFront = promise{back, b}, promise{front, f}
}

// lacks returns how many spare blocks are missing for both promises, if there is room for back and
// front values in the blocks at the ends; less than 0 if some are left.
func (d *Deque[T]) lacks(back, front int) int {
	b, f := d.promised()
	return d.need(b, back) + d.need(f, front) - (d.blocks - d.used)
}

// rest returns the room in the blocks at the ends.
func (d *Deque[T]) rest() (back, front int) { return cap(d.back) - len(d.back), d.fi }

// turnTo makes place i of the only block, which holds nothing, the one where both ends meet.
func (d *Deque[T]) turnTo(i int) {
	d.origin += d.fi - i
	d.fi = i
	d.back = d.front[:i]
}

// FreeBack returns how many values can be pushed at the back without growth, if none is pushed at
// the front meanwhile. Spare blocks serve both ends, but for those that are reserved for the front.
// Cost: O(1).
func (d *Deque[T]) FreeBack() int {
	if d.blocks == 0 {
		d.mem.check("Deque.FreeBack")
		return 0
	}
	back, front := d.rest()
	if back == 0 && !d.some() { // the block may turn, or what follows is 0
		back, front = 1<<d.shift, 0
	}
	_, f := d.promised()
	return (d.blocks-d.used-d.need(f, front))<<d.shift + back
}

// FreeFront returns how many values can be pushed at the front without growth, if none is pushed at
// the back meanwhile. Spare blocks serve both ends, but for those that are reserved for the back.
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

// ReserveBack makes room for n more values at the back, and keeps it: whatever is pushed and popped
// at either end, n values can be pushed at the back. What has been reserved at the front holds as
// well. It reports false, and changes nothing, if the arena has no room for both. It panics if n is
// negative. [Deque.Clear] ends a reservation.
// Cost: O(n/Block).
func (d *Deque[T]) ReserveBack(n int) bool {
	d.checkReserve("ReserveBack", n)
	_, front := d.promised()
	return d.reserve(n, front)
}

// ReserveFront is [Deque.ReserveBack] for the front.
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

// reserve promises so much to both ends, or what they have been promised already if that is more.
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

// maxNothingBlocks is how many blocks a Deque has at most of values without size, for which an
// arena has room without end, but Go's heap none for their table.
const maxNothingBlocks = 1 << 12

// addBlocks takes n more blocks of the arena, and reports false if it has no room for all.
func (d *Deque[T]) addBlocks(n int) bool {
	if n > limits.MaxBytes>>d.shift || n > limits.MaxBytes/64-d.blocks || // of their table
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
