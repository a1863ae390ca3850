package freelist

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
)

// Index is the constraint of index types.
type Index interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Stack is a free list in the form of a stack of indices, pointers or any small values. It starts
// full, with everything that it was made of. [Stack.Clear] makes it empty, to be filled by Push.
//
// A Stack does not check what is pushed. A value that is pushed twice is handed out twice, to two
// owners, and a value that was never popped is handed out as well. Only the number of values is
// checked: a full Stack refuses a Push, so after a double push the last rightful one is refused and
// its value is lost. [Checked] and [CheckedPointers] refuse such pushes, and take a bit more per
// entry.
//
// The zero Stack has no values. A Stack may be moved until its first use, and must not be copied
// after that; see [Stack.Clone]. If several goroutines use it, it needs a lock. It keeps what it
// has handed out, since Reset brings that back, so the target of a pointer in it is never
// collected.
type Stack[V any] struct {
	// Invariants (checkInvariants):
	//  1. top is in [0, len(free)]

	free []V // the free values are free[:top], followed by popped ones
	top  int
	fill func(free []V) // writes the initial values, the first one last
}

// NewIndices returns a Stack of the indices 0 to n-1, which are popped in ascending order. It
// panics if n is negative, if I cannot hold n-1, or if the indices would take more than 1 TiB.
// Below that, a machine without the memory ends the process, since Go cannot report that its heap
// is exhausted. This applies to all constructors of this package.
func NewIndices[I Index](n int) *Stack[I] {
	checkCount[I]("NewIndices", n)
	return newStack(n, fillIndices[I])
}

// NewPointers returns a Stack of the pointers to the elements of items, which are popped in order,
// the first one first. It keeps items, and so all of its elements, from being collected. It cannot
// tell nil or a pointer to something else from a pointer into items, and accepts either in Push.
// [CheckedPointers] refuses them. NewPointers panics if T has no size, or if the pointers would
// take more than 1 TiB.
//
// If you append to items, Go may move them to a new array. The Stack still hands out pointers into
// the old one, and writes through them do not reach the new one.
func NewPointers[T any](items []T) *Stack[*T] {
	checkSize[T]("NewPointers")
	checkRoom[*T]("NewPointers", len(items))
	return newStack(len(items), func(free []*T) {
		for i := range items {
			free[len(free)-1-i] = &items[i]
		}
	})
}

// NewValues returns a Stack of the values in vals, which are popped in order, the first one first.
// It keeps vals for Reset and does not change it. If you change vals, Reset brings back the new
// values. A value of one field is copied fastest: one of three small fields takes twice as long.
// NewValues panics if V has no size.
func NewValues[V any](vals []V) *Stack[V] {
	checkSize[V]("NewValues")
	return newStack(len(vals), func(free []V) {
		for i, v := range vals {
			free[len(free)-1-i] = v
		}
	})
}

func newStack[V any](n int, fill func([]V)) *Stack[V] {
	s := &Stack[V]{free: make([]V, n), fill: fill}
	s.Reset()
	return s
}

func fillIndices[I Index](free []I) {
	for i := range free {
		free[i] = I(len(free) - 1 - i)
	}
}

// checkCount panics for fn if I cannot number n entries.
func checkCount[I Index](fn string, n int) {
	t := reflect.TypeFor[I]()
	most := uint64(^I(0))
	switch {
	case n < 0:
		panic(fmt.Sprintf("freelist: %s: negative count %d", fn, n))
	case n > 0 && uint64(n-1) > most:
		panic(fmt.Sprintf("freelist: %s: %d indices do not fit %v, whose %d bits number only %d",
			fn, n, t, bits.Len64(most), most+1))
	}
	checkRoom[I](fn, n)
}

// checkRoom panics for fn if n values of V would take more than limits.MaxBytes.
func checkRoom[V any](fn string, n int) {
	if t := reflect.TypeFor[V](); n > limits.MaxBytes/int(t.Size()) {
		what := "indices"
		if t.Kind() == reflect.Pointer {
			what = "pointers"
		}
		panic(fmt.Sprintf("freelist: %s: %d %s do not fit any memory", fn, n, what))
	}
}

// checkSize panics for fn if a T takes no memory.
func checkSize[T any](fn string) {
	if t := reflect.TypeFor[T](); t.Size() == 0 {
		panic(fmt.Sprintf("freelist: %s: %v has no size, so values cannot be told apart", fn, t))
	}
}

// Grow adds n free indices to s, which NewIndices has made: those from Cap on. They are popped in
// ascending order, after those that are free already. It panics as NewIndices does.
//
// Cost: O(Cap); allocates a new array.
func Grow[I Index](s *Stack[I], n int) {
	was := len(s.free)
	if n > math.MaxInt-was {
		n = math.MaxInt - was
	}
	checkCount[I]("Grow", min(n, 0))
	checkCount[I]("Grow", was+n)
	free := make([]I, was+n)
	fillIndices(free)
	copy(free[n:], s.free)
	s.free, s.top, s.fill = free, s.top+n, fillIndices[I]
	if invariants.On {
		s.checkInvariants()
	}
}

// Len returns the number of free values.
//
// Cost: O(1).
func (s *Stack[V]) Len() int { return s.top }

// Cap returns the number of all values, free or not.
//
// Cost: O(1).
func (s *Stack[V]) Cap() int { return len(s.free) }

// String returns the type of the values and the number of free ones, as in
// "freelist.Stack[uint32](3 of 8 free)".
//
// Cost: allocates the string.
func (s *Stack[V]) String() string {
	return fmt.Sprintf("freelist.Stack[%v](%d of %d free)", reflect.TypeFor[V](), s.Len(), s.Cap())
}

// Pop takes the free value that was pushed last. It reports false if none is free.
//
// Cost: O(1); never allocates.
//
//berth:lends r0
func (s *Stack[V]) Pop() (v V, ok bool) {
	i := s.top - 1
	if uint(i) >= uint(len(s.free)) {
		return v, false
	}
	s.top = i
	if invariants.On {
		s.checkInvariants()
	}
	return s.free[i], true
}

// Push makes v free again. It reports false, and changes nothing, if all values are free already.
// It does not check v, and does not detect a double free; see [Stack].
//
// Cost: O(1); never allocates.
//
// Ends: the caller's claim to v.
//
//berth:ends by v
func (s *Stack[V]) Push(v V) bool {
	i := s.top
	if uint(i) >= uint(len(s.free)) {
		return false
	}
	s.free[i] = v
	s.top = i + 1
	if invariants.On {
		s.checkInvariants()
	}
	return true
}

// Clone returns an independent copy. The same calls on both return the same values. The initial
// values, which Reset brings back, are shared.
//
// Cost: O(Cap); allocates the copy.
func (s *Stack[V]) Clone() *Stack[V] {
	return &Stack[V]{free: slices.Clone(s.free), top: s.top, fill: s.fill}
}

// Reset makes all values free, in the order of a new Stack.
//
// Cost: O(Cap); never allocates.
//
// Ends: all claims to popped values.
//
//berth:ends emptied
func (s *Stack[V]) Reset() {
	s.top = len(s.free)
	if s.fill != nil {
		s.fill(s.free)
	}
	if invariants.On {
		s.checkInvariants()
	}
}

// Clear makes no value free. Use it if all entries are in use at the start, or to restore a saved
// state, by then pushing the free values in any order. To bring all back, use Reset. Pushed values
// are no longer kept, so the collector can free what they point to.
//
// Cost: O(Cap); never allocates.
func (s *Stack[V]) Clear() {
	clear(s.free)
	s.top = 0
	if invariants.On {
		s.checkInvariants()
	}
}

// checkInvariants panics with the number of the invariant that s breaks, if any.
func (s *Stack[V]) checkInvariants() {
	if s.top < 0 || s.top > len(s.free) {
		panic(fmt.Sprintf("freelist: Stack invariant 1: top %d of %d", s.top, len(s.free)))
	}
}
