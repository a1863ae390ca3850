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
	Name:  "CheckedPointers",
	About: "a Checked of pointers into an array of the program: freelist.CheckedPointers",
	Stale: "is refused",
	Loops: "Pop and Push",
	Ours:  true,
	Kit: Kit{
		Gives: stackOrder,
		New: func(n int) FreeList {
			items := newItems(n)
			return &checkedPtrList{owner: newItemOwner(items), items: items}
		},
	},
}

type checkedList struct {
	owner[uint32]
	s *freelist.Checked[uint32]
	n int
}

func (c *checkedList) New() { c.s = freelist.NewChecked[uint32](c.n) }

func (c *checkedList) pop() func() (uint32, bool) {
	s := c.s
	return func() (uint32, bool) { return s.Pop() }
}

func (c *checkedList) push() func(uint32) {
	s := c.s
	return func(v uint32) { s.Push(v) }
}

func (c *checkedList) Pair(n, w int) int      { return pair(c.out[:w], n, c.pop(), c.push()) }
func (c *checkedList) Swap(p *freePlaces) int { return swap(c.out, p, c.pop(), c.push()) }
func (c *checkedList) Drain(n int) int        { return drain(c.out[:n], c.pop()) }
func (c *checkedList) Back(n int)             { back(c.out[:n], c.push()) }
func (c *checkedList) Scatter()               { scatter(c.in, c.push()) }

type checkedPtrList struct {
	owner[*item]
	s     *freelist.CheckedPointers[item]
	items []item
}

func (c *checkedPtrList) New() { c.s = freelist.NewCheckedPointers(c.items) }

func (c *checkedPtrList) pop() func() (*item, bool) {
	s := c.s
	return func() (*item, bool) { return s.Pop() }
}

func (c *checkedPtrList) push() func(*item) {
	s := c.s
	return func(v *item) { s.Push(v) }
}

func (c *checkedPtrList) Pair(n, w int) int      { return pair(c.out[:w], n, c.pop(), c.push()) }
func (c *checkedPtrList) Swap(p *freePlaces) int { return swap(c.out, p, c.pop(), c.push()) }
func (c *checkedPtrList) Drain(n int) int        { return drain(c.out[:n], c.pop()) }
func (c *checkedPtrList) Back(n int)             { back(c.out[:n], c.push()) }
func (c *checkedPtrList) Scatter()               { scatter(c.in, c.push()) }
