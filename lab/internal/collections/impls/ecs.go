package impls

import (
	"github.com/unitoftime/ecs"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var ecsImpl = measure.Impl{
	Name:    "unitoftime/ecs",
	Variant: true, // it gives no further answer
	About: "github.com/unitoftime/ecs 0.0.3, an entity component system: a value is an entity " +
		"with one component, and the components are in one slice, with holes. Its handle is a " +
		"number, which two maps translate to a position in the slice.",
	Stale: "finds nothing, until 2^32 - 3 numbers have been used: then they restart, " +
		"even with live ones. Write revives it",
	Safe: true,
	Loops: "View.MapId, which calls a function for each value; removing inside it. Components " +
		"are boxed by ecs.C, one by one",
	Slow: 50_000, // one repetition of churn at its own size takes nine seconds
	Kit: collections.Kit{
		Values: collections.Sizes(new(ecsValues[collections.None]),
			new(ecsValues[collections.Words3]), new(ecsValues[collections.Words15])),
		Particles: func() collections.Particles { return &ecsParticles{newEcsWorld[uint32]()} },
		Colliders: func() collections.Colliders {
			return &ecsColliders{newEcsWorld[collections.Collider]()}
		},
		Mortals: func() collections.Mortals {
			return &ecsMortals{newEcsWorld[collections.Mortal]()}
		},
		Ask: askEcs,
	},
}

// ecsWorld is a world, and the view that its users create once and keep.
type ecsWorld[C any] struct {
	w *ecs.World
	v *ecs.View1[C]
}

func newEcsWorld[C any]() ecsWorld[C] {
	w := ecs.NewWorld()
	return ecsWorld[C]{w, ecs.Query1[C](w)}
}

func (c *ecsWorld[C]) insert(v C) ecs.Id {
	h := c.w.NewId()
	c.w.Write(h, ecs.C(v))
	return h
}

func (c *ecsWorld[C]) Insert(vs []C) {
	for _, v := range vs {
		c.insert(v)
	}
}

func (c *ecsWorld[C]) Len() int { return c.v.Count() }

type ecsValues[P collections.Pad] struct {
	collections.Handles[ecs.Id]
	ecsWorld[collections.Elem[P]]
}

func (c *ecsValues[P]) New(int) { c.ecsWorld = newEcsWorld[collections.Elem[P]]() }

func (c *ecsValues[P]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.insert)
}

func (c *ecsValues[P]) Sum() (sum uint64) {
	c.v.MapId(func(_ ecs.Id, e *collections.Elem[P]) { sum += e.V })
	return sum
}

func (c *ecsValues[P]) Mut() {
	c.v.MapId(func(_ ecs.Id, e *collections.Elem[P]) { e.V++ })
}

func (c *ecsValues[P]) Get() uint64 { return collections.GetAll(c.Hs, c.v.Read) }

func (c *ecsValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.v.Read(h); e != nil {
			sum += e.V
			ecs.Delete(c.w, h)
		}
	}
	return sum
}

func (c *ecsValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		ecs.Delete(c.w, h)
	}
}

func (c *ecsValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e := c.v.Read(*h); e != nil {
			sum += e.V
			ecs.Delete(c.w, *h)
		}
		*h = c.insert(collections.Of(pad, next))
		next++
	}
	return sum
}

type ecsParticles struct{ ecsWorld[uint32] }

func (c *ecsParticles) Age() (visits, deaths int) {
	c.v.MapId(func(h ecs.Id, t *uint32) {
		visits++
		if collections.Aged(t) {
			ecs.Delete(c.w, h)
			deaths++
		}
	})
	return visits, deaths
}

type ecsColliders struct{ ecsWorld[collections.Collider] }

func (c *ecsColliders) Cross() (pairs int) {
	c.v.MapId(func(ha ecs.Id, a *collections.Collider) {
		c.v.MapId(func(hb ecs.Id, b *collections.Collider) {
			if hb != ha {
				pairs += collections.Meet(a, b)
			}
		})
	})
	return pairs
}

func (c *ecsColliders) Marks() (hits, beens int) {
	c.v.MapId(func(_ ecs.Id, v *collections.Collider) { collections.Tally(v, &hits, &beens) })
	return hits, beens
}

func (c *ecsColliders) Age() (deaths, both int) {
	c.v.MapId(func(h ecs.Id, v *collections.Collider) {
		if over, b := collections.AgedOut(v); over {
			ecs.Delete(c.w, h)
			deaths++
			both += b
		}
	})
	return deaths, both
}

type ecsMortals struct{ ecsWorld[collections.Mortal] }

func (c *ecsMortals) Update() (updates uint64) {
	c.v.MapId(func(_ ecs.Id, m *collections.Mortal) {
		m.Update()
		updates++
	})
	return updates
}

func (c *ecsMortals) Bury() (deaths int) {
	c.v.MapId(func(h ecs.Id, m *collections.Mortal) {
		if m.Dead() {
			ecs.Delete(c.w, h)
			deaths++
		}
	})
	return deaths
}
