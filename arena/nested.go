package arena

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Nested is a [Vec] without pointers, so that it can lie in an arena itself: a Vec of Nested is a
// Vec of Vecs, a struct that holds one has a list of its own, and the values of a [Map] can be
// lists. It knows where in its arena its values are, and must be told which arena that is at each
// call; with another one it panics. The zero Nested is empty. It grows as Vec does.
//
// To copy a Nested is to copy the header of a slice: both copies have the same values, until one of
// them grows. Slices are good until it grows, and until its memory is rewound; it panics when it is
// used then.
//
// Only a list nests. A [Deque], a [Pool], a [Handles] and a [Map] have tables on Go's heap, and
// their arena points to them, to tell them of a rewind. The collector would not see these tables
// from an arena, and a value that moves with the container around it would not be told. So such a T
// is refused. Containers that would lie in values can share one instead:
//
//   - A Map of Maps is one Map whose key is a struct of both keys.
//   - Queues share a Pool of links. Each queue is the indices of its first and last link, and the
//     room of one serves all.
//   - Pools share one Pool or Handles. Each owner has a Nested of its indices or handles.
//
// Containers that must be apart lie in a slice of pointers on Go's heap, and their index in the
// arena.
//
// What a Nested names is not in the bytes that the container around it is marshalled to, so a type
// that holds one cannot be marshalled.
type Nested[T any] struct {
	_      phantom[T]
	epoch  uint64
	end    uint64 // the position behind its memory
	serial uint32 // of the arena; 0 without memory
	chunk  uint32
	len    uint32
	cap    uint32
}

// maxNested is how many values a Nested has at most.
const maxNested = min(math.MaxInt, math.MaxUint32)

// phantom mentions T, and takes no room.
type phantom[T any] struct{}

// Len returns the number of values. It panics if v's memory has been rewound.
// Cost: O(1): it looks up the arena, which costs more than Slice(a) once.
func (v *Nested[T]) Len() int {
	v.checkAlone("Len")
	return int(v.len)
}

// Cap returns how many values the memory holds that v has. It panics if that has been rewound.
// Cost: O(1), as Len.
func (v *Nested[T]) Cap() int {
	v.checkAlone("Cap")
	return int(v.cap)
}

// String returns the type of the values and how many there are, as in
// "arena.Nested[int64](3 of 64 values)".
// Cost: allocates the string.
func (v *Nested[T]) String() string {
	v.checkAlone("String")
	return fmt.Sprintf("arena.Nested[%v](%d of %d values)", reflect.TypeFor[T](), v.Len(), v.Cap())
}

// Slice returns the values, which lie in a. It is good until v grows. It panics if a is another
// arena than v's, or has been rewound.
// Cost: O(1).
func (v *Nested[T]) Slice(a *Arena) []T {
	return v.whole(a, "Slice")[:v.len:v.len]
}

// All returns a loop over the values and their indices, first to last: those that are there when it
// begins. It panics as Slice does.
// Cost: O(Len); never allocates.
func (v *Nested[T]) All(a *Arena) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		s := v.Slice(a)
		epoch, end := v.epoch, int(v.end) // v itself may lie in what the body rewinds
		for i := range s {
			if !yield(i, &s[i]) {
				return
			}
			if a.past.epoch != epoch && !a.past.holds(epoch, end) {
				panicRewound("Nested.All")
			}
		}
	}
}

// Push appends x. It reports false, and changes nothing, if a has no room. It panics as Slice does,
// and if T holds Go pointers.
// Cost: amortised O(1).
// Ends: slices of v, if it moves.
func (v *Nested[T]) Push(a *Arena, x T) bool { return v.Append(a, x) }

// Append appends xs. It reports false, and changes nothing, if a has no room for all. It panics as
// Slice does, and if T holds Go pointers.
// Cost: amortised O(len(xs)).
// Ends: slices of v, if it moves.
func (v *Nested[T]) Append(a *Arena, xs ...T) bool {
	s := v.whole(a, "Append")[:v.len]
	if len(xs) > cap(s)-len(s) {
		mustHold[T](a, "Nested.Append")
		g, ok := grow(a, s, len(xs), maxNested)
		if !ok {
			return false
		}
		s = g
		v.serial, v.chunk, v.cap = a.number(), uint32(a.cur), uint32(cap(g))
		if v.end = uint64(a.position()); unsafe.Sizeof(*new(T)) == 0 {
			v.end = 0
		}
		v.epoch = a.past.observe(int(v.end))
	}
	s = append(s, xs...)
	v.len = uint32(len(s))
	return true
}

// Pop removes the last value and returns it, and reports false if there is none. It panics as Slice
// does.
// Cost: O(1).
func (v *Nested[T]) Pop(a *Arena) (x T, ok bool) {
	s := v.Slice(a)
	if len(s) == 0 {
		return x, false
	}
	v.len--
	return s[len(s)-1], true
}

// Clear removes all values, and keeps the memory. A Nested whose memory has been rewound is good
// again, and empty.
// Cost: O(1), as Len.
func (v *Nested[T]) Clear() {
	if v.rewound(v.arena()) {
		*v = Nested[T]{}
	}
	v.len = 0
}

// arena returns the arena that v's memory is in: nil if it has none, or nobody holds the arena.
func (v *Nested[T]) arena() *Arena {
	if v.serial == 0 {
		return nil
	}
	w, ok := arenas.byNumber.Load(v.serial)
	if !ok {
		return nil
	}
	return w.(weak.Pointer[Arena]).Value()
}

// rewound reports whether v's memory in a, which may be nil, has been rewound.
func (v *Nested[T]) rewound(a *Arena) bool {
	return a != nil && v.epoch != a.past.epoch && !a.past.holds(v.epoch, int(v.end))
}

// checkAlone panics if v's memory has been rewound, where nobody says which arena it is in.
func (v *Nested[T]) checkAlone(fn string) {
	if v.rewound(v.arena()) {
		panicRewound("Nested." + fn)
	}
}

// whole returns all of v's memory.
func (v *Nested[T]) whole(a *Arena, fn string) []T {
	switch {
	case v.serial == 0:
		return nil
	case v.serial != a.serial:
		panic("arena: Nested." + fn + ": its memory is in another arena")
	case v.rewound(a):
		panicRewound("Nested." + fn)
	}
	if unsafe.Sizeof(*new(T)) == 0 {
		return sliceBefore[T](nil, 0, int(v.cap))
	}
	c := &a.chunks[v.chunk]
	return sliceBefore[T](c.buf, int(v.end)-c.start, int(v.cap))
}

// arenas finds those that have a number, for the methods of Nested that are not told theirs. It
// does not keep them from being collected.
var arenas struct {
	last     atomic.Uint32
	byNumber sync.Map // of weak.Pointer[Arena], by uint32
}

// number returns a number that no other arena has.
func (a *Arena) number() uint32 {
	for a.serial == 0 {
		if n := arenas.last.Add(1); n != 0 {
			a.serial = n
			arenas.byNumber.Store(n, weak.Make(a))
			runtime.AddCleanup(a, func(n uint32) { arenas.byNumber.Delete(n) }, n)
		}
	}
	return a.serial
}
