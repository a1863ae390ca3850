package arena

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"unsafe"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
)

// Vec is a slice in an [Arena] that grows. As long as it is what was allocated last, it grows where
// it is, and gives back what it does not need; otherwise it moves when it grows, and leaves its old
// memory behind. With a virtual arena of its own it is an array
// without end, that never moves.
//
// The zero Vec has no arena: it is empty, and every growth fails. A Vec must not be copied; see
// [Vec.Clone]. Pointers are good until it grows, and until its memory is rewound; a Vec whose
// memory has been rewound panics when it is used.
//
// Invariants (checkInvariants):
//  1. the room of s lies in the arena, and ends at the end of the lease
//  2. cap(s) is 0 if there is no arena
//
// Source: C. Wellons, "A simple, arena-backed, generic dynamic array for C" (2023); the vector of
// the article on containers in memory arenas that this package goes by.
type Vec[T any] struct {
	_   nocopy.NoCopy
	mem memory
	s   []T
}

// NewVec returns an empty Vec in a, which may be nil. It panics if T holds Go pointers.
// Cost: O(1); allocates what is not in the arena, and takes nothing of a.
func NewVec[T any](a *Arena) *Vec[T] {
	mustHold[T](a, "NewVec")
	v := new(Vec[T])
	v.mem.init(a, v)
	return v
}

// Len returns the number of values.
// Cost: O(1).
func (v *Vec[T]) Len() int { // inlined
	if len(v.s) == 0 {
		v.mem.check("Vec.Len")
	}
	return len(v.s)
}

// Cap returns how many values the memory holds that v has.
// Cost: O(1).
func (v *Vec[T]) Cap() int {
	v.mem.check("Vec.Cap")
	return cap(v.s)
}

// String returns the type of the values and how many there are, as in
// "arena.Vec[int](3 of 64 values)".
// Cost: allocates the string.
func (v *Vec[T]) String() string {
	v.mem.check("Vec.String")
	return fmt.Sprintf("arena.Vec[%v](%d of %d values)", reflect.TypeFor[T](), v.Len(), v.Cap())
}

// At returns value i. It panics if there is none, as a slice does.
// Cost: O(1).
func (v *Vec[T]) At(i int) T {
	if uint(i) >= uint(len(v.s)) {
		v.mem.check("Vec.At")
	}
	return v.s[i]
}

// Ptr returns a pointer to value i, or nil if there is none.
// Cost: O(1). The pointer is good until v grows.
func (v *Vec[T]) Ptr(i int) *T {
	if uint(i) >= uint(len(v.s)) {
		v.mem.check("Vec.Ptr")
		return nil
	}
	return &v.s[i]
}

// Slice returns the values: v's own memory, without the room behind it. It is good until v grows.
// Cost: O(1).
func (v *Vec[T]) Slice() []T {
	v.mem.check("Vec.Slice")
	return v.s[:len(v.s):len(v.s)]
}

// Push appends x. It reports false, and changes nothing, if the arena has no room.
// Cost: amortised O(1).
// Ends: pointers to values, if v moves.
func (v *Vec[T]) Push(x T) (ok bool) { // inlined
	if len(v.s) == cap(v.s) {
		if v.mem.stuck() {
			return
		}
	}
	v.s = append(v.s, x)
	return true
}

func (v *Vec[T]) more() bool {
	v.mem.check("Vec.Push")
	return v.grow(1)
}

func (v *Vec[T]) evict() { v.s = nil }

// Append appends xs. It reports false, and changes nothing, if the arena has no room for all.
// Cost: amortised O(len(xs)).
// Ends: pointers to values, if v moves.
func (v *Vec[T]) Append(xs ...T) bool {
	v.mem.check("Vec.Append")
	if len(xs) > cap(v.s)-len(v.s) && !v.grow(len(xs)) {
		return false
	}
	v.s = append(v.s, xs...)
	return true
}

// Pop removes the last value and returns it, and reports false if there is none.
// Cost: O(1).
// Ends: pointers to it.
func (v *Vec[T]) Pop() (x T, ok bool) {
	n := len(v.s) - 1
	if n < 0 {
		v.mem.check("Vec.Pop")
		return x, false
	}
	x = v.s[n]
	v.s = v.s[:n]
	return x, true
}

// Reserve makes room for n values in all, so that as many can be pushed without growth. It reports
// false, and changes nothing, if the arena has no room. It panics if n is negative.
// Cost: O(Len) if v moves, else O(1).
// Ends: pointers to values, if v moves.
func (v *Vec[T]) Reserve(n int) bool {
	if n < 0 {
		panic("arena: Vec.Reserve: negative count")
	}
	v.mem.check("Vec.Reserve")
	return n <= cap(v.s) || v.growTo(n)
}

// Resize makes n the number of values: it cuts the last ones off, or appends zeros. It reports
// false, and changes nothing, if the arena has no room. It panics if n is negative.
// Cost: O(n).
// Ends: pointers to values that are cut off, and all if v moves.
func (v *Vec[T]) Resize(n int) bool {
	if n < 0 {
		panic("arena: Vec.Resize: negative count")
	}
	v.mem.check("Vec.Resize")
	if n > cap(v.s) && !v.growTo(n) {
		return false
	}
	old := len(v.s)
	v.s = v.s[:n]
	if n > old {
		clear(v.s[old:])
	}
	return true
}

// ShrinkToFit gives the room behind the last value back to the arena, and reports whether it could:
// only what was allocated last can be given back, and nothing that a Mark lies behind.
// Cost: O(1).
func (v *Vec[T]) ShrinkToFit() bool {
	v.mem.check("Vec.ShrinkToFit")
	return v.giveBack(len(v.s))
}

// Clear removes all values. If the memory was allocated last, it goes back to the arena; otherwise
// v keeps it for the values to come. A Vec whose memory has been rewound is good again, and empty:
// so one serves for many frames.
// Cost: O(1).
// Ends: pointers to values.
func (v *Vec[T]) Clear() {
	if v.mem.revive() {
		return
	}
	v.s = v.s[:0]
	v.giveBack(0)
}

// giveBack gives the room beyond n values back to the arena, and reports whether it did.
func (v *Vec[T]) giveBack(n int) bool {
	if cap(v.s) == n || !isLast(v.mem.a, v.s) {
		return false
	}
	bytes, _ := bytesFor[T](cap(v.s) - n)
	if !v.mem.giveBack(bytes, n == 0) {
		return false
	}
	if v.s = v.s[:len(v.s):n]; n == 0 {
		v.s = nil
	}
	return true
}

// Clone returns a copy of v in a, and reports false if a has no room.
// Cost: O(Len).
func (v *Vec[T]) Clone(a *Arena) (*Vec[T], bool) {
	c := NewVec[T](a)
	return c, c.Append(v.Slice()...)
}

// Swap swaps v and o: values, memory, arenas.
// Cost: O(1).
// Pointers stay good.
func (v *Vec[T]) Swap(o *Vec[T]) {
	v.mem.check("Vec.Swap")
	o.mem.check("Vec.Swap")
	v.mem.swap(&o.mem, v, o)
	v.s, o.s = o.s, v.s
}

// All returns a loop over the values and their indices, first to last. Values that the body appends
// are not visited, those that it cuts off before their turn neither.
// Cost: O(Len); never allocates.
func (v *Vec[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		v.mem.check("Vec.All")
		n := len(v.s)
		for i := 0; i < n; i++ {
			if !yield(i, &v.s[i]) {
				return
			}
			v.mem.check("Vec.All")
			n = min(n, len(v.s))
		}
	}
}

// grow makes room for n more values, and for as many again if it can.
func (v *Vec[T]) grow(n int) bool {
	if !v.mem.usable() {
		return false
	}
	s, ok := grow(v.mem.a, v.s, n, math.MaxInt)
	v.moved(s, ok)
	return ok
}

// growTo makes room for exactly n values.
func (v *Vec[T]) growTo(n int) bool {
	if !v.mem.usable() {
		return false
	}
	s, ok := growTo(v.mem.a, v.s, n)
	v.moved(s, ok)
	return ok
}

// moved takes over the memory s, if it is ok.
func (v *Vec[T]) moved(s []T, ok bool) {
	if !ok {
		return
	}
	v.s = s
	grew[T](&v.mem)
	if invariants.On {
		v.checkInvariants()
	}
}

// grow returns s with room for n more values, and if it can, for so many that a slice that grows by
// one is copied twice at most, all in all. It has room for most values at most.
func grow[T any](a *Arena, s []T, n, most int) ([]T, bool) {
	need := len(s) + n
	if need < 0 || need > most {
		return nil, false
	}
	few := max(2, baseAlign/max(1, int(unsafe.Sizeof(*new(T)))))
	if want := min(max(need, 2*cap(s), few), most); want > need {
		if g, ok := growTo(a, s, want); ok {
			return g, true
		}
	}
	return growTo(a, s, need)
}

// growTo returns s with room for n values, which is more than it has: where it is, if it is the
// last, or else copied.
func growTo[T any](a *Arena, s []T, n int) ([]T, bool) {
	if isLast(a, s) {
		if bytes, ok := bytesFor[T](n - cap(s)); ok && a.extend(bytes) {
			return lengthen(a, s, n), true
		}
	}
	g, ok := carve[T](a, n)
	if !ok {
		return nil, false
	}
	return g[:copy(g, s)], true
}
