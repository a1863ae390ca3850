package freelists

import (
	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var checkedImpl = measure.Impl{
	Name:  "Checked",
	About: "a Stack[uint32], with a bitmap of the free entries: freelist.Checked",
	Stale: "is refused",
	Loops: "Pop and Push",
	Ours:  true,
	Kit: Kit{
		Gives: stackOrder,
		New:   func(n int) FreeList { return &checkedList{owner: newIndexOwner[uint32](n), n: n} },
	},
}

var checkedPointersImpl = measure.Impl{
	Name: "CheckedPointers",
	About: "a Checked of pointers into an array of the program: " +
		"freelist.CheckedPointers",
	Stale: "is refused",
	Loops: "Pop and Push",
	Ours:  true,
	Kit: Kit{
		Gives: stackOrder,
		New: func(n int) FreeList {
			items := newItems(n)
			return &checkedPointersList{owner: newItemOwner(items), items: items}
		},
	},
}

type checkedList struct {
	owner[uint32]
	s *freelist.Checked[uint32]
	n int
}

func (c *checkedList) New() { c.s = freelist.NewChecked[uint32](c.n) }

func (c *checkedList) Pair(pairs, window int) (popped int) {
	s, out := c.s, c.out[:window]
	for k := range pairs {
		if v, ok := s.Pop(); ok {
			out[k&(len(out)-1)] = v
			s.Push(v)
			popped++
		}
	}
	return popped
}

func (c *checkedList) Drain(n int) int {
	s, out := c.s, c.out[:n]
	for i := range out {
		v, ok := s.Pop()
		if !ok {
			return i
		}
		out[i] = v
	}
	return n
}

func (c *checkedList) Back(n int) {
	s, out := c.s, c.out[:n]
	for i := len(out) - 1; i >= 0; i-- {
		s.Push(out[i])
	}
}

func (c *checkedList) Swap(places *freePlaces) (popped int) {
	s, out := c.s, c.out
	for _, i := range places {
		p := &out[i]
		s.Push(*p)
		if v, ok := s.Pop(); ok {
			*p = v
			popped++
		}
	}
	return popped
}

func (c *checkedList) Scatter() {
	s := c.s
	for _, v := range c.in {
		s.Push(v)
	}
}

type checkedPointersList struct {
	owner[*item]
	s     *freelist.CheckedPointers[item]
	items []item
}

func (c *checkedPointersList) New() { c.s = freelist.NewCheckedPointers(c.items) }

func (c *checkedPointersList) Pair(pairs, window int) (popped int) {
	s, out := c.s, c.out[:window]
	for k := range pairs {
		if v, ok := s.Pop(); ok {
			out[k&(len(out)-1)] = v
			s.Push(v)
			popped++
		}
	}
	return popped
}

func (c *checkedPointersList) Drain(n int) int {
	s, out := c.s, c.out[:n]
	for i := range out {
		v, ok := s.Pop()
		if !ok {
			return i
		}
		out[i] = v
	}
	return n
}

func (c *checkedPointersList) Back(n int) {
	s, out := c.s, c.out[:n]
	for i := len(out) - 1; i >= 0; i-- {
		s.Push(out[i])
	}
}

func (c *checkedPointersList) Swap(places *freePlaces) (popped int) {
	s, out := c.s, c.out
	for _, i := range places {
		p := &out[i]
		s.Push(*p)
		if v, ok := s.Pop(); ok {
			*p = v
			popped++
		}
	}
	return popped
}

func (c *checkedPointersList) Scatter() {
	s := c.s
	for _, v := range c.in {
		s.Push(v)
	}
}
