package main

var genpoolImpl = impl{
	name: "genpool",
	about: "the generational pool that one writes in fifty lines (genpool.go): slots in a " +
		"slice, generations, a stack of vacant slots. Its handle is index and generation.",
	stale: "finds nothing, until the slot has been reused 2^31 times",
	safe:  true,
	loops: "range over the slots, skipping the vacant ones",
	values: func(elemBytes int) Values {
		return sized(elemBytes,
			func() Values { return new(genpoolValues[[1]uint64]) },
			func() Values { return new(genpoolValues[[4]uint64]) },
			func() Values { return new(genpoolValues[[16]uint64]) })
	},
	particles: func() Particles { return new(genpoolParticles) },
	colliders: func() Colliders { return new(genpoolColliders) },
	mortals:   func() Mortals { return new(genpoolMortals) },
}

type genpoolValues[E Elem] struct {
	handles[genhandle]
	p genpool[E]
}

func (c *genpoolValues[E]) New(room int) { c.p = genpool[E]{slots: make([]genslot[E], 0, room)} }

func (c *genpoolValues[E]) Insert(from, to int) {
	for i := from; i < to; i++ {
		c.hs[i] = c.p.insert(fill[E](uint64(i)))
	}
}

func (c *genpoolValues[E]) Sum() (sum uint64) {
	slots := c.p.slots
	for i := range slots {
		if s := &slots[i]; s.gen&1 == 1 {
			sum += s.val[0]
		}
	}
	return sum
}

func (c *genpoolValues[E]) Mut() {
	slots := c.p.slots
	for i := range slots {
		if s := &slots[i]; s.gen&1 == 1 {
			s.val[0]++
		}
	}
}

func (c *genpoolValues[E]) Get() (sum uint64) {
	for _, h := range c.hs {
		if e := c.p.ptr(h); e != nil {
			sum += (*e)[0]
		}
	}
	return sum
}

func (c *genpoolValues[E]) Drain() (sum uint64) {
	for _, h := range c.hs {
		if e, ok := c.p.remove(h); ok {
			sum += e[0]
		}
	}
	return sum
}

func (c *genpoolValues[E]) Remove(lo, hi int) {
	for _, h := range c.hs[lo:hi] {
		c.p.remove(h)
	}
}

func (c *genpoolValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
	n := uint64(len(c.hs))
	for range pairs {
		h := &c.hs[r.below(n)]
		if e, ok := c.p.remove(*h); ok {
			sum += e[0]
		}
		*h = c.p.insert(fill[E](next))
		next++
	}
	return sum
}

type genpoolParticles struct {
	p genpool[uint32]
	n int
}

func (c *genpoolParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.insert(t)
	}
	c.n += len(ttls)
}

func (c *genpoolParticles) Age() (visits, deaths int) {
	slots := c.p.slots
	for i := range slots {
		s := &slots[i]
		if s.gen&1 == 0 {
			continue
		}
		visits++
		if aged(&s.val) {
			c.p.remove(genhandle{uint32(i), s.gen})
			deaths++
		}
	}
	c.n -= deaths
	return visits, deaths
}

func (c *genpoolParticles) Len() int { return c.n }

type genpoolColliders struct {
	p genpool[collider]
	n int
}

func (c *genpoolColliders) Insert(cs []collider) {
	for _, v := range cs {
		c.p.insert(v)
	}
	c.n += len(cs)
}

func (c *genpoolColliders) Cross() (pairs int) {
	slots := c.p.slots
	for i := range slots {
		a := &slots[i]
		if a.gen&1 == 0 {
			continue
		}
		for j := range slots {
			if b := &slots[j]; b.gen&1 == 1 && j != i {
				pairs += meet(&a.val, &b.val)
			}
		}
	}
	return pairs
}

func (c *genpoolColliders) Marks() (hits, beens int) {
	for i := range c.p.slots {
		if s := &c.p.slots[i]; s.gen&1 == 1 {
			tally(&s.val, &hits, &beens)
		}
	}
	return hits, beens
}

func (c *genpoolColliders) Age() (deaths, both int) {
	slots := c.p.slots
	for i := range slots {
		s := &slots[i]
		if s.gen&1 == 0 {
			continue
		}
		if over, b := agedOut(&s.val); over {
			c.p.remove(genhandle{uint32(i), s.gen})
			deaths++
			both += b
		}
	}
	c.n -= deaths
	return deaths, both
}

func (c *genpoolColliders) Len() int { return c.n }

type genpoolMortals struct {
	p genpool[mortal]
	n int
}

func (c *genpoolMortals) Insert(first uint32, n int) {
	for i := range uint32(n) {
		c.p.insert(newMortal(first + i))
	}
	c.n += n
}

func (c *genpoolMortals) Update() (updates uint64) {
	slots := c.p.slots
	for i := range slots {
		if s := &slots[i]; s.gen&1 == 1 {
			s.val.update()
			updates++
		}
	}
	return updates
}

func (c *genpoolMortals) Bury() (deaths int) {
	slots := c.p.slots
	for i := range slots {
		if s := &slots[i]; s.gen&1 == 1 && s.val.dead() {
			c.p.remove(genhandle{uint32(i), s.gen})
			deaths++
		}
	}
	c.n -= deaths
	return deaths
}

func (c *genpoolMortals) Len() int { return c.n }
