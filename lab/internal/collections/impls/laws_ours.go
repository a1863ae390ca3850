package impls

import (
	"reflect"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/stable"
)

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

func askPool(conf berth.Config) func() laws.Subject {
	return func() laws.Subject {
		p := berth.NewPool[uint64](conf)
		return laws.Calls[berth.Handle[uint64]]{
			Insert: p.Insert, Get: p.Get, Remove: laws.Second(p.Remove), Len: p.Len,
			Loop: laws.Pairs(p.All), ByHand: laws.Pairs(p.All),
			Ptr: p.Ptr, Clear: p.Clear, Clip: p.Clip,
			Objects: func() laws.Objects {
				p := berth.NewPool[*laws.Object](conf)
				return laws.Holds(p, p.Insert, func(h berth.Handle[*laws.Object]) { p.Remove(h) })
			},
		}.Subject()
	}
}

func askDense(mode berth.Defrag) func() laws.Subject {
	return func() laws.Subject {
		d := newDense[uint64](mode).d
		return laws.Calls[berth.Handle[uint64]]{
			Insert: d.Insert, Get: d.Get, Remove: laws.Second(d.Remove), Len: d.Len,
			Loop: laws.Pairs(d.All), ByHand: laws.Pairs(d.All),
			Ptr: d.Ptr, Clear: d.Clear, Clip: d.Clip,
			Objects: func() laws.Objects {
				d := newDense[*laws.Object](mode).d
				return laws.Holds(d, d.Insert, func(h berth.Handle[*laws.Object]) { d.Remove(h) })
			},
		}.Subject()
	}
}

// narrowID is an identifier as narrow as the narrowest index, such as a user may write.
type narrowID uint16

func (d narrowID) Next() narrowID { return d + 1 }

// askStable returns a constructor of Subjects of stable.ListOf, with at most room values.
func askStable[I stable.Index, D stable.Identifier[D]](
	conf stable.Config, room int,
) func() laws.Subject {
	return func() laws.Subject {
		l := stable.NewOf[uint64, I, D](conf)
		return laws.Calls[stable.Key[uint64, I, D]]{
			Insert: l.Insert, Get: l.Get, Remove: laws.Second(l.Remove), Len: l.Len,
			Loop: laws.Pairs(l.All), ByHand: laws.Pairs(l.All),
			Ptr: l.Ptr, Clear: l.Clear, Clip: l.Clip,
			Objects: func() laws.Objects {
				l := stable.NewOf[*laws.Object, I, D](conf)
				return laws.Holds(
					l, l.Insert, func(k stable.Key[*laws.Object, I, D]) { l.Remove(k) },
				)
			},
			Room:  room,
			Least: sizeOf[stable.Key[uint64, uint16, narrowID]](),
		}.Subject()
	}
}

func askArenaPool() laws.Subject {
	p := arena.NewPool[uint64](arena.NewChunked(ArenaChunk))
	return laws.Calls[int]{
		Insert: func(v uint64) int {
			i, _ := p.Insert(v)
			return i
		},
		Get: p.Get, Remove: laws.Second(p.Remove), Len: p.Len,
		Loop: laws.Pairs(p.All), ByHand: laws.Pairs(p.All),
		Ptr: p.Ptr, Clear: p.Clear,
	}.Subject()
}

// askArenaHandles returns a constructor of Subjects of arena.Handles with handles H and at most
// room values.
func askArenaHandles[H arena.HandleOf[uint64]](room int) func() laws.Subject {
	return func() laws.Subject {
		a := arena.NewChunked(ArenaChunk)
		r := arena.NewHandles[uint64, H](a, arena.HandlesConfig{})
		return laws.Calls[H]{
			Insert: func(v uint64) H {
				h, _ := r.Insert(v)
				return h
			},
			Get: r.Get, Remove: r.Delete, Len: r.Len,
			Loop: laws.Pairs(r.All), ByHand: laws.Pairs(r.All),
			Ptr: r.Ptr, Clear: r.Clear,
			Room:  room,
			Least: sizeOf[arena.Handle32[uint64]](),
		}.Subject()
	}
}
