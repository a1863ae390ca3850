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

// With a seed, the handles are the same on every machine. A handle of one Handles finds nothing in
// another.
func ExampleNewHandles() {
	type handle = arena.Handle64[int32]
	a := arena.NewFixed(1 << 12)
	red := arena.NewHandles[int32, handle](a, arena.HandlesConfig{Seed: 1})
	blue := arena.NewHandles[int32, handle](a, arena.HandlesConfig{Seed: 2})
	fmt.Println(a.Used()) // takes nothing yet
	h, _ := red.Insert(7)
	b, _ := blue.Insert(8)
	fmt.Println(h, b, handle(0).IsZero())
	fmt.Println(h.Index() == b.Index(), blue.Contains(h), red.Contains(b))
	// Output:
	// 0
	// 1:889516851 1:1779033702 true
	// true false false
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

// With room reserved for a wave of enemies, no Insert fails. Clear keeps the room, and ends all
// handles for good.
func ExampleHandles_Grow() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	fmt.Println(r.Grow(1000), r.Cap()) // nothing has changed
	fmt.Println(r.Grow(100), r.Cap())
	old, _ := r.Insert(1)
	r.Clear()
	h, _ := r.Insert(2)
	fmt.Println(r.Len(), h.Index() == old.Index(), h.Generation()-old.Generation())
	fmt.Println(r.Get(old))
	fmt.Println(r.Get(h))
	s := r.Stats()
	fmt.Println(s.Live, "live,", s.Vacant, "vacant,", s.Retired, "retired")
	fmt.Println(r)
	// Output:
	// false 0
	// true 128
	// 1 true 1
	// 0 false
	// 2 true
	// 1 live, 127 vacant, 0 retired
	// arena.Handles[int32](1 of 128 slots)
}

// The body of a loop may destroy values. The handles of the values in a span follow from the handle
// of the first.
func ExampleHandles_All() {
	type handle = arena.Handle32[int32]
	r := arena.NewHandles[int32, handle](arena.NewFixed(1<<11), arena.HandlesConfig{})
	for i := range int32(6) {
		_, _ = r.Insert(i)
	}
	for h, v := range r.All() {
		if *v == 2 {
			r.Delete(h)
		}
	}
	for v := range r.Values() {
		*v *= 10
	}
	for span, at := r.Span(0); span != nil; span, at = r.Span(at) {
		fmt.Println(at, span)
	}
	for first, span := range r.Spans() {
		last, v := r.At(first.Index() + uint32(len(span)) - 1)
		fmt.Println(first.Index(), span, last.Index(), *v)
	}
	// Output:
	// 3 [0 10]
	// 7 [30 40 50]
	// 1 [0 10] 2 10
	// 4 [30 40 50] 6 50
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
