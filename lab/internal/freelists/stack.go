package freelists

import (
	"math"

	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The stacks share their loops, since they differ only in the type of entries. The compiler
// instantiates the loops for each, with the calls to the stack inlined.

const stackStale = "puts it on the stack twice, so it is popped twice"

var stack8Impl = measure.Impl{
	Name:  "Stack[uint8]",
	About: "an array of indices of 8 bits and a top: freelist.Stack, made by NewIndices",
	Stale: stackStale,
	Loops: "Pop and Push, inlined",
	Ours:  true,
	Most:  math.MaxUint8 + 1,
	Kit:   Kit{New: newIndexStack[uint8], Gives: stackOrder},
}

var stack16Impl = measure.Impl{
	Name:  "Stack[uint16]",
	About: "an array of indices of 16 bits and a top: freelist.Stack, made by NewIndices",
	Stale: stackStale,
	Loops: "Pop and Push, inlined",
	Ours:  true,
	Most:  math.MaxUint16 + 1,
	Kit:   Kit{New: newIndexStack[uint16], Gives: stackOrder},
}

var stack32Impl = measure.Impl{
	Name:  "Stack[uint32]",
	About: "an array of indices of 32 bits and a top: freelist.Stack, made by NewIndices",
	Stale: stackStale,
	Loops: "Pop and Push, inlined",
	Ours:  true,
	Kit:   Kit{New: newIndexStack[uint32], Gives: stackOrder},
}

var stackPointersImpl = measure.Impl{
	Name: "Stack[*T]",
	About: "pointers into an array of the program, here of items of 4 bytes: freelist.Stack, " +
		"made by NewPointers",
	Stale: stackStale,
	Loops: "Pop and Push, inlined; storing a pointer costs more while the collector runs",
	Ours:  true,
	Kit:   Kit{New: newPointerStack, Gives: stackOrder},
}

var stackTilesImpl = measure.Impl{
	Name: "Stack[tile]",
	About: "values of 4 bytes, here tiles of an atlas: freelist.Stack, made by NewValues. It " +
		"keeps its initial values, which take half of its memory.",
	Stale: stackStale,
	Loops: "Pop and Push, inlined",
	Ours:  true,
	Kit:   Kit{New: newTileStack, Gives: stackOrder},
}

// item is the target of the pointers.
type item struct{ index uint32 }

func newItems(n int) []item {
	items := make([]item, n)
	for i := range items {
		items[i].index = uint32(i)
	}
	return items
}

func newItemOwner(items []item) owner[*item] {
	return newOwner(len(items),
		func(i uint32) *item { return &items[i] }, func(p *item) uint32 { return p.index })
}

// tile is a position in an atlas: the column and row of a page.
type tile struct {
	x, y uint8
	page uint16
}

func tileOf(i uint32) tile { return tile{uint8(i), uint8(i >> 8), uint16(i >> 16)} }

func (t tile) index() uint32 { return uint32(t.x) | uint32(t.y)<<8 | uint32(t.page)<<16 }

func newIndexStack[I uint8 | uint16 | uint32](n int) FreeList {
	return &stackList[I]{
		owner: newIndexOwner[I](n),
		make:  func() *freelist.Stack[I] { return freelist.NewIndices[I](n) },
	}
}

func newPointerStack(n int) FreeList {
	items := newItems(n)
	return &stackList[*item]{
		owner: newItemOwner(items),
		make:  func() *freelist.Stack[*item] { return freelist.NewPointers(items) },
	}
}

func newTileStack(n int) FreeList {
	return &stackList[tile]{
		owner: newOwner(n, tileOf, tile.index),
		make: func() *freelist.Stack[tile] {
			tiles := make([]tile, n)
			for i := range tiles {
				tiles[i] = tileOf(uint32(i))
			}
			return freelist.NewValues(tiles)
		},
	}
}

type stackList[V any] struct {
	owner[V]
	s    *freelist.Stack[V]
	make func() *freelist.Stack[V]
}

func (c *stackList[V]) New() { c.s = c.make() }

// push returns the call that pushes an entry.
func (c *stackList[V]) push() func(V) {
	s := c.s
	return func(v V) { s.Push(v) }
}

func (c *stackList[V]) Pair(pairs, window int) int {
	return pair(c.out[:window], pairs, c.s.Pop, c.push())
}

func (c *stackList[V]) Swap(places *freePlaces) int {
	return swap(c.out, places, c.s.Pop, c.push())
}

func (c *stackList[V]) Drain(n int) int { return drain(c.out[:n], c.s.Pop) }
func (c *stackList[V]) Back(n int)      { back(c.out[:n], c.push()) }
func (c *stackList[V]) Scatter()        { scatter(c.in, c.push()) }
