package arena_test

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/arena"
)

// attempt calls f and prints the value of its panic.
func attempt(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panic:", r)
		}
	}()
	f()
}

// This program has an arena for the level and one for the frame. Each is freed as a whole.
func Example() {
	type enemy struct{ X, Y, Health int32 }
	level := arena.NewFixed(1 << 16)
	frame := arena.NewChunked(1 << 12)

	enemies := arena.NewPool[enemy](level)
	for i := range int32(5) {
		enemies.Insert(enemy{X: 10 * i, Health: 3})
	}
	for range 100 {
		visible := arena.NewVec[int](frame)
		for i, e := range enemies.All() {
			if e.X++; e.X > 120 {
				visible.Push(i)
			}
		}
		if visible.Len() > 0 {
			fmt.Println("visible:", visible.Slice())
			enemies.Ptr(visible.At(0)).X = 0
		}
		frame.Reset() // frees the list
	}
	level.Reset() // frees the enemies
	fmt.Println(level.Used(), frame.Used())
	// Output:
	// visible: [4]
	// visible: [3]
	// 0 0
}

// The zero Arena is the null arena. As a parent or a default, it makes every allocation fail
// cleanly.
func ExampleArena() {
	var null arena.Arena
	fmt.Println(arena.New[int32](&null), arena.MakeSlice[byte](&null, 1, 1) == nil)
	_, err := null.Alloc(1, 1)
	fmt.Println(err, null.Used(), null.Stats().Reserved)
	// Output:
	// <nil> true
	// arena: no space 0 0
}

// A fixed arena is a budget.
func ExampleNewFixed() {
	type particle struct{ X, Y, DX, DY float32 }
	a := arena.NewFixed(100)
	n := 0
	for arena.New[particle](a) != nil {
		n++
	}
	fmt.Println(n, a.Used(), a.Stats().Reserved)
	// Output: 6 96 100
}

// A chunked arena grows by chunks. An allocation larger than a chunk gets a chunk of its own. Clip
// returns memory to the system after a level that was larger than the others.
func ExampleNewChunked() {
	a := arena.NewChunked(1 << 10)
	for range 3 {
		arena.MakeSlice[byte](a, 700, 700)
	}
	s := a.Stats()
	fmt.Println("used", s.Used, "of", s.Reserved, "in", s.Chunks, "chunks")
	arena.MakeSlice[byte](a, 5000, 5000)
	fmt.Println(a)

	a.Reset()
	arena.MakeSlice[byte](a, 700, 700)
	a.Clip()
	fmt.Println(a)
	// Output:
	// used 2100 of 3072 in 3 chunks
	// arena.Arena(Chunked, 7100 of 8072 bytes)
	// arena.Arena(Chunked, 700 of 1024 bytes)
}

// A virtual arena reserves the address space that it may ever need, and commits what it uses. The
// garbage collector does not count its memory, unless the system has no virtual arenas.
func ExampleNewVirtual() {
	a, err := arena.NewVirtual(64<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	names := arena.NewMap[uint32, uint32](a)
	names.Set(1, 100)
	fmt.Println(a.Used() > 0, a.Committed() <= 1<<20 || !a.IsVirtual())
	_, err = a.Alloc(65<<20, 1)
	fmt.Println(err)

	fmt.Println(a.Release(), a.Release())                // releasing again does nothing
	fmt.Println(arena.New[int32](a), a.Stats().Reserved) // the null arena
	attempt(func() { names.Set(2, 200) })
	// Output:
	// true true
	// arena: no space
	// <nil> <nil>
	// <nil> 0
	// panic: arena: Map.Set: its memory has been rewound
}

// Memory that is used in every frame stays committed. A frame that needs more gives the excess back
// at its end.
func ExampleVirtualConfig() {
	a, err := arena.NewVirtual(64<<20, arena.VirtualConfig{Keep: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []int{1 << 10, 16 << 20, 1 << 10} {
		arena.MakeSliceDirty[byte](a, n, n)
		a.Reset()
		fmt.Println(a.Committed() <= 1<<20 || !a.IsVirtual())
	}
	fmt.Println(a.Release())
	// Output:
	// true
	// true
	// true
	// <nil>
}

// Alloc returns memory for a consumer of bytes: here, a header at a multiple of 16. Memory that is
// overwritten at once need not be zeroed.
func ExampleArena_Alloc() {
	a := arena.NewFixed(64)
	tag, err := a.AllocDirty(3, 1)
	fmt.Println(copy(tag, "GET"), err)
	header, err := a.Alloc(16, 16)
	fmt.Println(len(header), header[0], err, a.Used()) // the padding counts

	_, err = a.Alloc(64, 1)
	fmt.Println(errors.Is(err, arena.ErrNoSpace), a.Used()) // took nothing
	attempt(func() { _, _ = a.Alloc(8, 12) })
	// Output:
	// 3 <nil>
	// 16 0 <nil> 32
	// true 32
	// panic: arena: Arena.Alloc: alignment is not a power of two
}

// A Mark belongs to one arena, and is valid until the arena is rewound to before it.
func ExampleMark() {
	a, b := arena.NewFixed(256), arena.NewFixed(256)
	first := a.Mark()
	arena.New[int32](a)
	second := a.Mark()
	arena.New[int32](a)

	a.Rewind(second)
	a.Rewind(second) // a Mark may be used again
	attempt(func() { b.Rewind(second) })
	a.Rewind(first)
	attempt(func() { a.Rewind(second) })
	// Output:
	// panic: arena: Arena.Rewind: Mark of another arena
	// panic: arena: Arena.Rewind: has been rewound past this Mark
}

// Temporary memory of a function is freed when it returns, even if it fails.
func ExampleArena_Scope() {
	frame := arena.NewFixed(1 << 12)
	arena.New[int32](frame)
	attempt(func() {
		frame.Scope(func(a *arena.Arena) {
			squares := arena.MakeSlice[int32](a, 10, 10)
			for i := range squares {
				squares[i] = int32(i * i)
			}
			fmt.Println("inside:", a.Used(), squares[9])
			panic("no such texture")
		})
	})
	fmt.Println("after:", frame.Used())
	// Output:
	// inside: 44 81
	// panic: no such texture
	// after: 4
}

// The camera is made once per level.
func ExampleNew() {
	type camera struct{ X, Y, Zoom float32 }
	level := arena.NewFixed(20)
	c := arena.New[camera](level)
	c.Zoom = 2
	fmt.Println(*c, level.Used())
	fmt.Println(arena.New[camera](level)) // only 8 bytes are left
	// Output:
	// {0 0 2} 12
	// <nil>
}

// The tiles of a level are zeroed. A level that is too large gets nil.
func ExampleMakeSlice() {
	level := arena.NewFixed(1 << 10)
	tiles := arena.MakeSlice[uint16](level, 20, 32)
	tiles = append(tiles, 7) // within the capacity
	fmt.Println(len(tiles), cap(tiles), tiles[0], level.Used())
	fmt.Println(arena.MakeSlice[uint16](level, 1000, 1000) == nil, level.Used())
	// Output:
	// 21 32 0 64
	// true 64
}

// A copy does not need zeroed memory.
func ExampleMakeSliceDirty() {
	frame := arena.NewFixed(1 << 10)
	depth := []int32{3, 1, 2}
	c := arena.MakeSliceDirty[int32](frame, len(depth), len(depth))
	copy(c, depth)
	fmt.Println(c)
	// Output: [3 1 2]
}

// A slice grows in place as long as nothing was allocated behind it.
func ExampleAppend() {
	a := arena.NewFixed(200)
	var path []int32
	path, _ = arena.Append(a, path, 1, 2, 3)
	fmt.Println(path, a.Used())

	first := &path[0]
	path = path[:cap(path)]
	path, _ = arena.Append(a, path, 4)
	fmt.Println(first == &path[0], a.Used())

	path, ok := arena.Append(a, path, make([]int32, 100)...)
	fmt.Println(ok, len(path)) // s is unchanged
	// Output:
	// [1 2 3] 64
	// true 128
	// false 17
}

// A request is parsed in a scratch arena. Its fields are stored as offsets, and their number need
// not be known in advance.
func ExampleGetScratch() {
	type field struct{ From, To int32 }
	parse := func(request string) (words int, longest string) {
		scratch := arena.GetScratch()
		defer arena.PutScratch(scratch)
		fields := arena.NewVec[field](scratch)
		from := 0
		for i := 0; i <= len(request); i++ {
			if i == len(request) || request[i] == ' ' {
				fields.Push(field{int32(from), int32(i)})
				from = i + 1
			}
		}
		for _, f := range fields.All() {
			if w := request[f.From:f.To]; len(w) > len(longest) {
				longest = w
			}
		}
		return fields.Len(), longest
	}
	fmt.Println(parse("GET /players/7/inventory HTTP/1.1"))
	fmt.Println(parse("PING"))
	// Output:
	// 3 /players/7/inventory
	// 1 PING
}

// After PutScratch, the arena may be lent to another caller.
func ExamplePutScratch() {
	scratch := arena.GetScratch()
	list := arena.NewVec[int32](scratch)
	list.Push(1)
	arena.PutScratch(scratch)

	attempt(func() { list.Push(2) })
	attempt(func() { arena.PutScratch(scratch) })
	// Output:
	// panic: arena: Vec.Push: its memory has been rewound
	// panic: arena: PutScratch: not from GetScratch, or put back already
}

func ExampleNewChunkedLimit() {
	a := arena.NewChunkedLimit(1<<10, 2500) // three chunks, the last one smaller
	n := 0
	for arena.MakeSlice[byte](a, 0, 500) != nil {
		n++
	}
	fmt.Println(n, a.Stats().Reserved)
	_, err := a.Alloc(500, 1)
	fmt.Println(err)
	_, err = a.Alloc(400, 1)
	fmt.Println(err, a.Stats().Reserved)
	// Output:
	// 4 2048
	// arena: no space
	// <nil> 2500
}
