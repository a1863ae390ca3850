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
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				donburiOf(donburi8),
				donburiOf(donburi32),
				donburiOf(donburi128))
		},
		Particles: func() collections.Particles { return &donburiParticles{w: donburi.NewWorld()} },
		Colliders: func() collections.Colliders { return &donburiColliders{w: donburi.NewWorld()} },
		Mortals:   func() collections.Mortals { return &donburiMortals{w: donburi.NewWorld()} },
		Ask:       askDonburi,
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

func donburiOf[P collections.Pad](
	t *donburi.ComponentType[collections.Elem[P]],
) func() collections.Values {
	return func() collections.Values { return &donburiValues[P]{t: t} }
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

type donburiParticles struct{ w donburi.World }

func (c *donburiParticles) Insert(ttls []uint32) {
	for i, h := range c.w.CreateMany(len(ttls), donburiParticle) {
		donburiParticle.SetValue(c.w.Entry(h), ttls[i])
	}
}

func (c *donburiParticles) Age() (visits, deaths int) {
	for e := range donburiParticle.Iter(c.w) {
		visits++
		if collections.Aged(donburiParticle.Get(e)) {
			e.Remove()
			deaths++
		}
	}
	return visits, deaths
}

func (c *donburiParticles) Len() int { return c.w.Len() }

type donburiColliders struct{ w donburi.World }

func (c *donburiColliders) Insert(cs []collections.Collider) {
	for i, h := range c.w.CreateMany(len(cs), donburiCollider) {
		donburiCollider.SetValue(c.w.Entry(h), cs[i])
	}
}

func (c *donburiColliders) Cross() (pairs int) {
	for ea := range donburiCollider.Iter(c.w) {
		a := donburiCollider.Get(ea)
		for eb := range donburiCollider.Iter(c.w) {
			if b := donburiCollider.Get(eb); b != a {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *donburiColliders) Marks() (hits, beens int) {
	for e := range donburiCollider.Iter(c.w) {
		collections.Tally(donburiCollider.Get(e), &hits, &beens)
	}
	return hits, beens
}

func (c *donburiColliders) Age() (deaths, both int) {
	for e := range donburiCollider.Iter(c.w) {
		if over, b := collections.AgedOut(donburiCollider.Get(e)); over {
			e.Remove()
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *donburiColliders) Len() int { return c.w.Len() }

type donburiMortals struct{ w donburi.World }

func (c *donburiMortals) Insert(ms []collections.Mortal) {
	for i, h := range c.w.CreateMany(len(ms), donburiMortal) {
		donburiMortal.SetValue(c.w.Entry(h), ms[i])
	}
}

func (c *donburiMortals) Update() (updates uint64) {
	for e := range donburiMortal.Iter(c.w) {
		donburiMortal.Get(e).Update()
		updates++
	}
	return updates
}

func (c *donburiMortals) Bury() (deaths int) {
	for e := range donburiMortal.Iter(c.w) {
		if donburiMortal.Get(e).Dead() {
			e.Remove()
			deaths++
		}
	}
	return deaths
}

func (c *donburiMortals) Len() int { return c.w.Len() }
