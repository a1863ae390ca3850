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

func (c *lowestList) pop() func() (uint32, bool) {
	s := c.l
	return func() (uint32, bool) {
		v, ok := s.Take()
		return uint32(v), ok
	}
}

func (c *lowestList) push() func(uint32) {
	s := c.l
	return func(v uint32) { s.Free(int(v)) }
}

func (c *lowestList) Pair(n, w int) int      { return pair(c.out[:w], n, c.pop(), c.push()) }
func (c *lowestList) Swap(p *freePlaces) int { return swap(c.out, p, c.pop(), c.push()) }
func (c *lowestList) Drain(n int) int        { return drain(c.out[:n], c.pop()) }
func (c *lowestList) Back(n int)             { back(c.out[:n], c.push()) }
func (c *lowestList) Scatter()               { scatter(c.in, c.push()) }
