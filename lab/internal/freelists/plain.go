package freelists

import (
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Free lists that programs write by themselves. Each is in memory, in a field, as in a program
// between two calls, and as the top of a freelist.Stack is.

var linkedImpl = measure.Impl{
	Name: "linked list",
	About: "a linked list through the entries: each free one holds the index of the next. " +
		"It needs 4 bytes of an entry, which may be unused while it is free.",
	Stale: "makes the list a cycle, or cuts off its rest",
	Loops: "written out",
	Kit: Kit{
		Gives: stackOrder,
		New:   func(n int) FreeList { return &linkedList{owner: newIndexOwner[uint32](n), n: n} },
	},
}

var bareSliceImpl = measure.Impl{
	Name:  "[]uint32",
	About: "a bare slice of indices, with append to push and s[len(s)-1] to pop",
	Stale: stackStale + "; the slice may grow without limit",
	Loops: "written out; the only check is whether it is empty",
	Kit: Kit{
		Gives: stackOrder,
		New: func(n int) FreeList {
			return &bareSliceList{owner: newIndexOwner[uint32](n), n: n}
		},
	},
}

var chanImpl = measure.Impl{
	Name: "chan uint32",
	About: "a channel with room for all indices. It is the only one here for several goroutines, " +
		"and it is first-in first-out.",
	Stale: "puts it into the channel twice, so it is popped twice",
	Loops: "select with a default",
	Kit: Kit{
		Gives: queueOrder,
		New:   func(n int) FreeList { return &chanList{owner: newIndexOwner[uint32](n), n: n} },
	},
}

// linkedList is the intrusive list; next stands for a field of the entries.
type linkedList struct {
	owner[uint32]
	n    int
	head uint32 // noEntry if none is free
	next []uint32
}

// noEntry is not the index of an entry.
const noEntry = ^uint32(0)

func (c *linkedList) New() {
	c.head, c.next = 0, make([]uint32, c.n)
	for i := range c.next {
		c.next[i] = uint32(i + 1)
	}
	c.next[c.n-1] = noEntry
}

func (c *linkedList) pop() func() (uint32, bool) {
	next := c.next
	return func() (uint32, bool) {
		v := c.head
		if v == noEntry {
			return 0, false
		}
		c.head = next[v]
		return v, true
	}
}

func (c *linkedList) push() func(uint32) {
	next := c.next
	return func(v uint32) { next[v], c.head = c.head, v }
}

func (c *linkedList) Pair(n, w int) int      { return pair(c.out[:w], n, c.pop(), c.push()) }
func (c *linkedList) Swap(p *freePlaces) int { return swap(c.out, p, c.pop(), c.push()) }
func (c *linkedList) Drain(n int) int        { return drain(c.out[:n], c.pop()) }
func (c *linkedList) Back(n int)             { back(c.out[:n], c.push()) }
func (c *linkedList) Scatter()               { scatter(c.in, c.push()) }

type bareSliceList struct {
	owner[uint32]
	n int
	s []uint32
}

func (c *bareSliceList) New() {
	c.s = make([]uint32, c.n)
	for i := range c.s {
		c.s[i] = uint32(c.n - 1 - i)
	}
}

func (c *bareSliceList) pop() func() (uint32, bool) {
	return func() (uint32, bool) {
		if len(c.s) == 0 {
			return 0, false
		}
		v := c.s[len(c.s)-1]
		c.s = c.s[:len(c.s)-1]
		return v, true
	}
}

func (c *bareSliceList) push() func(uint32) {
	return func(v uint32) { c.s = append(c.s, v) }
}

func (c *bareSliceList) Pair(n, w int) int      { return pair(c.out[:w], n, c.pop(), c.push()) }
func (c *bareSliceList) Swap(p *freePlaces) int { return swap(c.out, p, c.pop(), c.push()) }
func (c *bareSliceList) Drain(n int) int        { return drain(c.out[:n], c.pop()) }
func (c *bareSliceList) Back(n int)             { back(c.out[:n], c.push()) }
func (c *bareSliceList) Scatter()               { scatter(c.in, c.push()) }

type chanList struct {
	owner[uint32]
	n  int
	ch chan uint32
}

func (c *chanList) New() {
	c.ch = make(chan uint32, c.n)
	for i := range c.n {
		c.ch <- uint32(i)
	}
}

func (c *chanList) pop() func() (uint32, bool) {
	ch := c.ch
	return func() (uint32, bool) {
		select {
		case v := <-ch:
			return v, true
		default:
			return 0, false
		}
	}
}

func (c *chanList) push() func(uint32) {
	ch := c.ch
	return func(v uint32) {
		select {
		case ch <- v:
		default:
		}
	}
}

func (c *chanList) Pair(n, w int) int      { return pair(c.out[:w], n, c.pop(), c.push()) }
func (c *chanList) Swap(p *freePlaces) int { return swap(c.out, p, c.pop(), c.push()) }
func (c *chanList) Drain(n int) int        { return drain(c.out[:n], c.pop()) }
func (c *chanList) Back(n int)             { back(c.out[:n], c.push()) }
func (c *chanList) Scatter()               { scatter(c.in, c.push()) }
