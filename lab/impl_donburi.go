package main

import "github.com/yohamta/donburi"

var donburiImpl = impl{
	name: "donburi",
	about: "github.com/yohamta/donburi 1.15.7, an entity component system: each value is an " +
		"entity with one component, which lies on the heap by itself. Its handle is index and " +
		"generation, of 24 bits.",
	stale: "finds nothing where World.Valid is asked before, until the slot has been reused 2^24 " +
		"times, which takes seconds where few come and go, since the slot that was left last " +
		"is the first to serve again. Who does not ask reads another value",
	loops: "range over ComponentType.Iter, whose lock is taken for each value; removing inside it",
	slow:  50_000, // one repetition of churn at its own size takes ten seconds
	kit: collectionKit{
		Values: func(elemBytes int) Values {
			return sized(elemBytes,
				func() Values { return &donburiValues[[1]uint64]{t: donburi8} },
				func() Values { return &donburiValues[[4]uint64]{t: donburi32} },
				func() Values { return &donburiValues[[16]uint64]{t: donburi128} })
		},
		Particles: func() Particles { return &donburiParticles{w: donburi.NewWorld()} },
		Colliders: func() Colliders { return &donburiColliders{w: donburi.NewWorld()} },
		Mortals:   func() Mortals { return &donburiMortals{w: donburi.NewWorld()} },
		Ask:       askDonburi,
	},
}

// Its users declare their components once, for all worlds.
var (
	donburi8        = donburi.NewComponentType[[1]uint64]()
	donburi32       = donburi.NewComponentType[[4]uint64]()
	donburi128      = donburi.NewComponentType[[16]uint64]()
	donburiParticle = donburi.NewComponentType[uint32]()
	donburiCollider = donburi.NewComponentType[collider]()
	donburiMortal   = donburi.NewComponentType[mortal]()
)

type donburiValues[E Elem] struct {
	handles[donburi.Entity]
	t *donburi.ComponentType[E]
	w donburi.World
}

func (c *donburiValues[E]) New(int) { c.w = donburi.NewWorld() }

func (c *donburiValues[E]) Insert(from, to int) {
	for i, h := range c.w.CreateMany(to-from, c.t) {
		c.t.SetValue(c.w.Entry(h), fill[E](uint64(from+i)))
		c.hs[from+i] = h
	}
}

func (c *donburiValues[E]) Sum() (sum uint64) {
	for e := range c.t.Iter(c.w) {
		sum += (*c.t.Get(e))[0]
	}
	return sum
}

func (c *donburiValues[E]) Mut() {
	for e := range c.t.Iter(c.w) {
		(*c.t.Get(e))[0]++
	}
}

func (c *donburiValues[E]) Get() (sum uint64) {
	for _, h := range c.hs {
		if c.w.Valid(h) {
			sum += (*c.t.Get(c.w.Entry(h)))[0]
		}
	}
	return sum
}

func (c *donburiValues[E]) Drain() (sum uint64) {
	for _, h := range c.hs {
		if c.w.Valid(h) {
			sum += (*c.t.Get(c.w.Entry(h)))[0]
			c.w.Remove(h)
		}
	}
	return sum
}

func (c *donburiValues[E]) Remove(lo, hi int) {
	for _, h := range c.hs[lo:hi] {
		c.w.Remove(h)
	}
}

func (c *donburiValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
	n := uint64(len(c.hs))
	for range pairs {
		h := &c.hs[r.below(n)]
		if c.w.Valid(*h) {
			sum += (*c.t.Get(c.w.Entry(*h)))[0]
			c.w.Remove(*h)
		}
		*h = c.w.Create(c.t)
		c.t.SetValue(c.w.Entry(*h), fill[E](next))
		next++
	}
	return sum
}

type donburiParticles struct{ w donburi.World }

func (c *donburiParticles) Insert(ttls []uint32) {
	for i, h := range c.w.CreateMany(len(ttls), donburiParticle) {
		donburiParticle.SetValue(c.w.Entry(h), ttls[i])
	}
}

func (c *donburiParticles) Age() (visits, deaths int) {
	for e := range donburiParticle.Iter(c.w) {
		visits++
		if aged(donburiParticle.Get(e)) {
			e.Remove()
			deaths++
		}
	}
	return visits, deaths
}

func (c *donburiParticles) Len() int { return c.w.Len() }

type donburiColliders struct{ w donburi.World }

func (c *donburiColliders) Insert(cs []collider) {
	for i, h := range c.w.CreateMany(len(cs), donburiCollider) {
		donburiCollider.SetValue(c.w.Entry(h), cs[i])
	}
}

func (c *donburiColliders) Cross() (pairs int) {
	for ea := range donburiCollider.Iter(c.w) {
		a := donburiCollider.Get(ea)
		for eb := range donburiCollider.Iter(c.w) {
			if b := donburiCollider.Get(eb); b != a {
				pairs += meet(a, b)
			}
		}
	}
	return pairs
}

func (c *donburiColliders) Marks() (hits, beens int) {
	for e := range donburiCollider.Iter(c.w) {
		tally(donburiCollider.Get(e), &hits, &beens)
	}
	return hits, beens
}

func (c *donburiColliders) Age() (deaths, both int) {
	for e := range donburiCollider.Iter(c.w) {
		if over, b := agedOut(donburiCollider.Get(e)); over {
			e.Remove()
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *donburiColliders) Len() int { return c.w.Len() }

type donburiMortals struct{ w donburi.World }

func (c *donburiMortals) Insert(ms []mortal) {
	for i, h := range c.w.CreateMany(len(ms), donburiMortal) {
		donburiMortal.SetValue(c.w.Entry(h), ms[i])
	}
}

func (c *donburiMortals) Update() (updates uint64) {
	for e := range donburiMortal.Iter(c.w) {
		donburiMortal.Get(e).update()
		updates++
	}
	return updates
}

func (c *donburiMortals) Bury() (deaths int) {
	for e := range donburiMortal.Iter(c.w) {
		if donburiMortal.Get(e).dead() {
			e.Remove()
			deaths++
		}
	}
	return deaths
}

func (c *donburiMortals) Len() int { return c.w.Len() }
