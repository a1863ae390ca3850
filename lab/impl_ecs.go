package main

import "github.com/unitoftime/ecs"

var ecsImpl = impl{
	name: "unitoftime/ecs",
	about: "github.com/unitoftime/ecs 0.0.3, an entity component system: each value is an entity " +
		"with one component, and all components lie in one slice, with holes. Its handle is a " +
		"number, which two maps lead to a place in the slice.",
	stale: "finds nothing, until 2^32 - 3 numbers have been given out: then they begin anew, " +
		"even with those that are live. Write brings it to life again",
	safe: true,
	loops: "View.MapId, which calls a function for each value; removing inside it. Components " +
		"are boxed by ecs.C, one by one",
	slow: 50_000, // one repetition of churn at its own size takes nine seconds
	kit: collectionKit{
		Values: func(elemBytes int) Values {
			return sized(elemBytes,
				func() Values { return new(ecsValues[[1]uint64]) },
				func() Values { return new(ecsValues[[4]uint64]) },
				func() Values { return new(ecsValues[[16]uint64]) })
		},
		Particles: func() Particles { return &ecsParticles{newEcsWorld[uint32]()} },
		Colliders: func() Colliders { return &ecsColliders{newEcsWorld[collider]()} },
		Mortals:   func() Mortals { return &ecsMortals{newEcsWorld[mortal]()} },
		Ask:       askEcs,
	},
}

// ecsWorld is a world, and the view that its users make once for it and keep.
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

func (c *ecsWorld[C]) Len() int { return c.v.Count() }

type ecsValues[E Elem] struct {
	handles[ecs.Id]
	ecsWorld[E]
}

func (c *ecsValues[E]) New(int) { c.ecsWorld = newEcsWorld[E]() }

func (c *ecsValues[E]) Insert(from, to int) {
	for i := from; i < to; i++ {
		c.hs[i] = c.insert(fill[E](uint64(i)))
	}
}

func (c *ecsValues[E]) Sum() (sum uint64) {
	c.v.MapId(func(_ ecs.Id, e *E) { sum += (*e)[0] })
	return sum
}

func (c *ecsValues[E]) Mut() {
	c.v.MapId(func(_ ecs.Id, e *E) { (*e)[0]++ })
}

func (c *ecsValues[E]) Get() (sum uint64) {
	for _, h := range c.hs {
		if e := c.v.Read(h); e != nil {
			sum += (*e)[0]
		}
	}
	return sum
}

func (c *ecsValues[E]) Drain() (sum uint64) {
	for _, h := range c.hs {
		if e := c.v.Read(h); e != nil {
			sum += (*e)[0]
			ecs.Delete(c.w, h)
		}
	}
	return sum
}

func (c *ecsValues[E]) Remove(lo, hi int) {
	for _, h := range c.hs[lo:hi] {
		ecs.Delete(c.w, h)
	}
}

func (c *ecsValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
	n := uint64(len(c.hs))
	for range pairs {
		h := &c.hs[r.below(n)]
		if e := c.v.Read(*h); e != nil {
			sum += (*e)[0]
			ecs.Delete(c.w, *h)
		}
		*h = c.insert(fill[E](next))
		next++
	}
	return sum
}

type ecsParticles struct{ ecsWorld[uint32] }

func (c *ecsParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.insert(t)
	}
}

func (c *ecsParticles) Age() (visits, deaths int) {
	c.v.MapId(func(h ecs.Id, t *uint32) {
		visits++
		if aged(t) {
			ecs.Delete(c.w, h)
			deaths++
		}
	})
	return visits, deaths
}

type ecsColliders struct{ ecsWorld[collider] }

func (c *ecsColliders) Insert(cs []collider) {
	for _, v := range cs {
		c.insert(v)
	}
}

func (c *ecsColliders) Cross() (pairs int) {
	c.v.MapId(func(ha ecs.Id, a *collider) {
		c.v.MapId(func(hb ecs.Id, b *collider) {
			if hb != ha {
				pairs += meet(a, b)
			}
		})
	})
	return pairs
}

func (c *ecsColliders) Marks() (hits, beens int) {
	c.v.MapId(func(_ ecs.Id, v *collider) { tally(v, &hits, &beens) })
	return hits, beens
}

func (c *ecsColliders) Age() (deaths, both int) {
	c.v.MapId(func(h ecs.Id, v *collider) {
		if over, b := agedOut(v); over {
			ecs.Delete(c.w, h)
			deaths++
			both += b
		}
	})
	return deaths, both
}

type ecsMortals struct{ ecsWorld[mortal] }

func (c *ecsMortals) Insert(ms []mortal) {
	for _, m := range ms {
		c.insert(m)
	}
}

func (c *ecsMortals) Update() (updates uint64) {
	c.v.MapId(func(_ ecs.Id, m *mortal) {
		m.update()
		updates++
	})
	return updates
}

func (c *ecsMortals) Bury() (deaths int) {
	c.v.MapId(func(h ecs.Id, m *mortal) {
		if m.dead() {
			ecs.Delete(c.w, h)
			deaths++
		}
	})
	return deaths
}
