package arenas

import (
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var arrayVirtualImpl = measure.Impl{
	Name: "arena.Vec",
	About: "this library's array in an arena of its own, in reserved address space, where it " +
		"grows in place. The arena is reset before each filling.",
	Stale: "is valid",
	Ours:  true,
	Loops: "Push, a method of the array",
	Kit:   Kit{Array: func() Array { return new(virtualArray) }},
}

var arrayChunkedImpl = measure.Impl{
	Name: "Vec on Chunked",
	About: "the same in an arena of 64 KiB chunks on Go's heap: when one is full, the " +
		"array moves to the next, or to a larger one",
	Stale: "reads the old value",
	Ours:  true,
	Loops: "as those of arena.Vec",
	Kit:   Kit{Array: func() Array { return new(chunkedArray) }},
}

var arrayAppendImpl = measure.Impl{
	Name:  "arena.Append",
	About: "a bare slice in an arena of address space, to which arena.Append appends",
	Stale: "is valid while nothing else is allocated in the arena",
	Ours:  true,
	Loops: "a call for each value",
	Kit:   Kit{Array: func() Array { return new(appendArray) }},
}

var arraySliceImpl = measure.Impl{
	Name:  "append",
	About: "append to a []T on Go's heap that is a local variable of the loop",
	Stale: "reads the old value",
	Loops: "written out",
	Kit:   Kit{Array: func() Array { return new(sliceArray) }},
}

var arrayFieldImpl = measure.Impl{
	Name:  "append to a field",
	About: "append to a []T on Go's heap that is a field, as in a program between two calls",
	Stale: "reads the old value",
	Loops: "written out",
	Kit:   Kit{Array: func() Array { return new(fieldArray) }},
}

type virtualArray struct {
	ownArena
	v *arena.Vec[uint64]
}

func (c *virtualArray) New(room int) {
	c.v = arena.NewVec[uint64](c.fresh(32 * room))
	if room > 0 {
		c.v.Reserve(room)
	}
}

func (c *virtualArray) Push(n int) {
	v := c.v
	for i := range n {
		v.Push(uint64(i))
	}
}

func (c *virtualArray) Sum() uint64 { return sumArray(c.v.Slice()) }

type chunkedArray struct{ virtualArray }

func (c *chunkedArray) New(room int) {
	if c.a == nil {
		c.a = arena.NewChunked(impls.ArenaChunk)
	}
	c.virtualArray.New(room)
}

type appendArray struct {
	ownArena
	s []uint64
}

func (c *appendArray) New(room int) {
	c.fresh(32 * room)
	c.s = arena.MakeSliceDirty[uint64](c.a, 0, room)
}

func (c *appendArray) Push(n int) {
	s, a := c.s, c.a
	for i := range n {
		s, _ = arena.Append(a, s, uint64(i))
	}
	c.s = s
}

func (c *appendArray) Sum() uint64 { return sumArray(c.s) }

type sliceArray struct{ s []uint64 }

// New reuses the slice, as an arena is reused, unless it is to have no room.
func (c *sliceArray) New(room int) {
	if c.s = c.s[:0]; cap(c.s) < room || room == 0 {
		c.s = make([]uint64, 0, room)
	}
}

func (c *sliceArray) Push(n int) {
	s := c.s
	for i := range n {
		s = append(s, uint64(i))
	}
	c.s = s
}

func (c *sliceArray) Sum() uint64 { return sumArray(c.s) }

type fieldArray struct{ sliceArray }

func (c *fieldArray) Push(n int) {
	for i := range n {
		c.s = append(c.s, uint64(i))
	}
}
