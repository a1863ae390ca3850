package freelist

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
)

// CheckedPointers is a stack of pointers to the elements of a slice. It refuses a pointer to
// anything else, and one that is free already. On 64 bits it takes half the memory of a [Stack]
// made by [NewPointers], since it keeps indices, which the collector need not look at either. To
// find the index of a pointer takes some nanoseconds.
//
// The zero CheckedPointers holds nothing and takes nothing. A CheckedPointers may be moved until
// its first use, and must not be copied after; see [CheckedPointers.Clone]. Several goroutines need
// a lock around it. It keeps all elements of the slice from being collected.
//
// Invariants (checkInvariants): those of [Checked], and
//  3. there is one element for each index
type CheckedPointers[T any] struct {
	items []T
	free  Checked[uint32]

	// How Index guesses an index from an address. Where items lies does not change: taking its
	// address as a number keeps it off the stack, and nothing moves elsewhere.
	base    uintptr
	inverse uint64 // 2^64 divided by the size of an element, rounded up; 0 for a size of 1
}

// NewCheckedPointers returns a CheckedPointers of the pointers to the elements of items, of which
// the first is popped first. It panics if there are more than 2^32 of them, or if T has no size:
// then all pointers may be the same.
//
// If you append to items, Go may move them to a new array. The pointers handed out are those into
// the old one, and pointers into the new one are refused.
func NewCheckedPointers[T any](items []T) *CheckedPointers[T] {
	t := reflect.TypeFor[T]()
	checkSize[T]("NewCheckedPointers")
	free := newChecked[uint32]("NewCheckedPointers", len(items))
	return &CheckedPointers[T]{
		items, *free, reflect.ValueOf(items).Pointer(), math.MaxUint64/uint64(t.Size()) + 1,
	}
}

// Len returns how many are free.
// Cost: O(1).
func (c *CheckedPointers[T]) Len() int { return c.free.Len() }

// Cap returns how many there are, free or not.
// Cost: O(1).
func (c *CheckedPointers[T]) Cap() int { return c.free.Cap() }

// String returns the type of the entries and how many are free, as in
// "freelist.CheckedPointers[int](3 of 8 free)".
// Cost: allocates the string.
func (c *CheckedPointers[T]) String() string {
	return fmt.Sprintf("freelist.CheckedPointers[%v](%d of %d free)",
		reflect.TypeFor[T](), c.Len(), c.Cap())
}

// IsFree reports whether the element at p is free; false if p is no pointer to an element.
// Cost: O(1).
func (c *CheckedPointers[T]) IsFree(p *T) bool {
	i, ok := c.Index(p)
	return ok && c.free.IsFree(uint32(i))
}

// Index returns the index of the element at p, free or not, for arrays beside the elements; it
// reports false if p is nil or no pointer to an element.
// Cost: O(1); never allocates.
func (c *CheckedPointers[T]) Index(p *T) (i int, ok bool) {
	// The arithmetic only guesses: whether it is right is for the comparison of pointers to say.
	// The division by a multiplication is exact for what is a multiple of the size.
	k := uint64(reflect.ValueOf(p).Pointer() - c.base)
	if c.inverse != 0 {
		k, _ = bits.Mul64(k, c.inverse)
	}
	if k >= uint64(len(c.items)) || &c.items[k] != p {
		return 0, false
	}
	return int(k), true
}

// Pop takes the pointer that was pushed last. It reports false, with nil, if none is free.
// Cost: O(1); never allocates.
func (c *CheckedPointers[T]) Pop() (*T, bool) {
	i, ok := c.free.Pop()
	if !ok {
		return nil, false
	}
	return &c.items[i], true
}

// Push makes the element at p free again. It reports false, and changes nothing, if that is free
// already, or if p is nil or no pointer to an element.
// Cost: O(1); never allocates.
// Ends: the caller's claim to the element.
func (c *CheckedPointers[T]) Push(p *T) bool {
	i, ok := c.Index(p)
	return ok && c.free.Push(uint32(i))
}

// Clone returns an independent copy for the same elements: the same calls on either hand out the
// same. So it is for going back to, not for use beside the original.
// Cost: O(Cap); allocates the copy.
func (c *CheckedPointers[T]) Clone() *CheckedPointers[T] {
	return &CheckedPointers[T]{c.items, *c.free.Clone(), c.base, c.inverse}
}

// Reset makes all free again, in the order of a new CheckedPointers.
// Cost: O(Cap); never allocates.
// Ends: every claim to what was popped.
func (c *CheckedPointers[T]) Reset() { c.free.Reset() }

// Clear makes none free. It is for a program whose elements are all in use at the start, or that
// loads which are: it pushes those that are free, in any order. To bring all back, use Reset.
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
