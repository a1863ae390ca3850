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
		return &subject[berth.Handle[uint64]]{
			insert: p.Insert, get: p.Get, remove: second(p.Remove), length: p.Len,
			loop: pairs(p.All), byHand: pairs(p.All),
			ptr: p.Ptr, clear: p.Clear, clip: p.Clip,
			objects: func() objects {
				p := berth.NewPool[*object](conf)
				return holds(p, p.Insert, func(h berth.Handle[*object]) { p.Remove(h) })
			},
		}
	}
}

// askDense returns what makes Subjects of berth.Dense.
func askDense(mode berth.Defrag) func() Subject {
	return func() Subject {
		d := newDense[uint64](mode)
		return &subject[berth.Handle[uint64]]{
			insert: d.Insert, get: d.Get, remove: second(d.Remove), length: d.Len,
			loop: pairs(d.All), byHand: pairs(d.All),
			ptr: d.Ptr, clear: d.Clear, clip: d.Clip,
			objects: func() objects {
				d := newDense[*object](mode)
				return holds(d, d.Insert, func(h berth.Handle[*object]) { d.Remove(h) })
			},
		}
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
		return &subject[stable.Key[uint64, I, D]]{
			insert: l.Insert, get: l.Get, remove: second(l.Remove), length: l.Len,
			loop: pairs(l.All), byHand: pairs(l.All),
			ptr: l.Ptr, clear: l.Clear, clip: l.Clip,
			objects: func() objects {
				l := stable.NewOf[*object, I, D](conf)
				return holds(l, l.Insert, func(k stable.Key[*object, I, D]) { l.Remove(k) })
			},
			room:  room,
			least: sizeOf[stable.Key[uint64, uint16, narrowID]](),
		}
	}
}

// askArenaPool makes a Subject of arena.Pool, in an arena of its own.
func askArenaPool() Subject {
	p := arena.NewPool[uint64](arena.NewChunked(arenaChunk))
	return &subject[int]{
		insert: func(v uint64) int {
			i, _ := p.Insert(v)
			return i
		},
		get: p.Get, remove: second(p.Remove), length: p.Len,
		loop: pairs(p.All), byHand: pairs(p.All),
		ptr: p.Ptr, clear: p.Clear,
	}
}

// askArenaHandles returns what makes Subjects of arena.Handles, of handles H, most of room values.
func askArenaHandles[H arena.HandleOf[uint64]](room int) func() Subject {
	return func() Subject {
		a := arena.NewChunked(arenaChunk)
		r := arena.NewHandles[uint64, H](a, arena.HandlesConfig{})
		return &subject[H]{
			insert: func(v uint64) H {
				h, _ := r.Create(v)
				return h
			},
			get: r.Get, remove: r.Destroy, length: r.Len,
			loop: pairs(r.All), byHand: pairs(r.All),
			ptr: r.Ptr, clear: r.Clear,
			room:  room,
			least: sizeOf[arena.Handle32[uint64]](),
		}
	}
}
