package freelist

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/limits"
)

// Index is a type that numbers entries from 0.
type Index interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Stack is a stack of what is free: indices, pointers, or any small values. It starts full, which
// is to say that all it was made of is free. [Stack.Clear] makes it empty, to be filled by Push.
//
// It takes what it is given. What is pushed twice is on it twice, and will be handed out twice, to
// two owners; an index, pointer or value that was never popped is handed out as well. Only the
// number is checked: once it is full again, Push is refused, so that after a double push the last
// rightful one is, and is lost. [Checked] and [CheckedPointers] refuse both at a bit per entry.
//
// The zero Stack holds nothing and takes nothing. A Stack may be moved until its first use, and
// must not be copied after; see [Stack.Clone]. Several goroutines need a lock around it. It holds
// on to what it has handed out, since Reset brings it back, so a pointer in it is never collected.
//
// Invariants (checkInvariants):
//  1. top is in [0, len(free)]
type Stack[V any] struct {
	free []V // the free ones are free[:top]; behind them lies what was popped
	top  int
	fill func(free []V) // writes what the Stack was made of, the first one last
}

// NewIndices returns a Stack of the indices 0 to n-1, of which 0 is popped first, then 1, and so
// on. It panics if n is negative, if an I cannot number so many (a uint8 numbers 256), or if they
// would take more than 1 TiB. Below that a machine without the memory ends the process, since Go
// cannot report that its heap is exhausted. That is so of all constructors of this package.
func NewIndices[I Index](n int) *Stack[I] {
	checkCount[I]("NewIndices", n)
	return newStack(n, fillIndices[I])
}

// NewPointers returns a Stack of the pointers to the elements of items, of which the first is
// popped first. It keeps items, and so all of its elements from being collected. It cannot tell a
// pointer to something else, or nil, from one into items, and pushes either; [CheckedPointers] can.
// It panics if T has no size, or if the pointers would take more than 1 TiB.
//
// If you append to items, Go may move them to a new array. The Stack goes on to hand out pointers
// into the old one, and what is written through them is lost to the new.
func NewPointers[T any](items []T) *Stack[*T] {
	checkSize[T]("NewPointers")
	checkRoom[*T]("NewPointers", len(items))
	return newStack(len(items), func(free []*T) {
		for i := range items {
			free[len(free)-1-i] = &items[i]
		}
	})
}

// NewValues returns a Stack of the values of vals, of which the first is popped first. It keeps
// vals for Reset and does not change it; if you do, Reset brings back what you wrote, and not what
// was pushed. A value of one field is copied fastest: one of three small fields takes twice as
// long. It panics if V has no size.
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

// checkCount panics, in the name of fn, if n entries cannot be numbered by an I.
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

// checkRoom panics, in the name of fn, if no machine has room for n of V.
func checkRoom[V any](fn string, n int) {
	if t := reflect.TypeFor[V](); n > limits.MaxBytes/int(t.Size()) {
		what := "indices"
		if t.Kind() == reflect.Pointer {
			what = "pointers"
		}
		panic(fmt.Sprintf("freelist: %s: %d %s do not fit any memory", fn, n, what))
	}
}

// checkSize panics, in the name of fn, if a T takes no memory.
func checkSize[T any](fn string) {
	if t := reflect.TypeFor[T](); t.Size() == 0 {
		panic(fmt.Sprintf("freelist: %s: %v has no size, so none can be told from another", fn, t))
	}
}

// Len returns how many are free.
// Cost: O(1).
func (s *Stack[V]) Len() int { return s.top }

// Cap returns how many there are, free or not.
// Cost: O(1).
func (s *Stack[V]) Cap() int { return len(s.free) }

// String returns the type of the values and how many are free, as in
// "freelist.Stack[uint32](3 of 8 free)".
// Cost: allocates the string.
func (s *Stack[V]) String() string {
	return fmt.Sprintf("freelist.Stack[%v](%d of %d free)", reflect.TypeFor[V](), s.Len(), s.Cap())
}

// Pop takes one that is free: the one that was pushed last. It reports false if none is.
// Cost: O(1); never allocates.
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

// Push makes v free again. It reports false, and changes nothing, if all are free already. It does
// not check v: see [Stack] for what a v pushed twice does.
// Cost: O(1); never allocates.
// Ends: the caller's claim to v.
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

// Clone returns an independent copy: the same calls on either hand out the same. What the Stack was
// made of, which Reset brings back, is shared.
// Cost: O(Cap); allocates the copy.
func (s *Stack[V]) Clone() *Stack[V] {
	return &Stack[V]{free: slices.Clone(s.free), top: s.top, fill: s.fill}
}

// Reset makes all free again, in the order of a new Stack.
// Cost: O(Cap); never allocates.
// Ends: every claim to what was popped.
func (s *Stack[V]) Reset() {
	s.top = len(s.free)
	if s.fill != nil {
		s.fill(s.free)
	}
	if invariants.On {
		s.checkInvariants()
	}
}

// Clear makes none free. It is for a program whose entries are all in use at the start, or that
// loads which are: it pushes those that are free, in any order. To bring all back, use Reset. What
// was pushed is no longer held, so the garbage collector can free it.
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
