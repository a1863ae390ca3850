package arena

import (
	"fmt"
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth/internal/plain"
)

// Nested is a [Vec] without pointers, so it can itself lie in an arena. A Vec of Nested is a Vec of
// Vecs, a struct can contain lists, and the values of a [Map] can be lists. A Nested records where
// in its arena its values are, but not which arena that is. The caller passes the arena to each
// call, and a different arena makes the call panic. The zero Nested is empty. It grows like a Vec.
//
// Copying a Nested is like copying a slice header: both copies share their values until one of them
// grows. Slices are valid until it grows or its memory is rewound. A Nested whose memory has been
// rewound panics when it is used.
//
// Only a list can be nested. A [Deque], a [Pool], a [Handles] and a [Map] have tables on Go's heap,
// which the collector would not find from an arena. Their arena also keeps pointers to them, to
// notify them of a rewind, and these would be wrong once the container around them moved. Such a T
// is refused. Instead of containers inside values, share one container:
//
//   - A Map of Maps is one Map whose key is a struct of both keys.
//   - Queues share a Pool of links. Each queue is the indices of its first and last link, and any
//     of them can use all of the room.
//   - Pools share one Pool or Handles. Each owner has a Nested of its indices or handles.
//
// Containers that must be separate belong in a slice of pointers on Go's heap. Store their index in
// the arena.
//
// The values of a Nested are not part of the encoding of the container around it, so a type that
// holds a Nested cannot be marshalled.
type Nested[T any] struct {
	_      phantom[T]
	epoch  uint64
	end    uint64 // the position at which its memory ends
	serial uint32 // of the arena; 0 without memory
	chunk  uint32
	len    uint32
	cap    uint32
}

// maxNested is the most values of a Nested.
const maxNested = min(math.MaxInt, math.MaxUint32)

// phantom mentions T and takes no space.
type phantom[T any] struct{}

// Len returns the number of values. It panics if v's memory has been rewound.
//
// Cost: O(1). It looks up the arena, which costs more than one call of Slice.
func (v *Nested[T]) Len() int {
	v.checkAlone("Len")
	return int(v.len)
}

// Cap returns the number of values for which v has memory. It panics if that memory has been
// rewound.
//
// Cost: O(1), as Len.
func (v *Nested[T]) Cap() int {
	v.checkAlone("Cap")
	return int(v.cap)
}

// String returns the type and number of the values, as in "arena.Nested[int64](3 of 64 values)".
//
// Cost: allocates the string.
func (v *Nested[T]) String() string {
	v.checkAlone("String")
	return fmt.Sprintf("arena.Nested[%v](%d of %d values)", plain.TypeFor[T](), v.Len(), v.Cap())
}

// Slice returns the values, which lie in a. The slice is valid until v grows. Slice panics if a is
// not the arena of v, or if v's memory has been rewound.
//
// Cost: O(1).
//
//berth:lends r0
func (v *Nested[T]) Slice(a *Arena) []T {
	return v.whole(a, "Slice")[:v.len:v.len]
}

// All returns an iterator over indices and pointers to the values that are present when the loop
// begins, first to last. It panics as Slice does.
//
// Cost: O(Len); never allocates.
//
//berth:lends y1
func (v *Nested[T]) All(a *Arena) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		s := v.Slice(a)
		epoch, end := v.epoch, int(v.end) // v itself may lie in memory that the body rewinds
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
//
// Cost: amortised O(1).
//
// Ends: slices of v, if it moves.
//
//berth:ends all
func (v *Nested[T]) Push(a *Arena, x T) bool { return v.Append(a, x) }

// Append appends xs. It reports false, and changes nothing, if a has no room for all. It panics as
// Slice does, and if T holds Go pointers.
//
// Cost: amortised O(len(xs)).
//
// Ends: slices of v, if it moves.
//
//berth:ends all
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

// Pop removes and returns the last value. It reports false if v is empty. It panics as Slice does.
//
// Cost: O(1).
func (v *Nested[T]) Pop(a *Arena) (x T, ok bool) {
	s := v.Slice(a)
	if len(s) == 0 {
		return x, false
	}
	v.len--
	return s[len(s)-1], true
}

// Clear removes all values, and keeps the memory. A Nested whose memory has been rewound becomes
// usable again, and is empty.
//
// Cost: O(1), as Len.
//
//berth:revives
func (v *Nested[T]) Clear() {
	if v.rewound(v.arena()) {
		*v = Nested[T]{}
	}
	v.len = 0
}

// arena returns the arena of v's memory. It is nil if v has no memory, or if the arena has been
// collected.
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

// checkAlone panics if v's memory has been rewound. The caller has not passed the arena.
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

// arenas finds arenas by number, for the methods of Nested without an arena argument. It does not
// keep them alive.
var arenas struct {
	last     atomic.Uint32
	byNumber sync.Map // of weak.Pointer[Arena], by uint32
}

// number returns the number of a, which is unique.
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
