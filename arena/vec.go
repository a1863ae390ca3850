package arena

import (
	"fmt"
	"iter"
	"math"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
)

// Vec is a growing slice in an [Arena]. While it is the most recent allocation in its arena, it
// grows in place and returns the room that it does not need. Otherwise it moves when it grows, and
// its old memory stays unused until the arena is rewound. Alone in a virtual arena, it is an array
// that never moves, and is limited only by the reserve.
//
// The zero Vec has no arena. It is empty, and every growth fails. A Vec must not be copied; see
// [Vec.Clone]. Pointers are valid until it grows or its memory is rewound. A Vec whose memory has
// been rewound panics when it is used.
//
// Source: C. Wellons, "A simple, arena-backed, generic dynamic array for C" (2023), and the vector
// in the article on containers in memory arenas that the package documentation names.
type Vec[T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. the room of s lies in the arena, and ends at the end of the lease
	//  2. cap(s) is 0 if there is no arena

	mem memory
	s   []T
}

// NewVec returns an empty Vec in a. If a is nil, every growth fails. It panics if T holds Go
// pointers.
//
// Cost: O(1); allocates the Vec on Go's heap, and takes nothing from a.
//
//berth:housed r0 of a
func NewVec[T any](a *Arena) *Vec[T] {
	mustHold[T](a, "NewVec")
	v := new(Vec[T])
	v.mem.init(a, v)
	return v
}

// Len returns the number of values.
//
// Cost: O(1).
func (v *Vec[T]) Len() int { // inlined
	if len(v.s) == 0 {
		v.mem.check("Vec.Len")
	}
	return len(v.s)
}

// Cap returns the number of values for which v has memory.
//
// Cost: O(1).
func (v *Vec[T]) Cap() int {
	v.mem.check("Vec.Cap")
	return cap(v.s)
}

// String returns the type and number of the values, as in "arena.Vec[int](3 of 64 values)".
//
// Cost: allocates the string.
func (v *Vec[T]) String() string {
	v.mem.check("Vec.String")
	return fmt.Sprintf("arena.Vec[%v](%d of %d values)", plain.TypeFor[T](), v.Len(), v.Cap())
}

// At returns value i. Like a slice, it panics if i is out of range.
//
// Cost: O(1).
func (v *Vec[T]) At(i int) T {
	if uint(i) >= uint(len(v.s)) {
		v.mem.check("Vec.At")
	}
	return v.s[i]
}

// Ptr returns a pointer to value i, or nil if i is out of range. The pointer is valid until v
// grows.
//
// Cost: O(1).
//
//berth:lends r0 by i
func (v *Vec[T]) Ptr(i int) *T {
	if uint(i) >= uint(len(v.s)) {
		v.mem.check("Vec.Ptr")
		return nil
	}
	return &v.s[i]
}

// Slice returns the values as a slice of v's own memory, with no spare capacity. The slice is valid
// until v grows.
//
// Cost: O(1).
//
//berth:lends r0
func (v *Vec[T]) Slice() []T {
	v.mem.check("Vec.Slice")
	return v.s[:len(v.s):len(v.s)]
}

// Push appends x. It reports false, and changes nothing, if the arena has no room.
//
// Cost: amortised O(1).
//
// Ends: pointers to values, if v moves.
//
//berth:ends all
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

// Append appends xs. It reports false, and changes nothing, if the arena has no room for all of
// them.
//
// Cost: amortised O(len(xs)).
//
// Ends: pointers to values, if v moves.
//
//berth:ends all
func (v *Vec[T]) Append(xs ...T) bool {
	v.mem.check("Vec.Append")
	if len(xs) > cap(v.s)-len(v.s) && !v.grow(len(xs)) {
		return false
	}
	v.s = append(v.s, xs...)
	return true
}

// Pop removes and returns the last value. It reports false if v is empty.
//
// Cost: O(1).
//
// Ends: pointers to it.
//
//berth:ends some
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

// Reserve makes room for n values in total, where the Grow of other containers counts n more. It
// reports false, and changes nothing, if the arena has no room. It panics if n is negative.
//
// Cost: O(Len) if v moves, else O(1).
//
// Ends: pointers to values, if v moves.
//
//berth:ends all
func (v *Vec[T]) Reserve(n int) bool {
	if n < 0 {
		panic("arena: Vec.Reserve: negative count")
	}
	v.mem.check("Vec.Reserve")
	return n <= cap(v.s) || v.growTo(n)
}

// Resize sets the number of values to n, by removing values from the end or appending zeros. It
// reports false, and changes nothing, if the arena has no room. It panics if n is negative.
//
// Cost: O(n).
//
// Ends: pointers to removed values, and to all if v moves.
//
//berth:ends all
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

// Clip gives the room after the last value back to the arena, and reports whether it did.
// It can only if v is the most recent allocation in the arena, and no Mark or running Scope began
// within or after that room.
//
// Cost: O(1).
func (v *Vec[T]) Clip() bool {
	v.mem.check("Vec.Clip")
	return v.giveBack(len(v.s))
}

// Clear removes all values. If v is the most recent allocation in its arena, its memory is given
// back; otherwise v keeps it for later values. A Vec whose memory has been rewound becomes usable
// again, and is empty, so one Vec can serve many frames.
//
// Cost: O(1).
//
// Ends: pointers to values.
//
//berth:ends emptied
//berth:revives
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

// Clone returns a copy of v in a. It reports false if a has no room.
//
// Cost: O(Len).
func (v *Vec[T]) Clone(a *Arena) (*Vec[T], bool) {
	c := NewVec[T](a)
	return c, c.Append(v.Slice()...)
}

// Swap exchanges the values, memory and arenas of v and o. Pointers to values stay valid.
//
// Cost: O(1).
func (v *Vec[T]) Swap(o *Vec[T]) {
	v.mem.check("Vec.Swap")
	o.mem.check("Vec.Swap")
	v.mem.swap(&o.mem, v, o)
	v.s, o.s = o.s, v.s
}

// All returns an iterator over indices and pointers to the values, first to last. Values that the
// body appends are not visited, and neither are values that it removes before their turn.
//
// Cost: O(Len); never allocates.
//
//berth:lends y1
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

// grow makes room for n more values, and for as many again if possible.
func (v *Vec[T]) grow(n int) bool {
	return v.mem.usable() && v.moved(grow(v.mem.a, v.s, n, math.MaxInt))
}

// growTo makes room for exactly n values.
func (v *Vec[T]) growTo(n int) bool {
	return v.mem.usable() && v.moved(growTo(v.mem.a, v.s, n))
}

// moved sets the memory of v to s if ok is true. It returns ok.
func (v *Vec[T]) moved(s []T, ok bool) bool {
	if ok {
		v.s = s
		grew[T](&v.mem)
		if invariants.On {
			v.checkInvariants()
		}
	}
	return ok
}

// checkInvariants panics with the number of the invariant that v breaks, if any.
func (v *Vec[T]) checkInvariants() {
	if v.mem.a == nil && cap(v.s) > 0 {
		fail("Vec", 2, "room for %d without an arena", cap(v.s))
	}
	if bytes, _ := bytesFor[T](cap(v.s)); bytes > 0 && (v.mem.l.dead || v.mem.l.end < bytes) {
		fail("Vec", 1, "room for %d with a lease to %d", cap(v.s), v.mem.l.end)
	}
}
