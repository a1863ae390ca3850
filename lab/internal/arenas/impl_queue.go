package arenas

import (
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

var queueSliceImpl = measure.Impl{
	Name: "slice queue",
	About: "append at the back, and s = s[1:] at the front: the space before the first is " +
		"garbage when append next copies",
	Stale: "reads the value, and keeps the old slice",
	Loops: "written out",
	Kit:   Kit{Queue: func() Queue { return new(sliceQueue) }},
}

// The loops of Queue, by the calls of a queue, which are inlined: they are function literals that
// an inlined method returns.

func shift(n int, pop func() (uint64, bool)) (sum uint64) {
	for i := range n {
		if v, ok := pop(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

func pass(next uint64, pairs int, push func(uint64), pop func() (uint64, bool)) (sum uint64) {
	for i := range pairs {
		push(next)
		next++
		if v, ok := pop(); ok {
			sum += weighted(i, v)
		}
	}
	return sum
}

func pushAll(from, to uint64, push func(uint64)) {
	for v := from; v < to; v++ {
		push(v)
	}
}

type arenaQueue struct {
	ownArena
	d *arena.Deque[uint64]
}

func (c *arenaQueue) New(n int) {
	c.d = arena.NewDeque[uint64](c.fresh(16*n), arena.DequeConfig{})
}

func (c *arenaQueue) push() func(uint64) {
	d := c.d
	return func(v uint64) { d.PushBack(v) }
}

func (c *arenaQueue) front() func() (uint64, bool) {
	d := c.d
	return func() (uint64, bool) { return d.PopFront() }
}

func (c *arenaQueue) back() func() (uint64, bool) {
	d := c.d
	return func() (uint64, bool) { return d.PopBack() }
}

func (c *arenaQueue) Push(from, to uint64) { pushAll(from, to, c.push()) }
func (c *arenaQueue) Shift(n int) uint64   { return shift(n, c.front()) }
func (c *arenaQueue) Pop(n int) uint64     { return shift(n, c.back()) }
func (c *arenaQueue) Pass(next uint64, pairs int) uint64 {
	return pass(next, pairs, c.push(), c.front())
}

type gammazeroQueue struct{ d *gammazero.Deque[uint64] }

func (c *gammazeroQueue) New(n int) {
	c.d = new(gammazero.Deque[uint64])
	c.d.Grow(n)
}

func (c *gammazeroQueue) push() func(uint64) {
	d := c.d
	return func(v uint64) { d.PushBack(v) }
}

func (c *gammazeroQueue) front() func() (uint64, bool) {
	d := c.d
	return func() (uint64, bool) {
		if d.Len() > 0 {
			return d.PopFront(), true
		}
		return 0, false
	}
}

func (c *gammazeroQueue) back() func() (uint64, bool) {
	d := c.d
	return func() (uint64, bool) {
		if d.Len() > 0 {
			return d.PopBack(), true
		}
		return 0, false
	}
}

func (c *gammazeroQueue) Push(from, to uint64) { pushAll(from, to, c.push()) }
func (c *gammazeroQueue) Shift(n int) uint64   { return shift(n, c.front()) }
func (c *gammazeroQueue) Pop(n int) uint64     { return shift(n, c.back()) }
func (c *gammazeroQueue) Pass(next uint64, pairs int) uint64 {
	return pass(next, pairs, c.push(), c.front())
}

type edwingengQueue struct{ d *edwingeng.Deque[uint64] }

func (c *edwingengQueue) New(int) { c.d = edwingeng.NewDeque[uint64]() }

func (c *edwingengQueue) push() func(uint64) {
	d := c.d
	return func(v uint64) { d.PushBack(v) }
}

func (c *edwingengQueue) front() func() (uint64, bool) {
	d := c.d
	return func() (uint64, bool) { return d.TryPopFront() }
}

func (c *edwingengQueue) back() func() (uint64, bool) {
	d := c.d
	return func() (uint64, bool) { return d.TryPopBack() }
}

func (c *edwingengQueue) Push(from, to uint64) { pushAll(from, to, c.push()) }
func (c *edwingengQueue) Shift(n int) uint64   { return shift(n, c.front()) }
func (c *edwingengQueue) Pop(n int) uint64     { return shift(n, c.back()) }
func (c *edwingengQueue) Pass(next uint64, pairs int) uint64 {
	return pass(next, pairs, c.push(), c.front())
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
