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

func (c *linkedList) Pair(pairs, window int) (popped int) {
	out, next := c.out[:window], c.next
	for k := range pairs {
		if v := c.head; v != noEntry {
			c.head = next[v]
			out[k&(len(out)-1)] = v
			next[v], c.head = c.head, v
			popped++
		}
	}
	return popped
}

func (c *linkedList) Drain(n int) int {
	out, next := c.out[:n], c.next
	for i := range out {
		v := c.head
		if v == noEntry {
			return i
		}
		c.head = next[v]
		out[i] = v
	}
	return n
}

func (c *linkedList) Back(n int) {
	out, next := c.out[:n], c.next
	for i := len(out) - 1; i >= 0; i-- {
		v := out[i]
		next[v], c.head = c.head, v
	}
}

func (c *linkedList) Swap(places *freePlaces) (popped int) {
	out, next := c.out, c.next
	for _, i := range places {
		p := &out[i]
		v := *p
		next[v], c.head = c.head, v
		if v := c.head; v != noEntry {
			c.head = next[v]
			*p = v
			popped++
		}
	}
	return popped
}

func (c *linkedList) Scatter() {
	next := c.next
	for _, v := range c.in {
		next[v], c.head = c.head, v
	}
}

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

func (c *bareSliceList) Pair(pairs, window int) (popped int) {
	out := c.out[:window]
	for k := range pairs {
		if len(c.s) > 0 {
			v := c.s[len(c.s)-1]
			c.s = c.s[:len(c.s)-1]
			out[k&(len(out)-1)] = v
			c.s = append(c.s, v)
			popped++
		}
	}
	return popped
}

func (c *bareSliceList) Drain(n int) int {
	out := c.out[:n]
	for i := range out {
		if len(c.s) == 0 {
			return i
		}
		out[i] = c.s[len(c.s)-1]
		c.s = c.s[:len(c.s)-1]
	}
	return n
}

func (c *bareSliceList) Back(n int) {
	out := c.out[:n]
	for i := len(out) - 1; i >= 0; i-- {
		c.s = append(c.s, out[i])
	}
}

func (c *bareSliceList) Swap(places *freePlaces) (popped int) {
	out := c.out
	for _, i := range places {
		p := &out[i]
		c.s = append(c.s, *p)
		if len(c.s) > 0 {
			*p = c.s[len(c.s)-1]
			c.s = c.s[:len(c.s)-1]
			popped++
		}
	}
	return popped
}

func (c *bareSliceList) Scatter() {
	for _, v := range c.in { //nolint:staticcheck // one by one, as they all push
		c.s = append(c.s, v)
	}
}

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

func (c *chanList) Pair(pairs, window int) (popped int) {
	ch, out := c.ch, c.out[:window]
	for k := range pairs {
		select {
		case v := <-ch:
			out[k&(len(out)-1)] = v
			popped++
			select {
			case ch <- v:
			default:
			}
		default:
		}
	}
	return popped
}

func (c *chanList) Drain(n int) int {
	ch, out := c.ch, c.out[:n]
	for i := range out {
		select {
		case out[i] = <-ch:
		default:
			return i
		}
	}
	return n
}

func (c *chanList) Back(n int) {
	ch, out := c.ch, c.out[:n]
	for i := len(out) - 1; i >= 0; i-- {
		select {
		case ch <- out[i]:
		default:
		}
	}
}

func (c *chanList) Swap(places *freePlaces) (popped int) {
	ch, out := c.ch, c.out
	for _, i := range places {
		p := &out[i]
		select {
		case ch <- *p:
		default:
		}
		select {
		case *p = <-ch:
			popped++
		default:
		}
	}
	return popped
}

func (c *chanList) Scatter() {
	ch := c.ch
	for _, v := range c.in {
		select {
		case ch <- v:
		default:
		}
	}
}
