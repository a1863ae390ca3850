package freelists

import (
	"fmt"
	"math"

	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The stacks share their loops, since they differ only in the type of entries. The compiler
// instantiates the loops for each, with the calls to the stack inlined.

const stackStale = "puts it on the stack twice, so it is popped twice"

var (
	stack8Impl  = stackOf[uint8](8, math.MaxUint8+1)
	stack16Impl = stackOf[uint16](16, math.MaxUint16+1)
	stack32Impl = stackOf[uint32](32, 0)
)

// stackOf describes a stack of indices of as many bits, at most most of them.
func stackOf[I uint8 | uint16 | uint32](bits, most int) measure.Impl {
	return measure.Impl{
		Name: fmt.Sprintf("Stack[uint%d]", bits),
		About: fmt.Sprintf("an array of indices of %d bits and a top: freelist.Stack, made by "+
			"NewIndices", bits),
		Stale: stackStale,
		Loops: "Pop and Push, inlined",
		Ours:  true,
		Most:  most,
		Kit: Kit{Gives: stackOrder, New: func(n int) FreeList {
			return &stackList[I]{
				owner: newIndexOwner[I](n),
				make:  func() *freelist.Stack[I] { return freelist.NewIndices[I](n) },
			}
		}},
	}
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

func (c *stackList[V]) push() func(V) {
	s := c.s
	return func(v V) { s.Push(v) }
}

func (c *stackList[V]) Pair(n, w int) int      { return pair(c.out[:w], n, c.s.Pop, c.push()) }
func (c *stackList[V]) Swap(p *freePlaces) int { return swap(c.out, p, c.s.Pop, c.push()) }
func (c *stackList[V]) Drain(n int) int        { return drain(c.out[:n], c.s.Pop) }
func (c *stackList[V]) Back(n int)             { back(c.out[:n], c.push()) }
func (c *stackList[V]) Scatter()               { scatter(c.in, c.push()) }
