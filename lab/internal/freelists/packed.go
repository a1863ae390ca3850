package freelists

import (
	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var packedImpl = measure.Impl{
	Name: "Packed",
	About: "a stack of indices in the necessary bits, here 8, 16 or 24: " +
		"freelist.Packed, made by NewPacked",
	Stale: stackStale,
	Loops: packedLoops,
	Ours:  true,
	Kit:   packedKit(freelist.NewPacked),
}

var packed24Impl = measure.Impl{
	Name:  "Packed 24",
	About: "a stack of indices of 24 bits: freelist.Packed, made by NewPackedBits",
	Stale: stackStale,
	Loops: packedLoops,
	Ours:  true,
	Kit:   packedKit(func(n int) *freelist.Packed { return freelist.NewPackedBits(n, 24) }),
}

const packedLoops = "Pop and Push; indices are stored as uint32"

func packedKit(of func(n int) *freelist.Packed) Kit {
	return Kit{Gives: stackOrder, New: func(n int) FreeList {
		return &packedList{
			owner: newIndexOwner[uint32](n),
			make:  func() *freelist.Packed { return of(n) },
		}
	}}
}

type packedList struct {
	owner[uint32]
	p    *freelist.Packed
	make func() *freelist.Packed
}

func (c *packedList) New() { c.p = c.make() }

func (c *packedList) pop() func() (uint32, bool) {
	s := c.p
	return func() (uint32, bool) {
		v, ok := s.Pop()
		return uint32(v), ok
	}
}

func (c *packedList) push() func(uint32) {
	s := c.p
	return func(v uint32) { s.Push(int(v)) }
}

func (c *packedList) Pair(n, w int) int      { return pair(c.out[:w], n, c.pop(), c.push()) }
func (c *packedList) Swap(p *freePlaces) int { return swap(c.out, p, c.pop(), c.push()) }
func (c *packedList) Drain(n int) int        { return drain(c.out[:n], c.pop()) }
func (c *packedList) Back(n int)             { back(c.out[:n], c.push()) }
func (c *packedList) Scatter()               { scatter(c.in, c.push()) }
