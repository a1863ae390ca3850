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
	Loops: "Pop and Push; indices are stored as uint32",
	Ours:  true,
	Kit: Kit{
		Gives: stackOrder,
		New: func(n int) FreeList {
			return &packedList{
				owner: newIndexOwner[uint32](n),
				make:  func() *freelist.Packed { return freelist.NewPacked(n) },
			}
		},
	},
}

var packed24Impl = measure.Impl{
	Name:  "Packed 24",
	About: "a stack of indices of 24 bits: freelist.Packed, made by NewPackedBits",
	Stale: stackStale,
	Loops: "Pop and Push; indices are stored as uint32",
	Ours:  true,
	Kit: Kit{
		Gives: stackOrder,
		New: func(n int) FreeList {
			return &packedList{
				owner: newIndexOwner[uint32](n),
				make:  func() *freelist.Packed { return freelist.NewPackedBits(n, 24) },
			}
		},
	},
}

type packedList struct {
	owner[uint32]
	p    *freelist.Packed
	make func() *freelist.Packed
}

func (c *packedList) New() { c.p = c.make() }

func (c *packedList) Pair(pairs, window int) (popped int) {
	s, out := c.p, c.out[:window]
	for k := range pairs {
		if v, ok := s.Pop(); ok {
			out[k&(len(out)-1)] = uint32(v)
			s.Push(v)
			popped++
		}
	}
	return popped
}

func (c *packedList) Drain(n int) int {
	s, out := c.p, c.out[:n]
	for i := range out {
		v, ok := s.Pop()
		if !ok {
			return i
		}
		out[i] = uint32(v)
	}
	return n
}

func (c *packedList) Back(n int) {
	s, out := c.p, c.out[:n]
	for i := len(out) - 1; i >= 0; i-- {
		s.Push(int(out[i]))
	}
}

func (c *packedList) Swap(places *freePlaces) (popped int) {
	s, out := c.p, c.out
	for _, i := range places {
		p := &out[i]
		s.Push(int(*p))
		if v, ok := s.Pop(); ok {
			*p = uint32(v)
			popped++
		}
	}
	return popped
}

func (c *packedList) Scatter() {
	s := c.p
	for _, v := range c.in {
		s.Push(int(v))
	}
}
