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

// The array of the voices grows when all are in use.
func ExampleGrow() {
	voices := make([]string, 1)
	free := freelist.NewIndices[uint16](len(voices))
	for _, name := range []string{"bass", "lead", "pad"} {
		if free.Len() == 0 {
			voices = append(voices, make([]string, len(voices))...)
			freelist.Grow(free, len(voices)-free.Cap())
		}
		i, _ := free.Pop()
		voices[i] = name
	}
	fmt.Printf("%q, %d free\n", voices, free.Len())
	// Output: ["bass" "lead" "pad" ""], 1 free
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

// The places of a crowd are all in use at the start. They are pushed as they become free, and
// newcomers take them.
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

// A clone keeps an earlier state, as rollback needs it.
func ExampleStack_Clone() {
	voices := freelist.NewIndices[uint8](3)
	voices.Pop()
	saved := voices.Clone()
	for {
		v, ok := voices.Pop()
		if !ok {
			break
		}
		fmt.Println("voice", v)
	}
	fmt.Println(voices, saved.Len(), "of", saved.Cap())

	voices = saved
	v, _ := voices.Pop()
	fmt.Println("voice", v, "again")
	voices.Reset()                            // a new level uses none
	fmt.Println(voices.Len(), voices.Push(v)) // all are free: refused
	// Output:
	// voice 1
	// voice 2
	// freelist.Stack[uint8](0 of 3 free) 2 of 3
	// voice 1 again
	// 3 false
}

// The numbers of 262 144 blocks of a file take 18 bits each: 576 KB where 32 bits would take 1 MB.
func ExampleNewPacked() {
	blocks := freelist.NewPacked(262_144)
	fmt.Println(blocks.Cap(), "blocks,", blocks.Bits(), "bits each")
	b, ok := blocks.Pop()
	fmt.Println("block", b, ok, blocks.Len(), "left")
	fmt.Println(blocks.Push(b), blocks.Push(262_144)) // the second is none of this list
	fmt.Println(blocks)
	// Output:
	// 262144 blocks, 18 bits each
	// block 0 true 262143 left
	// true false
	// freelist.Packed(262144 of 262144 free)
}

// With bits for the largest file, all lists have one format.
func ExampleNewPackedBits() {
	free := freelist.NewPackedBits(1000, 24)
	fmt.Println(free.Cap(), "of", free.Bits(), "bits")
	// Output: 1000 of 24 bits
}

// A file is opened. Its header lists the free blocks.
func ExamplePacked_Clear() {
	blocks := freelist.NewPacked(1000)
	blocks.Clear()
	fmt.Println(blocks.Pop()) // none is free
	for _, b := range []int{700, 3} {
		blocks.Push(b)
	}
	saved := blocks.Clone()
	fmt.Println(blocks.Pop())
	fmt.Println(blocks.Len(), saved.Len())
	blocks.Reset() // format it
	fmt.Println(blocks.Len())
	// Output:
	// 0 false
	// 3 true
	// 1 2
	// 1000
}
