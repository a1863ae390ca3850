package stable_test

import (
	"errors"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/seed505807e1/berth/stable"
)

type fighter struct {
	name   string
	x      int
	health int
	target stable.ListKey[fighter]
}

// In a round in an arena, each fighter hits all others in reach, and dead ones are removed at once.
// A key of a dead target does not find the newcomer in its slot.
func Example() {
	var arena stable.List[fighter]
	orc := arena.Insert(fighter{name: "orc", x: 0, health: 3})
	elf := arena.Insert(fighter{name: "elf", x: 1, health: 2})
	arena.Insert(fighter{name: "owl", x: 9, health: 1, target: elf})

	for a, others := range stable.Traverse(&arena) {
		x := a.Value.x // a removal may move the values
		for k, b := range others.All() {
			if d := x - b.x; -2 <= d && d <= 2 {
				if b.health -= 2; b.health <= 0 {
					arena.Remove(k) // the loops continue, and do not visit it any more
				}
			}
		}
	}
	bat := arena.Insert(fighter{name: "bat", x: 1, health: 5})
	fmt.Println("the bat has the slot of the elf:", bat.Index() == elf.Index())

	for f := range arena.Values() {
		fmt.Println(f.name, f.health, "has a target:", arena.Contains(f.target))
	}
	fmt.Println(arena.Ptr(elf), arena.Contains(orc))
	// Output:
	// the bat has the slot of the elf: true
	// orc 3 has a target: false
	// bat 5 has a target: false
	// owl 1 has a target: false
	// <nil> true
}

// A map of 512 x 512 cells stores who stands where in two bytes per cell, the bare index of a slot.
// A unit stores its own place, so the stale index of a unit that died or moved on is recognised,
// and the cell need not be erased.
func Example_grid() {
	type unit struct {
		name string
		x, y int
	}
	var units stable.ListOf[unit, uint16, stable.Counter32]
	grid := new([512][512]uint16)

	place := func(u unit) { grid[u.y][u.x] = units.Insert(u).Index() }
	at := func(x, y int) string {
		_, u := units.At(grid[y][x])
		if u == nil || u.x != x || u.y != y {
			return "nobody"
		}
		return u.name
	}

	place(unit{"tank", 3, 4})
	place(unit{"jeep", 500, 2})
	fmt.Println(at(3, 4), at(500, 2), at(100, 100))

	tank, _ := units.At(grid[4][3])
	units.Remove(tank)
	fmt.Println(at(3, 4))
	place(unit{"boat", 9, 9}) // takes the slot of the tank
	fmt.Println(at(3, 4), at(9, 9))
	fmt.Println(unsafe.Sizeof(*grid)/1024, "KB")
	// Output:
	// tank jeep nobody
	// nobody
	// nobody boat
	// 512 KB
}

// By default a list gets shorter inside a loop that removes its last values. Nothing moves, the
// memory stays for the next wave, and the next loop looks at fewer slots.
func ExampleConfig_truncate() {
	type spark struct{ frames int }
	var sparks stable.List[spark]
	for i := range 64 {
		sparks.Insert(spark{frames: 7 - bits.Len(uint(i))}) // the last ones burn out first
	}
	for sparks.Len() > 4 {
		for k, s := range sparks.All() {
			if s.frames--; s.frames == 0 {
				sparks.Remove(k)
			}
		}
		fmt.Println(sparks.Len(), "sparks in", sparks.Touched(), "slots")
	}
	fmt.Println(sparks.Stats().Truncated, "truncations")
	// Output:
	// 32 sparks in 32 slots
	// 16 sparks in 16 slots
	// 8 sparks in 8 slots
	// 4 sparks in 4 slots
	// 4 truncations
}

// The placement decides where the next value goes, and how far the list is cut.
func ExamplePlacement() {
	for _, p := range []stable.Placement{stable.FirstFree, stable.Quartered} {
		l := stable.New[int](stable.Config{Placement: p})
		var keys []stable.ListKey[int]
		for i := range 16 {
			keys = append(keys, l.Insert(i))
		}
		l.Remove(keys[1])
		l.Remove(keys[2])
		next := l.Insert(100).Index()
		for _, k := range keys[11:] {
			l.Remove(k)
		}
		fmt.Println(p, "inserts in slot", next, "and keeps", l.Touched(), "slots for", l.Len())
	}
	// Output:
	// FirstFree inserts in slot 1 and keeps 11 slots for 10
	// Quartered inserts in slot 2 and keeps 16 slots for 10
}

// badge is an identifier of one byte, for a door with at most 255 visitors.
type badge uint8

// Next returns b + 1. After the last badge that is 0, so the list gives no more.
func (b badge) Next() badge { return b + 1 }

// An Identifier may be any comparable type with a Next. These run out after 255 values.
func ExampleIdentifier() {
	var inside stable.ListOf[string, uint32, badge]
	for range 254 {
		inside.Remove(inside.Insert("a visitor"))
	}
	last, err := inside.TryInsert("the last one")
	fmt.Println(last.ID(), err)

	_, err = inside.TryInsert("one more")
	fmt.Println(errors.Is(err, stable.ErrSpent), err)
	// Output:
	// 255 <nil>
	// true stable: identifiers used up
}

// The identifiers of two lists of seeds 1 and 2 begin far from each other. 0 is never given.
func ExampleCounter32() {
	var c stable.Counter32
	fmt.Println(c.Start(1), c.Start(2))
	c = 1<<32 - 1
	fmt.Println(c, c.Next())
	// Output:
	// 2654435769 1013904242
	// 4294967295 1
}

func ExampleCounter64() {
	var c stable.Counter64
	fmt.Printf("%#x %#x\n", c.Start(1), c.Start(2))
	c = 1<<32 - 1
	fmt.Println(c, c.Next())
	// Output:
	// 0x9e3779b97f4a7c15 0x3c6ef372fe94f82a
	// 4294967295 4294967296
}

// Both halves of a key can be read: the slot for arrays, the identifier for people and logs. No
// other value that the list has ever held has the same identifier.
func ExampleKey() {
	l := stable.New[string](stable.Config{Seed: 1})
	a := l.Insert("a")
	l.Remove(a)
	b := l.Insert("b")
	fmt.Println(a.Index(), a.ID())
	fmt.Println(b.Index(), b.ID()) // the same slot, another identifier
	fmt.Printf("%v %x %v\n", b, b, stable.ListKey[string]{})
	fmt.Println(a == b, a.IsZero(), unsafe.Sizeof(a), "bytes") // a stale key is not the zero Key
	// Output:
	// 0 2654435770
	// 0 2654435771
	// 0:2654435771 0:9e3779bb none
	// false false 8 bytes
}

// Data that few values need is kept in an array beside the list, at the index of the value's slot.
func ExampleKey_Index() {
	type ship struct{ name string }
	var ships stable.List[ship]
	ships.Insert(ship{"Ajax"})
	hood := ships.Insert(ship{"Hood"})

	route := make([][]int, ships.Cap()) // as long as the list until it grows
	route[hood.Index()] = []int{4, 8, 15}

	for k, s := range ships.All() {
		fmt.Println(s.name, route[k.Index()])
	}
	// Output:
	// Ajax []
	// Hood [4 8 15]
}
