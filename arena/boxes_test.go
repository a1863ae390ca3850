package arena_test

import (
	"iter"

	"github.com/seed505807e1/berth/arena"
)

// box is a container of any kind, as far as the kinds are alike.
type box struct {
	name  string
	c     any         // the container
	add   func() bool // adds a value
	clear func()
	len   func() int
	check func()
	// grow has the methods that make room for a number of values, by name.
	grow map[string]func(n int) bool
	// loops are the methods with a loop over the values, by name.
	loops map[string]func(yield func() bool)
}

// boxesOf returns a box for each of some containers of ints.
func boxesOf(
	v *arena.Vec[int], d *arena.Deque[int], p *arena.Pool[int], m *arena.Map[int, int],
	r *arena.Handles[int, arena.Handle32[int]],
) []box {
	type (
		grow  = map[string]func(int) bool
		loops = map[string]func(func() bool)
	)
	key := 0
	return []box{
		{"Vec", v, func() bool { return v.Push(1) }, v.Clear, v.Len, v.CheckInvariants,
			grow{"Reserve": v.Reserve, "Resize": v.Resize}, loops{"All": each(v.All())}},
		{"Deque", d, func() bool { return d.PushBack(1) }, d.Clear, d.Len, d.CheckInvariants,
			grow{"ReserveBack": d.ReserveBack, "ReserveFront": d.ReserveFront},
			loops{"All": each(d.All()), "Spans": each(d.Spans())}},
		{"Pool", p, func() bool { _, ok := p.Insert(1); return ok }, p.Clear, p.Len, p.CheckInvariants,
			grow{"Grow": p.Grow}, loops{"All": each(p.All()), "Values": eachOne(p.Values()),
				"Spans": each(p.Spans()), "Chunks": eachOne(p.Chunks())}},
		{"Map", m, func() bool { key++; return m.Set(key, 1) }, m.Clear, m.Len, m.CheckInvariants,
			grow{"Grow": m.Grow}, loops{"All": each(m.All())}},
		{"Handles", r, func() bool { _, err := r.Insert(1); return err == nil }, r.Clear, r.Len,
			r.CheckInvariants, grow{"Grow": r.Grow}, loops{"All": each(r.All()),
				"Values": eachOne(r.Values()), "Spans": each(r.Spans())}},
	}
}

// boxes returns a box for each kind of container, all of them empty and in a.
func boxes(a *arena.Arena) []box {
	return boxesOf(arena.NewVec[int](a), arena.NewDeque[int](a, arena.DequeConfig{Block: 8}),
		arena.NewPool[int](a), arena.NewMap[int, int](a),
		arena.NewHandles[int, arena.Handle32[int]](a, arena.HandlesConfig{}))
}

// each returns a loop over seq that ignores its values.
func each[K, V any](seq iter.Seq2[K, V]) func(func() bool) {
	return func(yield func() bool) { seq(func(K, V) bool { return yield() }) }
}

func eachOne[V any](seq iter.Seq[V]) func(func() bool) {
	return func(yield func() bool) { seq(func(V) bool { return yield() }) }
}

// looped is a box in an arena with 200 values, and one of its loops.
type looped struct {
	box
	fn   string // the loop's method, as in panics
	loop func(yield func() bool)
}

// inLoops calls f with each loop of each kind of container, in an arena that newArena returns.
func inLoops(newArena func() *arena.Arena, f func(a *arena.Arena, m arena.Mark, l looped)) {
	for i, b := range boxes(nil) {
		for fn := range b.loops {
			a := newArena()
			m := a.Mark()
			b := boxes(a)[i]
			for range 200 {
				b.add()
			}
			f(a, m, looped{b, b.name + "." + fn, b.loops[fn]})
		}
	}
}
