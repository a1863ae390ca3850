package main

import (
	"reflect"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/stable"
)

// sizeOf returns the bytes of a T.
func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// askPool returns what makes Subjects of berth.Pool.
func askPool(conf berth.Config) func() Subject {
	return func() Subject {
		p := berth.NewPool[uint64](conf)
		return Calls[berth.Handle[uint64]]{
			Insert: p.Insert, Get: p.Get, Remove: second(p.Remove), Len: p.Len,
			Loop: pairs(p.All), ByHand: pairs(p.All),
			Ptr: p.Ptr, Clear: p.Clear, Clip: p.Clip,
			Objects: func() objects {
				p := berth.NewPool[*object](conf)
				return holds(p, p.Insert, func(h berth.Handle[*object]) { p.Remove(h) })
			},
		}.Subject()
	}
}

// askDense returns what makes Subjects of berth.Dense.
func askDense(mode berth.Defrag) func() Subject {
	return func() Subject {
		d := newDense[uint64](mode)
		return Calls[berth.Handle[uint64]]{
			Insert: d.Insert, Get: d.Get, Remove: second(d.Remove), Len: d.Len,
			Loop: pairs(d.All), ByHand: pairs(d.All),
			Ptr: d.Ptr, Clear: d.Clear, Clip: d.Clip,
			Objects: func() objects {
				d := newDense[*object](mode)
				return holds(d, d.Insert, func(h berth.Handle[*object]) { d.Remove(h) })
			},
		}.Subject()
	}
}

// narrowID is an identifier as narrow as the narrowest index, as a user may write one.
type narrowID uint16

func (d narrowID) Next() narrowID { return d + 1 }

// askStable returns what makes Subjects of stable.ListOf, most of room values.
func askStable[I stable.Index, D stable.Identifier[D]](
	conf stable.Config, room int,
) func() Subject {
	return func() Subject {
		l := stable.NewOf[uint64, I, D](conf)
		return Calls[stable.Key[uint64, I, D]]{
			Insert: l.Insert, Get: l.Get, Remove: second(l.Remove), Len: l.Len,
			Loop: pairs(l.All), ByHand: pairs(l.All),
			Ptr: l.Ptr, Clear: l.Clear, Clip: l.Clip,
			Objects: func() objects {
				l := stable.NewOf[*object, I, D](conf)
				return holds(l, l.Insert, func(k stable.Key[*object, I, D]) { l.Remove(k) })
			},
			Room:  room,
			Least: sizeOf[stable.Key[uint64, uint16, narrowID]](),
		}.Subject()
	}
}

// askArenaPool makes a Subject of arena.Pool, in an arena of its own.
func askArenaPool() Subject {
	p := arena.NewPool[uint64](arena.NewChunked(arenaChunk))
	return Calls[int]{
		Insert: func(v uint64) int {
			i, _ := p.Insert(v)
			return i
		},
		Get: p.Get, Remove: second(p.Remove), Len: p.Len,
		Loop: pairs(p.All), ByHand: pairs(p.All),
		Ptr: p.Ptr, Clear: p.Clear,
	}.Subject()
}

// askArenaHandles returns what makes Subjects of arena.Handles, of handles H, most of room values.
func askArenaHandles[H arena.HandleOf[uint64]](room int) func() Subject {
	return func() Subject {
		a := arena.NewChunked(arenaChunk)
		r := arena.NewHandles[uint64, H](a, arena.HandlesConfig{})
		return Calls[H]{
			Insert: func(v uint64) H {
				h, _ := r.Create(v)
				return h
			},
			Get: r.Get, Remove: r.Destroy, Len: r.Len,
			Loop: pairs(r.All), ByHand: pairs(r.All),
			Ptr: r.Ptr, Clear: r.Clear,
			Room:  room,
			Least: sizeOf[arena.Handle32[uint64]](),
		}.Subject()
	}
}
