package freelists

import (
	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var lowestImpl = measure.Impl{
	Name: "Lowest",
	About: "a bitmap of the free entries, and bitmaps of its words, to find the lowest: " +
		"freelist.Lowest",
	Stale: "is refused",
	Loops: "Take and Free; indices are stored as uint32",
	Ours:  true,
	Kit: Kit{
		Gives: lowestOrder,
		New:   func(n int) FreeList { return &lowestList{owner: newIndexOwner[uint32](n), n: n} },
	},
}

type lowestList struct {
	owner[uint32]
	l *freelist.Lowest
	n int
}

func (c *lowestList) New() { c.l = freelist.NewLowest(c.n) }

func (c *lowestList) Pair(pairs, window int) (popped int) {
	s, out := c.l, c.out[:window]
	for k := range pairs {
		if v, ok := s.Take(); ok {
			out[k&(len(out)-1)] = uint32(v)
			s.Free(v)
			popped++
		}
	}
	return popped
}

func (c *lowestList) Drain(n int) int {
	s, out := c.l, c.out[:n]
	for i := range out {
		v, ok := s.Take()
		if !ok {
			return i
		}
		out[i] = uint32(v)
	}
	return n
}

func (c *lowestList) Back(n int) {
	s, out := c.l, c.out[:n]
	for i := len(out) - 1; i >= 0; i-- {
		s.Free(int(out[i]))
	}
}

func (c *lowestList) Swap(places *freePlaces) (popped int) {
	s, out := c.l, c.out
	for _, i := range places {
		p := &out[i]
		s.Free(int(*p))
		if v, ok := s.Take(); ok {
			*p = uint32(v)
			popped++
		}
	}
	return popped
}

func (c *lowestList) Scatter() {
	s := c.l
	for _, v := range c.in {
		s.Free(int(v))
	}
}
