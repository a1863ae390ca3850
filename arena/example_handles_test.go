package arena_test

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

// A missile keeps the handle of its target. Once the target is gone, the handle finds nothing, even
// if its slot is reused.
func ExampleHandles() {
	type ship struct{ X, Health int32 }
	type shipHandle = arena.Handle32[ship]
	type missile struct{ Target shipHandle }

	level := arena.NewFixed(1 << 14)
	ships := arena.NewHandles[ship, shipHandle](level, arena.HandlesConfig{})
	missiles := arena.NewPool[missile](level)

	drone, _ := ships.Insert(ship{X: 5, Health: 10})
	missiles.Insert(missile{drone})
	ships.Delete(drone)
	boss, _ := ships.Insert(ship{X: 5, Health: 999})
	fmt.Println("same slot:", boss.Index() == drone.Index())
	for i, m := range missiles.All() {
		if target := ships.Ptr(m.Target); target != nil {
			target.Health -= 5
		} else {
			missiles.Remove(i)
		}
	}
	fmt.Println(ships.Ptr(boss).Health, missiles.Len())
	// Output:
	// same slot: true
	// 999 0
}

// A Handles whose memory has been rewound panics in every method, because old handles must not find
// values of a new one.
func ExampleHandles_rewound() {
	type handle = arena.Handle32[int32]
	level := arena.NewFixed(1 << 12)
	r := arena.NewHandles[int32, handle](level, arena.HandlesConfig{})
	old, _ := r.Insert(7)
	level.Reset()
	attempt(func() { r.Ptr(old) })

	next := arena.NewHandles[int32, handle](level, arena.HandlesConfig{})
	h, _ := next.Insert(8)
	fmt.Println(next.Contains(old), next.Contains(h))
	// Output:
	// panic: arena: Handles.Ptr: its memory has been rewound
	// false true
}

// With a seed, the handles are the same on every machine.
func ExampleNewHandles() {
	type handle = arena.Handle64[int32]
	a := arena.NewFixed(1 << 12)
	r := arena.NewHandles[int32, handle](a, arena.HandlesConfig{Seed: 1})
	fmt.Println(a.Used()) // takes nothing yet
	h, _ := r.Insert(7)
	fmt.Println(h)
	// Output:
	// 0
	// 1:889516851
}

// A handle of one Handles finds nothing in another.
func ExampleHandlesConfig() {
	type handle = arena.Handle32[int32]
	a := arena.NewFixed(1 << 12)
	red := arena.NewHandles[int32, handle](a, arena.HandlesConfig{Seed: 1})
	blue := arena.NewHandles[int32, handle](a, arena.HandlesConfig{Seed: 2})
	h, _ := red.Insert(7)
	b, _ := blue.Insert(8)
	fmt.Println(h.Index() == b.Index(), blue.Contains(h), red.Contains(b))
	// Output: true false false
}

// There are at most 65 535 narrow handles, and the arena may run out of room before that.
func ExampleHandles_Insert() {
	type handle = arena.Handle32[uint8]
	fill := func(a *arena.Arena) (int, error) {
		r := arena.NewHandles[uint8, handle](a, arena.HandlesConfig{})
		for {
			if _, err := r.Insert(1); err != nil {
				return r.Len(), err
			}
		}
	}
	n, err := fill(arena.NewFixed(1 << 20))
	fmt.Println(n, err, errors.Is(err, arena.ErrFull))
	n, err = fill(arena.NewFixed(1 << 10))
	fmt.Println(n, err, errors.Is(err, arena.ErrNoSpace))
	// Output:
	// 65535 berth: full true
	// 192 arena: no space true
}

// InsertFunc builds a value that others refer to by its handle. If f panics, there is no value, and
// the handle is stale.
func ExampleHandles_InsertFunc() {
	type texture struct{ Width, Height int32 }
	type handle = arena.Handle32[texture]
	r := arena.NewHandles[texture, handle](arena.NewFixed(1<<12), arena.HandlesConfig{})
	var log []handle
	load := func(width int32) (handle, error) {
		return r.InsertFunc(func(h handle, t *texture) {
			log = append(log, h)
			if width > 4096 {
				panic("texture is too large")
			}
			t.Width, t.Height = width, width
		})
	}
	h, err := load(64)
	fmt.Println(*r.Ptr(h), err)
	attempt(func() { _, _ = load(8192) })
	fmt.Println(r.Len(), r.Contains(log[0]), r.Contains(log[1]))
	// Output:
	// {64 64} <nil>
	// panic: texture is too large
	// 1 true false
}

func ExampleHandles_Delete() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<10), arena.HandlesConfig{})
	h, _ := r.Insert(7)
	fmt.Println(r.Delete(h))
	fmt.Println(r.Delete(h)) // stale handles are reported, not an error
	fmt.Println(r.Delete(0))
	// Output:
	// true
	// false
	// false
}

func ExampleHandles_Get() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<10), arena.HandlesConfig{})
	h, _ := r.Insert(7)
	fmt.Println(r.Get(h))
	r.Delete(h)
	fmt.Println(r.Get(h))
	// Output:
	// 7 true
	// 0 false
}

// Slots do not move, so a pointer is valid until its value is removed.
func ExampleHandles_Ptr() {
	type enemy struct{ Health, Armor int32 }
	type handle = arena.Handle32[enemy]
	r := arena.NewHandles[enemy, handle](arena.NewFixed(1<<14), arena.HandlesConfig{})
	h, _ := r.Insert(enemy{Health: 10})
	p := r.Ptr(h)
	for range 500 {
		if _, err := r.Insert(enemy{}); err != nil {
			fmt.Println(err)
		}
	}
	p.Health -= 3
	fmt.Println(*r.Ptr(h), r.Ptr(0))
	// Output: {7 0} <nil>
}

func ExampleHandles_Contains() {
	type handle = arena.Handle64[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<10), arena.HandlesConfig{})
	h, _ := r.Insert(7)
	fmt.Println(r.Contains(h), r.Contains(0))
	r.Delete(h)
	fmt.Println(r.Contains(h))
	// Output:
	// true false
	// false
}

func ExampleHandles_Len() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<10), arena.HandlesConfig{})
	h, _ := r.Insert(1)
	_, _ = r.Insert(2)
	r.Delete(h)
	fmt.Println(r.Len())
	// Output: 1
}

func ExampleHandles_Cap() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<12), arena.HandlesConfig{})
	fmt.Println(r.Cap())
	_, _ = r.Insert(1)
	fmt.Println(r.Cap())
	// Output:
	// 0
	// 64
}

// With room reserved for a wave of enemies, no Insert fails.
func ExampleHandles_Grow() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	fmt.Println(r.Grow(1000), r.Cap()) // nothing has changed
	fmt.Println(r.Grow(100), r.Cap())
	fmt.Println(r.Grow(65_536)) // more than the indices left
	// Output:
	// false 0
	// true 128
	// false
}

// Clear ends all handles, for good.
func ExampleHandles_Clear() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	old, _ := r.Insert(1)
	r.Clear()
	h, _ := r.Insert(2)
	fmt.Println(r.Len(), h.Index() == old.Index(), r.Contains(old), r.Contains(h))
	// Output: 1 true false true
}

// The body of a loop may destroy values.
func ExampleHandles_All() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	for i := range int32(5) {
		_, _ = r.Insert(i)
	}
	for h, v := range r.All() {
		if *v%2 == 1 {
			r.Delete(h)
		}
	}
	for h, v := range r.All() {
		fmt.Println(h.Index(), *v)
	}
	// Output:
	// 1 0
	// 3 2
	// 5 4
}

func ExampleHandles_Stats() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	for i := range int32(10) {
		_, _ = r.Insert(i)
	}
	s := r.Stats()
	fmt.Println(s.Live, "live,", s.Vacant, "vacant,", s.Retired, "retired")
	// Output: 10 live, 54 vacant, 0 retired
}

// A slot gives out 2^15 narrow handles in succession. Then it is retired, so that no handle is
// given out twice.
func ExampleHandle32() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	first, _ := r.Insert(1)
	h, lives := first, 1
	for {
		r.Delete(h)
		if h, _ = r.Insert(1); h.Index() != first.Index() {
			break
		}
		lives++
	}
	fmt.Println(lives, r.Stats().Retired, r.Contains(first))
	// Output: 32768 1 false
}

// The index of a handle identifies its slot, counted from 1, and can index a parallel array.
func ExampleHandle32_Index() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	names := map[uint32]string{}
	h, _ := r.Insert(7)
	names[h.Index()] = "orc"
	fmt.Println(h.Index(), names[h.Index()], handle(0).Index())
	// Output: 1 orc 0
}

// The generation of a slot increases with each reuse.
func ExampleHandle32_Generation() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{Seed: 1})
	a, _ := r.Insert(1)
	r.Delete(a)
	b, _ := r.Insert(2)
	fmt.Println(a.Index() == b.Index(), b.Generation()-a.Generation())
	// Output: true 1
}

func ExampleHandle32_IsZero() {
	var target arena.Handle32[int32]
	fmt.Println(target.IsZero())
	// Output: true
}

func ExampleHandle32_String() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{Seed: 1})
	h, _ := r.Insert(1)
	fmt.Println(h, h.String() == fmt.Sprint(h))
	// Output: 1:13572 true
}

// A wide handle allows any number of values, and two billion reuses of a slot.
func ExampleHandle64() {
	type handle = arena.Handle64[uint8]
	r := arena.NewHandles[uint8, handle](arena.NewFixed(1<<20), arena.HandlesConfig{})
	var h handle
	for range 70_000 {
		h, _ = r.Insert(1)
	}
	fmt.Println(r.Len(), h.Index())
	// Output: 70000 70000
}

func ExampleHandle64_Index() {
	type handle = arena.Handle64[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	_, _ = r.Insert(1)
	h, _ := r.Insert(2)
	fmt.Println(h.Index())
	// Output: 2
}

func ExampleHandle64_Generation() {
	type handle = arena.Handle64[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{Seed: 1})
	a, _ := r.Insert(1)
	r.Delete(a)
	b, _ := r.Insert(2)
	fmt.Println(a.Index() == b.Index(), b.Generation()-a.Generation())
	// Output: true 1
}

func ExampleHandle64_IsZero() {
	var target arena.Handle64[int32]
	fmt.Println(target.IsZero())
	// Output: true
}

func ExampleHandle64_String() {
	type handle = arena.Handle64[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{Seed: 2})
	h, _ := r.Insert(1)
	fmt.Println(h)
	// Output: 1:1779033702
}

func ExampleHandles_Values() {
	r := arena.NewHandles[int32, arena.Handle32[int32]](
		arena.NewChunked(4096), arena.HandlesConfig{Seed: 1})
	for i := range int32(3) {
		_, _ = r.Insert(10 * i)
	}
	for v := range r.Values() {
		*v++
		fmt.Println(*v)
	}
	// Output:
	// 1
	// 11
	// 21
}

// The handles of the values in a span follow from the handle of the first.
func ExampleHandles_Spans() {
	r := arena.NewHandles[int32, arena.Handle32[int32]](
		arena.NewChunked(4096), arena.HandlesConfig{Seed: 1})
	var hs []arena.Handle32[int32]
	for i := range int32(6) {
		h, _ := r.Insert(10 * i)
		hs = append(hs, h)
	}
	r.Delete(hs[2])
	for first, span := range r.Spans() {
		fmt.Println(first.Index(), span, r.HandleAt(first, len(span)-1).Index())
	}
	// Output:
	// 1 [0 10] 2
	// 4 [30 40 50] 6
}

func ExampleHandles_HandleAt() {
	r := arena.NewHandles[int32, arena.Handle64[int32]](
		arena.NewChunked(4096), arena.HandlesConfig{Seed: 1})
	a, _ := r.Insert(1)
	b, _ := r.Insert(2)
	fmt.Println(r.HandleAt(a, 1) == b, r.HandleAt(b, -1) == a, r.HandleAt(b, 1).IsZero())
	// Output: true true true
}
