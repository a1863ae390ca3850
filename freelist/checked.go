package freelist

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
)

// Checked is a [Stack] of indices that refuses a double free. It has a bit per index, so it refuses
// an index that is free already or out of range, and never hands out an index that is taken.
//
// The zero Checked has no indices. A Checked may be moved until its first use, and must not be
// copied after that; see [Checked.Clone]. If several goroutines use it, it needs a lock.
type Checked[I Index] struct {
	// Invariants (checkInvariants):
	//  1. bit i of free is set exactly when index i is on the stack, and is less than Cap
	//  2. no index is on the stack twice

	stack Stack[I]
	free  []uint64
}

// NewChecked returns a Checked of the indices 0 to n-1, which are popped in ascending order. It
// panics if n is negative, if I cannot hold n-1, or if the indices would take more than 1 TiB.
func NewChecked[I Index](n int) *Checked[I] { return newChecked[I]("NewChecked", n) }

func newChecked[I Index](fn string, n int) *Checked[I] {
	checkCount[I](fn, n)
	c := &Checked[I]{
		Stack[I]{free: make([]I, n), fill: fillIndices[I]}, make([]uint64, (uint(n)+63)/64),
	}
	c.Reset()
	return c
}

// Len returns the number of free indices.
//
// Cost: O(1).
func (c *Checked[I]) Len() int { return c.stack.Len() }

// Cap returns the number of all indices, free or not.
//
// Cost: O(1).
func (c *Checked[I]) Cap() int { return c.stack.Cap() }

// String returns the type of the indices and the number of free ones, as in
// "freelist.Checked[uint32](3 of 8 free)".
//
// Cost: allocates the string.
func (c *Checked[I]) String() string {
	return fmt.Sprintf("freelist.Checked[%v](%d of %d free)",
		reflect.TypeFor[I](), c.Len(), c.Cap())
}

// IsFree reports whether index i is free. It is false if i is out of range.
//
// Cost: O(1).
func (c *Checked[I]) IsFree(i I) bool {
	return uint64(i) < uint64(c.Cap()) && c.free[i>>6]>>(i&63)&1 != 0
}

// Pop takes the index that was pushed last. It reports false if none is free.
//
// Cost: O(1); never allocates.
func (c *Checked[I]) Pop() (i I, ok bool) {
	i, ok = c.stack.Pop()
	if ok {
		c.free[i>>6] &^= 1 << (i & 63)
	}
	if invariants.On {
		c.changed()
	}
	return i, ok
}

// Push makes index i free again. It reports false, and changes nothing, if i is free already or out
// of range.
//
// Cost: O(1); never allocates.
//
// Ends: the caller's claim to i.
//
//berth:ends other
func (c *Checked[I]) Push(i I) bool {
	if uint64(i) >= uint64(c.Cap()) {
		return false
	}
	w, bit := &c.free[i>>6], uint64(1)<<(i&63)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	c.stack.Push(i)
	if invariants.On {
		c.changed()
	}
	return true
}

// Clone returns an independent copy. The same calls on both return the same indices.
//
// Cost: O(Cap); allocates the copy.
func (c *Checked[I]) Clone() *Checked[I] {
	return &Checked[I]{*c.stack.Clone(), slices.Clone(c.free)}
}

// Reset makes all indices free, in the order of a new Checked.
//
// Cost: O(Cap); never allocates.
//
// Ends: all claims to popped indices.
//
//berth:ends other
func (c *Checked[I]) Reset() {
	c.stack.Reset()
	for k := range c.free {
		c.free[k] = whole(k, c.Cap())
	}
	if invariants.On {
		c.checkInvariants()
	}
}

// Clear makes no index free. Use it if all entries are in use at the start, or to restore a saved
// state, by then pushing the free indices in any order. To free all indices, use Reset.
//
// Cost: O(Cap); never allocates.
func (c *Checked[I]) Clear() {
	c.stack.Clear()
	clear(c.free)
	if invariants.On {
		c.checkInvariants()
	}
}

// whole returns word k of a bitmap of n set bits.
func whole(k, n int) uint64 {
	if k == n>>6 {
		return 1<<(n&63) - 1
	}
	return ^uint64(0)
}

// changed checks the invariants after a change: always if there are few entries, and now and then
// if there are many.
func (c *Checked[I]) changed() {
	if c.Cap() <= 1024 || c.Len()%256 == 0 {
		c.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that c breaks, if any.
func (c *Checked[I]) checkInvariants() {
	c.stack.checkInvariants()
	var sum uint64 // sum of a hash of each index; unlike a set, it does not allocate
	for _, i := range c.stack.free[:c.stack.top] {
		if !c.IsFree(i) {
			panic(fmt.Sprintf("freelist: Checked invariant 1: index %d is on the stack", i))
		}
		sum += invariants.Mix(int(i))
	}
	for k, w := range c.free {
		if w&^whole(k, c.Cap()) != 0 {
			panic(fmt.Sprintf("freelist: Checked invariant 1: word %d is %x", k, w))
		}
		for ; w != 0; w &= w - 1 {
			sum -= invariants.Mix(k<<6 + bits.TrailingZeros64(w))
		}
	}
	if sum != 0 {
		panic("freelist: Checked invariant 2: an index is missing from the stack, or on it twice")
	}
}
