package arenas

import (
	"container/list"

	"github.com/seed505807e1/berth/lab/internal/measure"

	edwingeng "github.com/edwingeng/deque/v2"

	gammazero "github.com/gammazero/deque"

	"github.com/seed505807e1/berth/arena"
)

var queueArenaImpl = measure.Impl{
	Name: "arena.Deque",
	About: "this library's deque in an arena: blocks of 4 KiB, which are reused when they " +
		"are empty. Its arena is in reserved address space, and reset before each filling.",
	Stale: "reads a later value",
	Ours:  true,
	Loops: "PushBack, PopFront and PopBack",
	Kit:   Kit{Queue: func() Queue { return new(arenaQueue) }},
}

var queueGammazeroImpl = measure.Impl{
	Name: "gammazero/deque",
	About: "github.com/gammazero/deque 1.2.3: a ring in a slice. To grow or shrink, it copies " +
		"all to one of twice or half the size.",
	Stale: "does not exist",
	Loops: "each pop calls Len first, since a pop of an empty deque panics",
	Kit:   Kit{Queue: func() Queue { return new(gammazeroQueue) }},
}

var queueEdwingengImpl = measure.Impl{
	Name: "edwingeng/deque",
	About: "github.com/edwingeng/deque/v2 2.1.1: chunks of 1 KiB, and a table of them. " +
		"Empty ones go to a sync.Pool, from which the collector may take them.",
	Stale: "does not exist",
	Loops: "PushBack, TryPopFront and TryPopBack",
	Kit:   Kit{Queue: func() Queue { return new(edwingengQueue) }},
}

var queueListImpl = measure.Impl{
	Name:  "container/list",
	About: "the standard library's linked list, of values in interfaces",
	Stale: "keeps the value",
	Loops: "Front or Back, and Remove",
	Kit:   Kit{Queue: func() Queue { return new(listQueue) }},
}

var queueSliceImpl = measure.Impl{
	Name: "slice queue",
	About: "append at the back, and s = s[1:] at the front: the space before the first is " +
		"garbage when append next copies",
	Stale: "reads the value, and keeps the old slice",
	Loops: "written out",
	Kit:   Kit{Queue: func() Queue { return new(sliceQueue) }},
}

type arenaQueue struct {
	ownArena
	d *arena.Deque[uint64]
}

func (c *arenaQueue) New(n int) {
	c.d = arena.NewDeque[uint64](c.fresh(16*n), arena.DequeConfig{})
}

func (c *arenaQueue) Push(from, to uint64) {
	d := c.d
	for v := from; v < to; v++ {
		d.PushBack(v)
	}
}

func (c *arenaQueue) Shift(n int) (sum uint64) {
	d := c.d
	for i := range n {
		if v, ok := d.PopFront(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

func (c *arenaQueue) Pop(n int) (sum uint64) {
	d := c.d
	for i := range n {
		if v, ok := d.PopBack(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

func (c *arenaQueue) Pass(next uint64, pairs int) (sum uint64) {
	d := c.d
	for i := range pairs {
		d.PushBack(next)
		next++
		if v, ok := d.PopFront(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

type gammazeroQueue struct{ d *gammazero.Deque[uint64] }

func (c *gammazeroQueue) New(n int) {
	c.d = new(gammazero.Deque[uint64])
	c.d.Grow(n)
}

func (c *gammazeroQueue) Push(from, to uint64) {
	d := c.d
	for v := from; v < to; v++ {
		d.PushBack(v)
	}
}

func (c *gammazeroQueue) Shift(n int) (sum uint64) {
	d := c.d
	for i := range n {
		if d.Len() > 0 {
			sum += weighted(i, d.PopFront())
		}
	}
	return sum
}

func (c *gammazeroQueue) Pop(n int) (sum uint64) {
	d := c.d
	for i := range n {
		if d.Len() > 0 {
			sum += weighted(i, d.PopBack())
		}
	}
	return sum
}

func (c *gammazeroQueue) Pass(next uint64, pairs int) (sum uint64) {
	d := c.d
	for i := range pairs {
		d.PushBack(next)
		next++
		if d.Len() > 0 {
			sum += weighted(i, d.PopFront())
		}
	}
	return sum
}

type edwingengQueue struct{ d *edwingeng.Deque[uint64] }

func (c *edwingengQueue) New(int) { c.d = edwingeng.NewDeque[uint64]() }

func (c *edwingengQueue) Push(from, to uint64) {
	d := c.d
	for v := from; v < to; v++ {
		d.PushBack(v)
	}
}

func (c *edwingengQueue) Shift(n int) (sum uint64) {
	d := c.d
	for i := range n {
		if v, ok := d.TryPopFront(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

func (c *edwingengQueue) Pop(n int) (sum uint64) {
	d := c.d
	for i := range n {
		if v, ok := d.TryPopBack(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

func (c *edwingengQueue) Pass(next uint64, pairs int) (sum uint64) {
	d := c.d
	for i := range pairs {
		d.PushBack(next)
		next++
		if v, ok := d.TryPopFront(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

type listQueue struct{ l *list.List }

func (c *listQueue) New(int) { c.l = list.New() }

func (c *listQueue) Push(from, to uint64) {
	l := c.l
	for v := from; v < to; v++ {
		l.PushBack(v)
	}
}

func (c *listQueue) Shift(n int) (sum uint64) {
	l := c.l
	for i := range n {
		if e := l.Front(); e != nil {
			sum += weighted(i, l.Remove(e).(uint64))
		}
	}
	return sum
}

func (c *listQueue) Pop(n int) (sum uint64) {
	l := c.l
	for i := range n {
		if e := l.Back(); e != nil {
			sum += weighted(i, l.Remove(e).(uint64))
		}
	}
	return sum
}

func (c *listQueue) Pass(next uint64, pairs int) (sum uint64) {
	l := c.l
	for i := range pairs {
		l.PushBack(next)
		next++
		if e := l.Front(); e != nil {
			sum += weighted(i, l.Remove(e).(uint64))
		}
	}
	return sum
}

type sliceQueue struct{ s []uint64 }

func (c *sliceQueue) New(int) { c.s = nil }

func (c *sliceQueue) Push(from, to uint64) {
	s := c.s
	for v := from; v < to; v++ {
		s = append(s, v)
	}
	c.s = s
}

func (c *sliceQueue) Shift(n int) (sum uint64) {
	s := c.s
	for i := range n {
		if len(s) > 0 {
			sum += weighted(i, s[0])
			s = s[1:]
		}
	}
	c.s = s
	return sum
}

func (c *sliceQueue) Pop(n int) (sum uint64) {
	s := c.s
	for i := range n {
		if last := len(s) - 1; last >= 0 {
			sum += weighted(i, s[last])
			s = s[:last]
		}
	}
	c.s = s
	return sum
}

func (c *sliceQueue) Pass(next uint64, pairs int) (sum uint64) {
	s := c.s
	for i := range pairs {
		s = append(s, next)
		next++
		sum += weighted(i, s[0])
		s = s[1:]
	}
	c.s = s
	return sum
}
