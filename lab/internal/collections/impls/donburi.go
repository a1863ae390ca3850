package impls

import (
	"github.com/yohamta/donburi"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var donburiImpl = measure.Impl{
	Name:    "donburi",
	Variant: true, // it gives no further answer
	About: "github.com/yohamta/donburi 1.15.7, an entity component system: a value is an entity " +
		"with one component, which is an object of its own on the heap. Its handle is index and " +
		"generation, of 24 bits.",
	Stale: "finds nothing if World.Valid is called before, until the slot has been reused 2^24 " +
		"times, which takes seconds if few values come and go, since the slot vacated last " +
		"is reused first. Without Valid it reads another value",
	Loops: "range over ComponentType.Iter, whose lock is taken for each value; removing inside it",
	Slow:  50_000, // one repetition of churn at its own size takes ten seconds
	Kit: collections.Kit{
		Values: collections.Sizes(&donburiValues[collections.None]{t: donburi8},
			&donburiValues[collections.Words3]{t: donburi32},
			&donburiValues[collections.Words15]{t: donburi128}),
		Particles: func() collections.Particles {
			return &donburiParticles{newDonburiWorld(donburiParticle)}
		},
		Colliders: func() collections.Colliders {
			return &donburiColliders{newDonburiWorld(donburiCollider)}
		},
		Mortals: func() collections.Mortals {
			return &donburiMortals{newDonburiWorld(donburiMortal)}
		},
		Ask: askDonburi,
	},
}

// Its users declare their components once, for all worlds.
var (
	donburi8        = donburi.NewComponentType[collections.Elem[collections.None]]()
	donburi32       = donburi.NewComponentType[collections.Elem[collections.Words3]]()
	donburi128      = donburi.NewComponentType[collections.Elem[collections.Words15]]()
	donburiParticle = donburi.NewComponentType[uint32]()
	donburiCollider = donburi.NewComponentType[collections.Collider]()
	donburiMortal   = donburi.NewComponentType[collections.Mortal]()
)

type donburiValues[P collections.Pad] struct {
	collections.Handles[donburi.Entity]
	t *donburi.ComponentType[collections.Elem[P]]
	w donburi.World
}

func (c *donburiValues[P]) New(int) { c.w = donburi.NewWorld() }

func (c *donburiValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i, h := range c.w.CreateMany(to-from, c.t) {
		c.t.SetValue(c.w.Entry(h), collections.Of(pad, uint64(from+i)))
		c.Hs[from+i] = h
	}
}

func (c *donburiValues[P]) Sum() (sum uint64) {
	for e := range c.t.Iter(c.w) {
		sum += c.t.Get(e).V
	}
	return sum
}

func (c *donburiValues[P]) Mut() {
	for e := range c.t.Iter(c.w) {
		c.t.Get(e).V++
	}
}

func (c *donburiValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if c.w.Valid(h) {
			sum += c.t.Get(c.w.Entry(h)).V
		}
	}
	return sum
}

func (c *donburiValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if c.w.Valid(h) {
			sum += c.t.Get(c.w.Entry(h)).V
			c.w.Remove(h)
		}
	}
	return sum
}

func (c *donburiValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.w.Remove(h)
	}
}

func (c *donburiValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if c.w.Valid(*h) {
			sum += c.t.Get(c.w.Entry(*h)).V
			c.w.Remove(*h)
		}
		*h = c.w.Create(c.t)
		c.t.SetValue(c.w.Entry(*h), collections.Of(pad, next))
		next++
	}
	return sum
}

// donburiWorld has the methods that do not depend on the component.
type donburiWorld[T any] struct {
	w donburi.World
	t *donburi.ComponentType[T]
}

func newDonburiWorld[T any](t *donburi.ComponentType[T]) donburiWorld[T] {
	return donburiWorld[T]{donburi.NewWorld(), t}
}

func (c *donburiWorld[T]) Insert(vs []T) {
	for i, h := range c.w.CreateMany(len(vs), c.t) {
		c.t.SetValue(c.w.Entry(h), vs[i])
	}
}

func (c *donburiWorld[T]) Len() int { return c.w.Len() }

type donburiParticles struct{ donburiWorld[uint32] }

func (c *donburiParticles) Age() (visits, deaths int) {
	for e := range c.t.Iter(c.w) {
		visits++
		if collections.Aged(c.t.Get(e)) {
			e.Remove()
			deaths++
		}
	}
	return visits, deaths
}

type donburiColliders struct {
	donburiWorld[collections.Collider]
}

func (c *donburiColliders) Cross() (pairs int) {
	for ea := range c.t.Iter(c.w) {
		a := c.t.Get(ea)
		for eb := range c.t.Iter(c.w) {
			if b := c.t.Get(eb); b != a {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *donburiColliders) Marks() (hits, beens int) {
	for e := range c.t.Iter(c.w) {
		collections.Tally(c.t.Get(e), &hits, &beens)
	}
	return hits, beens
}

func (c *donburiColliders) Age() (deaths, both int) {
	for e := range c.t.Iter(c.w) {
		if over, b := collections.AgedOut(c.t.Get(e)); over {
			e.Remove()
			deaths++
			both += b
		}
	}
	return deaths, both
}

type donburiMortals struct {
	donburiWorld[collections.Mortal]
}

func (c *donburiMortals) Update() (updates uint64) {
	for e := range c.t.Iter(c.w) {
		c.t.Get(e).Update()
		updates++
	}
	return updates
}

func (c *donburiMortals) Bury() (deaths int) {
	for e := range c.t.Iter(c.w) {
		if c.t.Get(e).Dead() {
			e.Remove()
			deaths++
		}
	}
	return deaths
}
