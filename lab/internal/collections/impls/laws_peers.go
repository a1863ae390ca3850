package impls

import (
	"github.com/seed505807e1/berth/lab/internal/laws"

	ark "github.com/mlange-42/ark/ecs"
	"github.com/unitoftime/ecs"
	"github.com/yohamta/donburi"
)

// askArk makes a Subject of a world of ark. Its users call Alive before a lookup.
func askArk() laws.Subject {
	c := newArkWorld[uint64]()
	return laws.Calls[ark.Entity]{
		Insert: func(v uint64) ark.Entity { return c.m.NewEntity(&v) },
		Get: func(h ark.Entity) (v uint64, ok bool) {
			if !c.w.Alive(h) {
				return 0, false
			}
			return *c.m.Get(h), true
		},
		Remove: func(h ark.Entity) bool {
			c.w.RemoveEntity(h)
			return true
		},
		Len: c.Len,
		Loop: func(body func(ark.Entity, uint64) bool) {
			for q := c.f.Query(); q.Next(); {
				if !body(q.Entity(), *q.Get()) {
					return // and the world stays locked
				}
			}
		},
		ByHand: func(body func(ark.Entity, uint64) bool) {
			var hs []ark.Entity
			for q := c.f.Query(); q.Next(); {
				hs = append(hs, q.Entity())
			}
			for _, h := range hs {
				if !body(h, *c.m.Get(h)) {
					return
				}
			}
		},
		Ptr:   c.m.Get,
		Clear: c.w.Reset,
		Clip:  func() { c.w.Shrink() },
		Objects: func() laws.Objects {
			type pointer struct{ o *laws.Object }
			c := newArkWorld[pointer]()
			insert := func(o *laws.Object) ark.Entity { return c.m.NewEntity(&pointer{o}) }
			return laws.Holds(c.w, insert, c.w.RemoveEntity)
		},
	}.Subject()
}

// The components of the worlds.
var (
	donburiAsked  = donburi.NewComponentType[uint64]()
	donburiObject = donburi.NewComponentType[*laws.Object]()
)

// askDonburi makes a Subject of a world of donburi. Its users call Valid before a lookup.
func askDonburi() laws.Subject {
	w := donburi.NewWorld()
	return laws.Calls[donburi.Entity]{
		Insert: func(v uint64) donburi.Entity {
			h := w.Create(donburiAsked)
			donburiAsked.SetValue(w.Entry(h), v)
			return h
		},
		Get: func(h donburi.Entity) (v uint64, ok bool) {
			if !w.Valid(h) {
				return 0, false
			}
			return *donburiAsked.Get(w.Entry(h)), true
		},
		Remove: func(h donburi.Entity) bool {
			w.Remove(h)
			return true
		},
		Len: w.Len,
		Loop: func(body func(donburi.Entity, uint64) bool) {
			for e := range donburiAsked.Iter(w) {
				if !body(e.Entity(), *donburiAsked.Get(e)) {
					return
				}
			}
		},
		ByHand: func(body func(donburi.Entity, uint64) bool) {
			var hs []donburi.Entity
			for e := range donburiAsked.Iter(w) {
				hs = append(hs, e.Entity())
			}
			for _, h := range hs {
				if !body(h, *donburiAsked.Get(w.Entry(h))) {
					return
				}
			}
		},
		Ptr: func(h donburi.Entity) *uint64 { return donburiAsked.Get(w.Entry(h)) },
		Objects: func() laws.Objects {
			w := donburi.NewWorld()
			insert := func(o *laws.Object) donburi.Entity {
				h := w.Create(donburiObject)
				donburiObject.SetValue(w.Entry(h), o)
				return h
			}
			return laws.Holds(w, insert, w.Remove)
		},
	}.Subject()
}

// ecsObject is a component, since a pointer cannot be one.
type ecsObject struct{ o *laws.Object }

// askEcs makes a Subject of a world of unitoftime/ecs. Its loop calls a function for each value and
// cannot be stopped.
func askEcs() laws.Subject {
	c := newEcsWorld[uint64]()
	return laws.Calls[ecs.Id]{
		Insert: c.insert,
		Get:    pointed(c.v.Read),
		Remove: func(h ecs.Id) bool { return ecs.Delete(c.w, h) },
		Len:    c.Len,
		Loop: func(body func(ecs.Id, uint64) bool) {
			c.v.MapId(func(h ecs.Id, v *uint64) { body(h, *v) })
		},
		ByHand: func(body func(ecs.Id, uint64) bool) {
			var hs []ecs.Id
			c.v.MapId(func(h ecs.Id, _ *uint64) { hs = append(hs, h) })
			for _, h := range hs {
				if !body(h, *c.v.Read(h)) {
					return
				}
			}
		},
		Ptr: c.v.Read,
		Objects: func() laws.Objects {
			c := newEcsWorld[ecsObject]()
			insert := func(o *laws.Object) ecs.Id { return c.insert(ecsObject{o}) }
			return laws.Holds(c.w, insert, func(h ecs.Id) { ecs.Delete(c.w, h) })
		},
	}.Subject()
}
