package freelist_test

import (
	"bytes"
	"fmt"

	"github.com/seed505807e1/berth/freelist"
)

// Sprites are numbered by a byte. The game owns the array, and the list records which sprites are
// free.
func ExampleNewIndices() {
	type sprite struct{ x, y int }
	var sprites [256]sprite
	free := freelist.NewIndices[uint8](len(sprites))

	ship, _ := free.Pop() // a ship stores only a byte
	shot, _ := free.Pop()
	sprites[ship] = sprite{x: 100, y: 20}
	sprites[shot] = sprite{x: 104, y: 18}
	fmt.Println(ship, shot, free.Len(), "left")

	free.Push(shot) // the shot hits
	next, _ := free.Pop()
	fmt.Println("the next one takes sprite", next)
	// Output:
	// 0 1 254 left
	// the next one takes sprite 1
}

// Particles are handed out by pointer, from an array that never moves.
func ExampleNewPointers() {
	type particle struct{ speed float32 }
	free := freelist.NewPointers(make([]particle, 1000))

	var flying []*particle
	for i := range 3 {
		if p, ok := free.Pop(); ok {
			*p = particle{speed: float32(i + 1)}
			flying = append(flying, p)
		}
	}
	for len(flying) > 0 {
		p := flying[len(flying)-1]
		flying = flying[:len(flying)-1]
		fmt.Println("landed, at speed", p.speed)
		free.Push(p)
	}
	fmt.Println(free.Len(), "of", free.Cap(), "free")
	// Output:
	// landed, at speed 3
	// landed, at speed 2
	// landed, at speed 1
	// 1000 of 1000 free
}

// The tiles of 64 by 64 pixels in texture pages of 4096 by 4096 are plain values of four bytes, and
// need no table.
func ExampleNewValues() {
	type tile struct {
		x, y uint8
		page uint16
	}
	var tiles []tile
	for i := range 2 * 64 * 64 {
		tiles = append(tiles, tile{uint8(i % 64), uint8(i / 64 % 64), uint16(i / 4096)})
	}
	free := freelist.NewValues(tiles)

	for range 64 * 64 {
		free.Pop() // glyphs fill the first page
	}
	icon, ok := free.Pop()
	fmt.Println(icon, ok)
	fmt.Printf("pixels from %d, %d on\n", int(icon.x)*64, int(icon.y)*64)
	// Output:
	// {0 0 1} true
	// pixels from 0, 0 on
}

func ExampleStack_Pop() {
	voices := freelist.NewIndices[uint8](2)
	for range 3 {
		v, ok := voices.Pop()
		fmt.Println(v, ok)
	}
	// Output:
	// 0 true
	// 1 true
	// 0 false
}

func ExampleStack_Push() {
	free := freelist.NewIndices[uint16](2)
	i, _ := free.Pop()
	fmt.Println(free.Push(i))
	fmt.Println(free.Push(i)) // all are free: refused
	// Output:
	// true
	// false
}

func ExampleStack_Len() {
	free := freelist.NewIndices[uint16](10)
	free.Pop()
	fmt.Println(free.Len(), "free,", free.Cap()-free.Len(), "taken")
	// Output: 9 free, 1 taken
}

func ExampleStack_Cap() {
	free := freelist.NewIndices[uint16](10)
	free.Pop()
	fmt.Println(free.Cap())
	// Output: 10
}

func ExampleStack_Reset() {
	free := freelist.NewIndices[uint8](4)
	free.Pop()
	free.Pop()
	free.Reset() // a new level uses none
	i, _ := free.Pop()
	fmt.Println(i, free.Len())
	// Output: 0 3
}

// Blocks of a file take 18 bits for each of 262 144: 576 KB where 32 bits would take 1 MB. The
// places of a crowd are all in use at the start. They are pushed as they become free, and newcomers
// take them.
func ExampleStack_Clear() {
	crowd := []string{"Ann", "Bob", "Cem", "Dan"}
	free := freelist.NewIndices[uint32](len(crowd))
	free.Clear()
	leave := func(i uint32) {
		crowd[i] = ""
		free.Push(i)
	}
	enter := func(name string) bool {
		i, ok := free.Pop()
		if ok {
			crowd[i] = name
		}
		return ok
	}
	fmt.Println(enter("Eve"))
	leave(2)
	leave(0)
	fmt.Println(enter("Eve"), enter("Fay"), enter("Guy"))
	fmt.Println(crowd)
	// Output:
	// false
	// true true false
	// [Eve Bob Fay Dan]
}

// A list of spare buffers begins empty. It keeps up to four, and leaves the others to the garbage
// collector.
func ExampleStack_Clear_spare() {
	spare := freelist.NewValues(make([]*bytes.Buffer, 4))
	spare.Clear()
	get := func() *bytes.Buffer {
		if b, ok := spare.Pop(); ok {
			return b
		}
		return new(bytes.Buffer)
	}
	put := func(b *bytes.Buffer) {
		b.Reset()
		spare.Push(b)
	}
	a := get()
	put(a)
	fmt.Println(get() == a, spare.Len())
	// Output: true 0
}

func ExamplePacked_Clear() {
	free := freelist.NewPacked(1000)
	free.Clear()
	fmt.Println(free.Pop())
	free.Push(700)
	fmt.Println(free.Pop())
	// Output:
	// 0 false
	// 700 true
}

func ExampleNewPacked() {
	blocks := freelist.NewPacked(262_144)
	fmt.Println(blocks.Bits(), "bits")
	b, _ := blocks.Pop()
	fmt.Println("block", b)
	fmt.Println(blocks.Push(b), blocks.Push(262_144))
	// Output:
	// 18 bits
	// block 0
	// true false
}

func ExampleNewPackedBits() {
	free := freelist.NewPackedBits(1000, 24)
	fmt.Println(free.Cap(), "of", free.Bits(), "bits")
	// Output: 1000 of 24 bits
}

func ExamplePacked_Pop() {
	free := freelist.NewPacked(2)
	for range 3 {
		i, ok := free.Pop()
		fmt.Println(i, ok)
	}
	// Output:
	// 0 true
	// 1 true
	// 0 false
}

func ExamplePacked_Push() {
	free := freelist.NewPacked(5)
	i, _ := free.Pop()
	fmt.Println(free.Push(5), free.Push(-1)) // not of this list
	fmt.Println(free.Push(i))
	// Output:
	// false false
	// true
}

func ExamplePacked_Len() {
	free := freelist.NewPacked(5)
	free.Pop()
	fmt.Println(free.Len())
	// Output: 4
}

func ExamplePacked_Cap() {
	free := freelist.NewPacked(5)
	free.Pop()
	fmt.Println(free.Cap())
	// Output: 5
}

func ExamplePacked_Bits() {
	for _, n := range []int{2, 256, 257, 1 << 20} {
		fmt.Println(freelist.NewPacked(n).Bits())
	}
	// Output:
	// 1
	// 8
	// 9
	// 20
}

func ExamplePacked_Reset() {
	free := freelist.NewPacked(5)
	free.Pop()
	free.Reset()
	i, _ := free.Pop()
	fmt.Println(i)
	// Output: 0
}

// A clone keeps an earlier state, as rollback needs it.
func ExampleStack_Clone() {
	free := freelist.NewIndices[uint8](10)
	free.Pop()
	saved := free.Clone()
	free.Pop()
	free = saved
	i, _ := free.Pop()
	fmt.Println(i)
	// Output: 1
}

func ExamplePacked_Clone() {
	free := freelist.NewPacked(10)
	saved := free.Clone()
	free.Pop()
	fmt.Println(free.Len(), saved.Len())
	// Output: 9 10
}
