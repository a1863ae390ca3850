package impls

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/genpool"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var Genpool = measure.Impl{
	Name: "genpool",
	About: "a generational pool in fifty lines (internal/genpool): slots in a " +
		"slice, generations, a stack of vacant slots. Its handle is index and generation.",
	Stale: "finds nothing, until the slot has been reused 2^31 times",
	Safe:  true,
	Loops: "range over the slots, skipping the vacant ones",
	Kit: collections.Kit{
		Particles: func() particles { return new(genpoolParticles) },
		Colliders: func() colliders { return new(genpoolColliders) },
		Mortals:   func() mortals { return new(genpoolMortals) },
		Ask:       askGenpool,
	}.With(new(genpoolValues[none]), new(genpoolValues[words3]), new(genpoolValues[words15]),
		new(genpoolValues[array3]), new(genpoolValues[ptrs])),
}

type genpoolValues[P pad] struct {
	collections.Handles[genpool.Handle]
	p genpool.Pool[elem[P]]
}

func (c *genpoolValues[P]) New(room int) { c.p = genpool.New[elem[P]](room) }

func (c *genpoolValues[P]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.p.Insert)
}

func (c *genpoolValues[P]) Sum() (sum uint64) {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 {
			sum += s.Val.V
		}
	}
	return sum
}

func (c *genpoolValues[P]) Mut() {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 {
			s.Val.V++
		}
	}
}

func (c *genpoolValues[P]) Get() uint64 { return collections.GetAll(c.Hs, c.p.Ptr) }

func (c *genpoolValues[P]) Drain(lo, hi int) uint64 {
	return collections.DrainAll(c.Hs[lo:hi], c.p.Remove)
}

func (c *genpoolValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.p.Remove(*h); ok {
			sum += old.V
		}
		*h = c.p.Insert(e)
	}
	return sum
}

type genpoolOf[T any] struct{ p genpool.Pool[T] }

func (c *genpoolOf[T]) Insert(vs []T) { collections.Each(vs, c.p.Insert) }

func (c *genpoolOf[T]) Len() int { return c.p.Len() }

type genpoolParticles struct{ genpoolOf[uint32] }

func (c *genpoolParticles) Age() (visits, deaths int) {
	slots := c.p.Slots
	for i := range slots {
		s := &slots[i]
		if s.Gen&1 == 0 {
			continue
		}
		visits++
		if collections.Aged(&s.Val) {
			c.p.Remove(genpool.Handle{Index: uint32(i), Gen: s.Gen})
			deaths++
		}
	}
	return visits, deaths
}

type genpoolColliders struct {
	genpoolOf[collider]
}

func (c *genpoolColliders) Cross() (pairs int) {
	slots := c.p.Slots
	for i := range slots {
		a := &slots[i]
		if a.Gen&1 == 0 {
			continue
		}
		for j := range slots {
			if b := &slots[j]; b.Gen&1 == 1 && j != i {
				pairs += collections.Meet(&a.Val, &b.Val)
			}
		}
	}
	return pairs
}

func (c *genpoolColliders) Marks() (hits, beens int) {
	for i := range c.p.Slots {
		if s := &c.p.Slots[i]; s.Gen&1 == 1 {
			collections.Tally(&s.Val, &hits, &beens)
		}
	}
	return hits, beens
}

func (c *genpoolColliders) Age() (deaths, both int) {
	slots := c.p.Slots
	for i := range slots {
		s := &slots[i]
		if s.Gen&1 == 0 {
			continue
		}
		if collections.AgedOut(&s.Val, &both) {
			c.p.Remove(genpool.Handle{Index: uint32(i), Gen: s.Gen})
			deaths++
		}
	}
	return deaths, both
}

type genpoolMortals struct{ genpoolOf[mortal] }

func (c *genpoolMortals) Update() (updates uint64) {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 {
			s.Val.Update()
			updates++
		}
	}
	return updates
}

func (c *genpoolMortals) Bury() (deaths int) {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 && s.Val.Dead() {
			c.p.Remove(genpool.Handle{Index: uint32(i), Gen: s.Gen})
			deaths++
		}
	}
	return deaths
}
