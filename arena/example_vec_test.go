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
		fmt.Println(list.Slice())

		frame.Reset()
		list.Clear() // usable again
	}
	// Output:
	// [{0 0} {1 3} {2 1} {4 2}]
	// [{0 0} {1 3} {2 1} {3 4} {4 2}]
}

// A Vec without an arena is always empty.
func ExampleVec_zero() {
	var v arena.Vec[int32]
	fmt.Println(v.Push(1), v.Len(), v.Slice())
	_, ok := v.Pop()
	fmt.Println(ok)
	// Output:
	// false 0 []
	// false
}

// In a virtual arena of its own, a Vec never moves, so pointers into it stay valid while it grows.
func ExampleVec_endless() {
	a, err := arena.NewVirtual(16<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := arena.NewVec[int32](a)
	v.Push(42)
	first := v.Ptr(0)
	for i := range int32(100_000) {
		v.Push(i)
	}
	// On systems without virtual arenas, the arena grows by chunks.
	fmt.Println(first == v.Ptr(0) || !a.IsVirtual(), v.Len())
	fmt.Println(a.Release())
	// Output:
	// true 100001
	// <nil>
}

func ExampleNewVec() {
	a := arena.NewFixed(1 << 10)
	v := arena.NewVec[int32](a)
	fmt.Println(v.Len(), v.Cap(), a.Used()) // takes nothing yet
	v.Push(1)
	fmt.Println(v.Len(), v.Cap(), a.Used())
	// Output:
	// 0 0 0
	// 1 16 64
}

func ExampleVec_Push() {
	v := arena.NewVec[int32](arena.NewFixed(10))
	for i := range int32(4) {
		fmt.Println(v.Push(i), v.Len())
	}
	// Output:
	// true 1
	// true 2
	// false 2
	// false 2
}

// Append adds all values or none.
func ExampleVec_Append() {
	v := arena.NewVec[int32](arena.NewFixed(10))
	fmt.Println(v.Append(1, 2, 3), v.Slice())
	fmt.Println(v.Append(1, 2), v.Slice())
	// Output:
	// false []
	// true [1 2]
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
		fmt.Println("room", room)
		todo.Append(doors[room]...)
	}
	// Output:
	// room 0
	// room 2
	// room 1
	// room 3
}

// An index out of range panics, as with a slice.
func ExampleVec_At() {
	v := arena.NewVec[int32](arena.NewFixed(1 << 10))
	v.Append(10, 20)
	fmt.Println(v.At(1))
	attempt(func() { v.At(2) })
	// Output:
	// 20
	// panic: runtime error: index out of range [2] with length 2
}

func ExampleVec_Ptr() {
	type enemy struct{ Health, Armor int32 }
	v := arena.NewVec[enemy](arena.NewFixed(1 << 10))
	v.Push(enemy{Health: 10})
	v.Ptr(0).Health -= 3 // used at once, not kept
	fmt.Println(v.At(0), v.Ptr(1))
	// Output: {7 0} <nil>
}

// Slice returns the values for any function that takes a slice.
func ExampleVec_Slice() {
	v := arena.NewVec[int32](arena.NewFixed(1 << 10))
	v.Append(3, 1, 2)
	slices.Sort(v.Slice())
	i, found := slices.BinarySearch(v.Slice(), 2)
	fmt.Println(v.Slice(), i, found)
	// Output: [1 2 3] 1 true
}

// The body may append values, which are for the next pass.
func ExampleVec_All() {
	v := arena.NewVec[int32](arena.NewFixed(1 << 10))
	v.Append(5, 20, 8)
	for i, x := range v.All() {
		fmt.Println(i, *x)
		if *x > 10 {
			v.Push(*x / 2)
		}
	}
	fmt.Println(v.Slice())
	// Output:
	// 0 5
	// 1 20
	// 2 8
	// [5 20 8 10]
}

func ExampleVec_Len() {
	v := arena.NewVec[int32](arena.NewFixed(1 << 10))
	v.Append(1, 2, 3)
	v.Pop()
	fmt.Println(v.Len())
	// Output: 2
}

func ExampleVec_Cap() {
	v := arena.NewVec[int32](arena.NewFixed(1 << 10))
	for range 17 {
		v.Push(0)
	}
	fmt.Println(v.Cap()) // has doubled
	// Output: 32
}

// With enough room reserved, a Vec does not move, whatever else is allocated meanwhile.
func ExampleVec_Reserve() {
	a := arena.NewFixed(1 << 10)
	v := arena.NewVec[int32](a)
	fmt.Println(v.Reserve(1000), v.Cap()) // more than the arena has
	fmt.Println(v.Reserve(100), v.Cap())

	v.Push(1)
	first := v.Ptr(0)
	for i := range int32(99) {
		arena.New[int32](a)
		v.Push(i)
	}
	fmt.Println(first == v.Ptr(0))
	// Output:
	// false 0
	// true 100
	// true
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

// A complete list can give back the room behind it while it is the most recent allocation.
func ExampleVec_Clip() {
	level := arena.NewFixed(1 << 10)
	path := arena.NewVec[int32](level)
	path.Append(make([]int32, 20)...)
	path.Push(1)
	fmt.Println(path.Cap(), level.Used())
	fmt.Println(path.Clip(), path.Cap(), level.Used())

	path.Push(2)
	arena.New[int32](level) // something else is the most recent allocation now
	fmt.Println(path.Clip(), path.Cap())
	// Output:
	// 40 160
	// true 21 84
	// false 42
}

// Clear gives the memory back to the arena if it can, and otherwise keeps it. After a rewind it
// makes a Vec usable again.
func ExampleVec_Clear() {
	frame := arena.NewFixed(1 << 10)
	v := arena.NewVec[int32](frame)
	v.Append(1, 2, 3)
	v.Clear()
	fmt.Println(v.Len(), v.Cap(), frame.Used())

	v.Append(1, 2, 3)
	arena.New[int32](frame)
	v.Clear()
	fmt.Println(v.Len(), v.Cap(), frame.Used())

	frame.Reset()
	attempt(func() { v.Push(4) })
	v.Clear()
	fmt.Println(v.Push(4), v.Slice())
	// Output:
	// 0 0 0
	// 0 16 68
	// panic: arena: Vec.Push: its memory has been rewound
	// true [4]
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
