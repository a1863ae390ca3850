package arena_test

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/arena"
)

// A draw list grows as needed, is sorted like any slice, and uses the same memory in every frame.
func ExampleVec() {
	type call struct{ Depth, Texture int32 }
	frame := arena.NewFixed(1 << 12)
	list := arena.NewVec[call](frame)
	for n := range 2 {
		for i := range int32(4 + n) {
			list.Push(call{Depth: 7 * i % 5, Texture: i})
		}
		slices.SortFunc(list.Slice(), func(a, b call) int { return int(a.Depth - b.Depth) })
		list.Ptr(0).Texture = 9 // used at once, not kept
		fmt.Println(list.Slice(), list.Len(), list.At(1).Depth)

		frame.Reset()
		attempt(func() { list.Push(call{}) })
		list.Clear() // usable again
	}
	// Output:
	// [{0 9} {1 3} {2 1} {4 2}] 4 1
	// panic: arena: Vec.Push: its memory has been rewound
	// [{0 9} {1 3} {2 1} {3 4} {4 2}] 5 1
	// panic: arena: Vec.Push: its memory has been rewound
}

// Append adds all values or none.
func ExampleNewVec() {
	a := arena.NewFixed(10)
	v := arena.NewVec[int32](a)
	fmt.Println(v.Len(), v.Cap(), a.Used()) // takes nothing yet
	fmt.Println(v.Append(1, 2, 3), v.Slice())
	fmt.Println(v.Append(1, 2), v.Slice(), v.Push(3))
	fmt.Println(v)
	// Output:
	// 0 0 0
	// false []
	// true [1 2] false
	// arena.Vec[int32](2 of 2 values)
}

// A Vec is also a stack: here, of the rooms still to be visited.
func ExampleVec_Pop() {
	doors := [][]int32{0: {1, 2}, 1: {3}, 2: {}, 3: {}}
	todo := arena.NewVec[int32](arena.NewFixed(1 << 10))
	todo.Push(0)
	for {
		room, ok := todo.Pop()
		if !ok {
			break
		}
		for i, door := range doors[room] {
			fmt.Println("room", room, "door", i, "to", door)
		}
		todo.Append(doors[room]...)
	}
	// Output:
	// room 0 door 0 to 1
	// room 0 door 1 to 2
	// room 1 door 0 to 3
}

// With enough room reserved, a Vec does not move, whatever else is allocated meanwhile. In a
// virtual arena of its own it never does. A complete list can give back the room behind it while it
// is the most recent allocation.
func ExampleVec_Reserve() {
	a := arena.NewFixed(1 << 10)
	v := arena.NewVec[int32](a)
	fmt.Println(v.Reserve(1000), v.Cap()) // more than the arena has
	fmt.Println(v.Reserve(100), v.Cap())
	for i := range int32(20) {
		v.Push(i)
	}
	fmt.Println(v.Clip(), v.Cap(), a.Used())
	arena.New[int32](a) // is the most recent allocation now
	v.Push(20)
	fmt.Println(v.Cap(), a.Used()) // has moved
	// Output:
	// false 0
	// true 100
	// true 20 80
	// 40 244
}

// A table of known length gets zeros, and can be truncated.
func ExampleVec_Resize() {
	distance := arena.NewVec[int32](arena.NewFixed(1 << 10))
	distance.Append(4, 4, 4)
	fmt.Println(distance.Resize(5), distance.Slice())
	fmt.Println(distance.Resize(1), distance.Slice())
	fmt.Println(distance.Resize(3), distance.Slice())
	fmt.Println(distance.Resize(1000), distance.Slice())
	// Output:
	// true [4 4 4 0 0]
	// true [4]
	// true [4 0 0]
	// false [4 0 0]
}

// Values that must outlive a frame are copied to another arena.
func ExampleVec_Clone() {
	level, frame := arena.NewFixed(12), arena.NewFixed(1<<10)
	found := arena.NewVec[int32](frame)
	found.Append(1, 2, 3)
	kept, ok := found.Clone(level)
	_, again := found.Clone(level)
	frame.Reset()
	fmt.Println(kept.Slice(), ok, again)
	// Output: [1 2 3] true false
}

// Swap exchanges the list that is read now and the one written for the next frame.
func ExampleVec_Swap() {
	now := arena.NewVec[int32](arena.NewFixed(1 << 10))
	next := arena.NewVec[int32](arena.NewFixed(1 << 10))
	now.Append(3, 1)
	for range 3 {
		for _, fuse := range now.Slice() {
			if fuse > 1 {
				next.Push(fuse - 1)
			}
		}
		now.Swap(next)
		next.Clear()
		fmt.Println(now.Slice())
	}
	// Output:
	// [2]
	// [1]
	// []
}
