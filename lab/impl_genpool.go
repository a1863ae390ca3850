package main

import "github.com/seed505807e1/berth/lab/internal/genpool"

var genpoolImpl = impl{
	name: "genpool",
	about: "the generational pool that one writes in fifty lines (internal/genpool): slots in a " +
		"slice, generations, a stack of vacant slots. Its handle is index and generation.",
	stale: "finds nothing, until the slot has been reused 2^31 times",
	safe:  true,
	loops: "range over the slots, skipping the vacant ones",
	kit: collectionKit{
		Values: func(elemBytes int) Values {
			return sized(elemBytes,
				func() Values { return new(genpoolValues[[1]uint64]) },
				func() Values { return new(genpoolValues[[4]uint64]) },
				func() Values { return new(genpoolValues[[16]uint64]) })
		},
		Particles: func() Particles { return new(genpoolParticles) },
		Colliders: func() Colliders { return new(genpoolColliders) },
		Mortals:   func() Mortals { return new(genpoolMortals) },
		Ask:       askGenpool,
	},
}

type genpoolValues[E Elem] struct {
	handles[genpool.Handle]
	p genpool.Pool[E]
}

func (c *genpoolValues[E]) New(room int) { c.p = genpool.New[E](room) }

func (c *genpoolValues[E]) Insert(from, to int) {
	for i := from; i < to; i++ {
		c.hs[i] = c.p.Insert(fill[E](uint64(i)))
	}
}

func (c *genpoolValues[E]) Sum() (sum uint64) {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 {
			sum += s.Val[0]
		}
	}
	return sum
}

func (c *genpoolValues[E]) Mut() {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 {
			s.Val[0]++
		}
	}
}

func (c *genpoolValues[E]) Get() (sum uint64) {
	for _, h := range c.hs {
		if e := c.p.Ptr(h); e != nil {
			sum += (*e)[0]
		}
	}
	return sum
}

func (c *genpoolValues[E]) Drain() (sum uint64) {
	for _, h := range c.hs {
		if e, ok := c.p.Remove(h); ok {
			sum += e[0]
		}
	}
	return sum
}

func (c *genpoolValues[E]) Remove(lo, hi int) {
	for _, h := range c.hs[lo:hi] {
		c.p.Remove(h)
	}
}

func (c *genpoolValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
	n := uint64(len(c.hs))
	for range pairs {
		h := &c.hs[r.below(n)]
		if e, ok := c.p.Remove(*h); ok {
			sum += e[0]
		}
		*h = c.p.Insert(fill[E](next))
		next++
	}
	return sum
}

type genpoolParticles struct {
	p genpool.Pool[uint32]
	n int
}

func (c *genpoolParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.Insert(t)
	}
	c.n += len(ttls)
}

func (c *genpoolParticles) Age() (visits, deaths int) {
	slots := c.p.Slots
	for i := range slots {
		s := &slots[i]
		if s.Gen&1 == 0 {
			continue
		}
		visits++
		if aged(&s.Val) {
			c.p.Remove(genpool.Handle{Index: uint32(i), Gen: s.Gen})
			deaths++
		}
	}
	c.n -= deaths
	return visits, deaths
}

func (c *genpoolParticles) Len() int { return c.n }

type genpoolColliders struct {
	p genpool.Pool[collider]
	n int
}

func (c *genpoolColliders) Insert(cs []collider) {
	for _, v := range cs {
		c.p.Insert(v)
	}
	c.n += len(cs)
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
				pairs += meet(&a.Val, &b.Val)
			}
		}
	}
	return pairs
}

func (c *genpoolColliders) Marks() (hits, beens int) {
	for i := range c.p.Slots {
		if s := &c.p.Slots[i]; s.Gen&1 == 1 {
			tally(&s.Val, &hits, &beens)
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
		if over, b := agedOut(&s.Val); over {
			c.p.Remove(genpool.Handle{Index: uint32(i), Gen: s.Gen})
			deaths++
			both += b
		}
	}
	c.n -= deaths
	return deaths, both
}

func (c *genpoolColliders) Len() int { return c.n }

type genpoolMortals struct {
	p genpool.Pool[mortal]
	n int
}

func (c *genpoolMortals) Insert(ms []mortal) {
	for _, m := range ms {
		c.p.Insert(m)
	}
	c.n += len(ms)
}

func (c *genpoolMortals) Update() (updates uint64) {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 {
			s.Val.update()
			updates++
		}
	}
	return updates
}

func (c *genpoolMortals) Bury() (deaths int) {
	slots := c.p.Slots
	for i := range slots {
		if s := &slots[i]; s.Gen&1 == 1 && s.Val.dead() {
			c.p.Remove(genpool.Handle{Index: uint32(i), Gen: s.Gen})
			deaths++
		}
	}
	c.n -= deaths
	return deaths
}

func (c *genpoolMortals) Len() int { return c.n }
