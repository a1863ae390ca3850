package impls

import (
	"github.com/seed505807e1/berth/lab/internal/laws"

	ark "github.com/mlange-42/ark/ecs"
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
