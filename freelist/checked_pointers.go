package freelist

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
)

// CheckedPointers is a stack of pointers to the elements of a slice that refuses a double free. It
// also refuses a pointer to anything else. It stores indices, which the collector need not scan, so
// on 64-bit machines it takes half the memory of a [Stack] made by [NewPointers]. Finding the index
// of a pointer takes a few nanoseconds.
//
// The zero CheckedPointers has no elements. A CheckedPointers may be moved until its first use, and
// must not be copied after that; see [CheckedPointers.Clone]. If several goroutines use it, it
// needs a lock. It keeps the whole slice from being collected.
type CheckedPointers[T any] struct {
	// Invariants (checkInvariants): those of [Checked], and
	//  3. there is one element for each index

	items []T
	free  Checked[uint32]

	// base and inverse let Index compute an index from an address. The address of items does not
	// change: converting it to a number makes it escape to the heap, where nothing moves.
	base    uintptr
	inverse uint64 // 2^64 divided by the size of an element, rounded up; 0 for a size of 1
}

// NewCheckedPointers returns a CheckedPointers of the pointers to the elements of items, which are
// popped in order, the first one first. It panics if there are more than 2^32 elements, or if T has
// no size, since then all pointers may be equal.
//
// If you append to items, Go may move them to a new array. The CheckedPointers still hands out
// pointers into the old one, and refuses pointers into the new one.
func NewCheckedPointers[T any](items []T) *CheckedPointers[T] {
	t := reflect.TypeFor[T]()
	free := newChecked[uint32]("NewCheckedPointers", len(items))
	checkSize[T]("NewCheckedPointers")
	return &CheckedPointers[T]{
		items, *free, reflect.ValueOf(items).Pointer(), math.MaxUint64/uint64(t.Size()) + 1,
	}
}

// Len returns the number of free elements.
//
// Cost: O(1).
func (c *CheckedPointers[T]) Len() int { return c.free.Len() }

// Cap returns the number of all elements, free or not.
//
// Cost: O(1).
func (c *CheckedPointers[T]) Cap() int { return c.free.Cap() }

// String returns the type of the elements and the number of free ones, as in
// "freelist.CheckedPointers[int](3 of 8 free)".
//
// Cost: allocates the string.
func (c *CheckedPointers[T]) String() string {
	return fmt.Sprintf("freelist.CheckedPointers[%v](%d of %d free)",
		reflect.TypeFor[T](), c.Len(), c.Cap())
}

// IsFree reports whether the element at p is free. It is false if p does not point to an element.
//
// Cost: O(1).
func (c *CheckedPointers[T]) IsFree(p *T) bool {
	i, ok := c.Index(p)
	return ok && c.free.IsFree(uint32(i))
}

// Index returns the index of the element at p, free or not, for use with parallel arrays. It
// reports false if p is nil or does not point to an element.
//
// Cost: O(1); never allocates.
func (c *CheckedPointers[T]) Index(p *T) (i int, ok bool) {
	// The arithmetic is only a guess, which the comparison of pointers confirms. Dividing by
	// multiplication is exact for multiples of the size.
	k := uint64(reflect.ValueOf(p).Pointer() - c.base)
	if c.inverse != 0 {
		k, _ = bits.Mul64(k, c.inverse)
	}
	if k >= uint64(len(c.items)) || &c.items[k] != p {
		return 0, false
	}
	return int(k), true
}

// Pop takes the pointer that was pushed last. It returns nil and false if none is free.
//
// Cost: O(1); never allocates.
//
//berth:lends r0
func (c *CheckedPointers[T]) Pop() (*T, bool) {
	i, ok := c.free.Pop()
	if !ok {
		return nil, false
	}
	return &c.items[i], true
}

// Push makes the element at p free again. It reports false, and changes nothing, if the element is
// free already, or if p is nil or does not point to an element.
//
// Cost: O(1); never allocates.
//
// Ends: the caller's claim to the element.
//
//berth:ends by p
func (c *CheckedPointers[T]) Push(p *T) bool {
	i, ok := c.Index(p)
	return ok && c.free.Push(uint32(i))
}

// Clone returns an independent copy for the same elements. The same calls on both return the same
// pointers, so a copy is for returning to an earlier state, not for use beside the original.
//
// Cost: O(Cap); allocates the copy.
func (c *CheckedPointers[T]) Clone() *CheckedPointers[T] {
	return &CheckedPointers[T]{c.items, *c.free.Clone(), c.base, c.inverse}
}

// Reset makes all elements free, in the order of a new CheckedPointers.
//
// Cost: O(Cap); never allocates.
//
// Ends: all claims to popped elements.
//
//berth:ends emptied
func (c *CheckedPointers[T]) Reset() { c.free.Reset() }

// Clear makes no element free. Use it if all elements are in use at the start, or to restore a
// saved state, by then pushing the free elements in any order. To free all elements, use Reset.
//
// Cost: O(Cap); never allocates.
func (c *CheckedPointers[T]) Clear() { c.free.Clear() }

// checkInvariants panics with the number of the invariant that c breaks, if any.
func (c *CheckedPointers[T]) checkInvariants() {
	c.free.checkInvariants()
	if len(c.items) != c.free.Cap() {
		panic(fmt.Sprintf("freelist: CheckedPointers invariant 3: %d elements, %d indices",
			len(c.items), c.free.Cap()))
	}
}
