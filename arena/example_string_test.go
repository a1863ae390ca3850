package arena_test

import (
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

func ExampleVec_String() {
	v := arena.NewVec[int](arena.NewFixed(1 << 10))
	v.Reserve(8)
	v.Push(1)
	fmt.Println(v)
	// Output: arena.Vec[int](1 of 8 values)
}

func ExampleDeque_String() {
	d := arena.NewDeque[int](arena.NewFixed(1<<12), arena.DequeConfig{Block: 64})
	d.PushBack(1)
	fmt.Println(d)
	// Output: arena.Deque[int](1 of 64 values)
}

// String panics if the memory of the container has been rewound.
func ExamplePool_String() {
	a := arena.NewFixed(1 << 12)
	start := a.Mark()
	p := arena.NewPool[int](a)
	p.Insert(1)
	fmt.Println(p)
	a.Rewind(start)
	fmt.Println(p)
	// Output:
	// arena.Pool[int](1 of 64 slots)
	// %!v(PANIC=String method: arena: Pool.String: its memory has been rewound)
}

func ExampleHandles_String() {
	r := arena.NewHandles[int, arena.Handle32[int]](arena.NewFixed(1<<12), arena.HandlesConfig{})
	if _, err := r.Insert(1); err != nil {
		fmt.Println(err)
	}
	fmt.Println(r)
	// Output: arena.Handles[int](1 of 64 slots)
}

func ExampleMap_String() {
	m := arena.NewMap[int, bool](arena.NewFixed(1 << 12))
	m.Set(1, true)
	fmt.Println(m)
	// Output: arena.Map[int, bool](1 of 6 entries)
}

func ExampleNested_String() {
	a := arena.NewFixed(1 << 12)
	var v arena.Nested[int64]
	v.Push(a, 1)
	fmt.Println(&v)
	// Output: arena.Nested[int64](1 of 8 values)
}

func ExampleTyped_String() {
	var t arena.Typed[string]
	t.New()
	fmt.Println(&t)
	// Output: arena.Typed[string](1 of 1024 values)
}
