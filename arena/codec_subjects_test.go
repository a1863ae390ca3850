package arena

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/seed505807e1/berth/internal/layout"
	"github.com/seed505807e1/berth/internal/wire"
)

// coder is a container that can be marshalled.
type coder interface {
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// subject is a container with a type of values, and the operations that the tests need.
type subject struct {
	name string
	make func(a *Arena) coder
	zero func() coder
	// play performs operations that next chooses. It returns bytes.
	play func(c coder, next func() int)
	// dump returns the contents, as the public methods show them.
	dump func(c coder) string
	// sound panics if an invariant is broken.
	sound func(c coder)
	// frame returns contents in a frame whose chunks have at most size bytes.
	frame func(contents []byte, size int) []byte
}

type (
	codecTail   struct{ A, B uint8 }
	codecPadded struct {
		A bool
		B uint64
		C uint16
		_ uint32
		D [2]struct {
			X uint8
			Y int32
		}
		E [3]bool
	}
	codecMixed struct {
		codecTail
		F complex64
		G [2]codecPadded
		H struct{}
		I float64
		J Handle32[int]
	}
)

// codecSubjects are all containers, with many types. Committed fuzz inputs depend on their order:
// add new ones at the end.
var codecSubjects = []subject{
	vecSubject[uint64]("uint64"),
	vecSubject[bool]("bool"),
	vecSubject[codecPadded]("padded"),
	vecSubject[codecMixed]("mixed"),
	vecSubject[struct{}]("nothing"),
	vecSubject[int]("int"),
	vecSubject[complex128]("complex128"),
	vecSubject[[3]uint8]("3 bytes"),
	dequeSubject[uint16]("uint16", 4),
	dequeSubject[codecPadded]("padded", 2),
	dequeSubject[struct{}]("nothing", 16),
	dequeSubject[uint]("uint", 0),
	poolSubject[uint32]("uint32"),
	poolSubject[codecPadded]("padded"),
	poolSubject[struct{}]("nothing"),
	poolSubject[uintptr]("uintptr"),
	handlesSubject[uint32, Handle32[uint32]]("uint32"),
	handlesSubject[uint32, Handle64[uint32]]("uint32"),
	handlesSubject[codecPadded, Handle32[codecPadded]]("padded"),
	handlesSubject[struct{}, Handle64[struct{}]]("nothing"),
	mapSubject[uint16, uint32]("uint16, uint32"),
	mapSubject[codecTail, codecPadded]("tail, padded"),
	mapSubject[float32, bool]("float32, bool"),
	mapSubject[struct{}, uint8]("nothing, uint8"),
	mapSubject[bool, struct{}]("bool, nothing"),
	mapSubject[int, [2]int]("int, ints"),
}

// randomValue returns a value that next chooses.
func randomValue[T any](next func() int) T {
	var v [1]T
	l := layout.Of(reflect.TypeFor[T]())
	b := make([]byte, l.Encoded)
	for i := range b {
		b[i] = byte(next())
	}
	for i := l.Invalid(b); i >= 0; i = l.Invalid(b) {
		b[i] &= 1
	}
	l.Decode(bytesOf(v[:]), b)
	return v[0]
}

// textOf returns v as text, without its padding.
func textOf[T any](v T) string {
	return fmt.Sprintf("%x", layout.Of(reflect.TypeFor[T]()).Append(nil, bytesOf([]T{v})))
}

func vecSubject[T any](name string) subject {
	return subject{
		name: "Vec of " + name,
		make: func(a *Arena) coder { return NewVec[T](a) },
		zero: func() coder { return new(Vec[T]) },
		play: func(c coder, next func() int) {
			v := c.(*Vec[T])
			for range next() % 40 {
				if next()%4 == 0 {
					v.Pop()
				} else {
					v.Push(randomValue[T](next))
				}
			}
		},
		dump: func(c coder) (s string) {
			v := c.(*Vec[T])
			if unsafe.Sizeof(*new(T)) == 0 {
				return fmt.Sprint(v.Len())
			}
			for i, p := range v.All() {
				s += fmt.Sprintln(i, textOf(*p))
			}
			return s
		},
		sound: func(c coder) { c.(*Vec[T]).checkInvariants() },
	}.encode(wire.ArenaVec, mustCodec[T]())
}

func dequeSubject[T any](name string, block int) subject {
	return subject{
		name: "Deque of " + name,
		make: func(a *Arena) coder { return NewDeque[T](a, DequeConfig{Block: block}) },
		zero: func() coder { return new(Deque[T]) },
		play: func(c coder, next func() int) {
			d := c.(*Deque[T])
			for range next() % 40 {
				switch next() % 6 {
				case 0:
					d.PopFront()
				case 1:
					d.PopBack()
				case 2, 3:
					d.PushFront(randomValue[T](next))
				default:
					d.PushBack(randomValue[T](next))
				}
			}
		},
		dump: func(c coder) (s string) {
			d := c.(*Deque[T])
			if unsafe.Sizeof(*new(T)) == 0 {
				return fmt.Sprint(d.Len())
			}
			for i, p := range d.All() {
				s += fmt.Sprintln(i, textOf(*p), textOf(d.At(i)))
			}
			return s
		},
		sound: func(c coder) { c.(*Deque[T]).checkInvariants() },
	}.encode(wire.ArenaDeque, mustCodec[T]())
}

func poolSubject[T any](name string) subject {
	return subject{
		name: "Pool of " + name,
		make: func(a *Arena) coder { return NewPool[T](a) },
		zero: func() coder { return new(Pool[T]) },
		play: func(c coder, next func() int) {
			p := c.(*Pool[T])
			for range next() {
				if next()%3 == 0 {
					p.Remove(next() % 128)
				} else {
					p.Insert(randomValue[T](next))
				}
			}
		},
		dump: func(c coder) (s string) {
			for i, v := range c.(*Pool[T]).All() {
				s += fmt.Sprintln(i, textOf(*v))
			}
			return s
		},
		sound: func(c coder) {
			p := c.(*Pool[T])
			p.live.Check()
			if len(p.dir) > 0 {
				p.room.Check()
			}
			p.checkInvariants()
		},
	}.encode(wire.ArenaPool, mustCodec[T]())
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func allZero(b []byte) bool { return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) }

func handlesSubject[T any, H HandleOf[T]](name string) subject {
	return subject{
		name: fmt.Sprintf("Handles%d of %s", 2*indexBits[H](), name),
		make: func(a *Arena) coder { return NewHandles[T, H](a, HandlesConfig{Seed: 1}) },
		zero: func() coder { return new(Handles[T, H]) },
		play: func(c coder, next func() int) { playHandles(c.(*Handles[T, H]), next) },
		dump: func(c coder) (s string) {
			r := c.(*Handles[T, H])
			for h, v := range r.All() {
				s += fmt.Sprintln(text(h), textOf(*v))
			}
			return s + fmt.Sprintf("%x %d", r.base, r.gone)
		},
		sound: func(c coder) {
			r := c.(*Handles[T, H])
			r.live.Check()
			r.checkInvariants()
			if r.base > maxGeneration[H]() {
				panic(fmt.Sprintf("base = %d", r.base))
			}
		},
	}.encode(kindOf[H](), mustCodec[T]())
}

func playHandles[T any, H HandleOf[T]](r *Handles[T, H], next func() int) {
	var live []H
	for h := range r.All() {
		live = append(live, h)
	}
	for range next() {
		switch op := next() % 8; {
		case op == 0 && len(live) > 0, op == 1 && len(live) > 0:
			k := next() % len(live)
			r.Delete(live[k])
			live = slices.Delete(live, k, k+1)
		case op == 2: // fails, and so ages a slot
			func() {
				defer func() { _ = recover() }()
				_, _ = r.InsertFunc(func(H, *T) { panic("no") })
			}()
		case op == 3 && next() == 0:
			r.Clear()
			live = nil
		default:
			if h, err := r.Insert(randomValue[T](next)); err == nil {
				live = append(live, h)
			}
		}
	}
}

func mapSubject[K comparable, V any](name string) subject {
	_, e, err := entryOf[K, V]("test")
	if err != nil {
		panic(err)
	}
	return subject{
		name: "Map of " + name,
		make: func(a *Arena) coder { return NewMap[K, V](a) },
		zero: func() coder { return new(Map[K, V]) },
		play: func(c coder, next func() int) {
			m := c.(*Map[K, V])
			var keys []K
			for k := range m.All() {
				keys = append(keys, k)
			}
			for range next() % 60 {
				if next()%4 == 0 && len(keys) > 0 {
					m.Delete(keys[next()%len(keys)])
					continue
				}
				k := randomValue[K](next)
				keys = append(keys, k)
				m.Set(k, randomValue[V](next))
			}
		},
		dump: func(c coder) (s string) {
			for k, v := range c.(*Map[K, V]).All() {
				s += fmt.Sprintln(textOf(k), textOf(*v))
			}
			return s
		},
		sound: func(c coder) { c.(*Map[K, V]).checkInvariants() },
	}.encode(wire.ArenaMap, e)
}

// counter returns a source of bytes for play.
func counter(seed int) func() int {
	x := uint64(seed)*2 + 1
	return func() int {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return int(x * 0x9E3779B97F4A7C15 >> 56)
	}
}
