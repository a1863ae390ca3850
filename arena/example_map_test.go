package arena_test

import (
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

// The objects of a level have names, which a build step has turned into numbers. The map finds an
// object by its name. Loops run in insertion order.
func ExampleMap() {
	type position struct{ X, Y int32 }
	level := arena.NewFixed(1 << 12)
	named := arena.NewMap[uint32, position](level)
	const door, key, chest = 0xD00A, 0x4E11, 0xC435
	named.Set(door, position{1, 1})
	named.Set(key, position{5, 2})
	named.Set(chest, position{9, 9})

	named.Ptr(door).X = 2
	named.Delete(key)
	for name, p := range named.All() {
		fmt.Printf("%X %v\n", name, *p)
	}
	level.Reset()
	attempt(func() { named.Get(door) })
	// Output:
	// D00A {2 1}
	// C435 {9 9}
	// panic: arena: Map.Get: its memory has been rewound
}

func ExampleNewMap() {
	a := arena.NewFixed(1 << 10)
	m := arena.NewMap[uint32, int32](a)
	fmt.Println(m.Len(), m.Cap(), a.Used()) // takes nothing yet
	attempt(func() { arena.NewMap[string, int32](a) })
	// Output:
	// 0 0 0
	// panic: arena: NewMap: an arena cannot hold Go pointers: string (Typed, or a berth.Pool, can)
}

// Counting takes one lookup for a key that is present.
func ExampleMap_Ptr() {
	counts := arena.NewMap[byte, int32](arena.NewFixed(1 << 10))
	for _, c := range []byte("banana") {
		if n := counts.Ptr(c); n != nil {
			*n++
		} else {
			counts.Set(c, 1)
		}
	}
	for c, n := range counts.All() {
		fmt.Printf("%c %d\n", c, *n)
	}
	// Output:
	// b 1
	// a 3
	// n 2
}

// With room reserved for a whole level, the map does not move and leaves no old memory behind.
// Clear keeps the memory, and makes the map usable again after a rewind.
func ExampleMap_Grow() {
	a := arena.NewFixed(1 << 12)
	m := arena.NewMap[uint32, int32](a)
	fmt.Println(m.Grow(100), m.Cap(), m.Grow(10_000))
	used := a.Used()
	for i := range uint32(100) {
		m.Set(i, 1)
	}
	fmt.Println(m.Set(7, 2), m.Len(), a.Used() == used) // 7 is not new
	m.Clear()
	fmt.Println(m)
	a.Reset()
	m.Clear()
	fmt.Println(m.Set(8, 80), m.Len())
	// Output:
	// true 100 false
	// true 100 true
	// arena.Map[uint32, int32](0 of 100 entries)
	// true 1
}

// The body of a loop may delete entries.
func ExampleMap_All() {
	timers := arena.NewMap[uint32, int32](arena.NewFixed(1 << 10))
	timers.Set(300, 2)
	timers.Set(100, 1)
	timers.Set(200, 3)
	for frame := range 3 {
		for name, left := range timers.All() {
			if *left--; *left == 0 {
				fmt.Println("frame", frame, "timer", name)
				timers.Delete(name)
			}
		}
	}
	// Output:
	// frame 0 timer 100
	// frame 1 timer 300
	// frame 2 timer 200
}
