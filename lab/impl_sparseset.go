package main

import "slices"

var sparsesetImpl = impl{
	name: "dense+sparse",
	about: "the dense container that one writes in fifty lines (sparseset.go): values in a " +
		"slice, swap-removed, and a table of generations and places. Its handle is index and " +
		"generation.",
	stale: "finds nothing, until the slot has been reused 2^31 times",
	safe:  true,
	loops: "range over the slice; ageing removes by position, and looks at the value that fills " +
		"the hole",
	kit: collectionKit{
		Values: func(elemBytes int) Values {
			return sized(elemBytes,
				func() Values { return new(sparsesetValues[[1]uint64]) },
				func() Values { return new(sparsesetValues[[4]uint64]) },
				func() Values { return new(sparsesetValues[[16]uint64]) })
		},
		Particles: func() Particles { return new(sparsesetParticles) },
		Colliders: func() Colliders { return new(sparsesetColliders) },
		Mortals:   func() Mortals { return new(sparsesetMortals) },
		Ask:       askSparseset,
	},
}

type sparsesetValues[E Elem] struct {
	handles[genhandle]
	p sparseset[E]
}

func (c *sparsesetValues[E]) New(room int) {
	c.p = sparseset[E]{
		vals: make([]E, 0, room), slot: make([]uint32, 0, room), table: make([]sparseslot, 0, room),
	}
}

func (c *sparsesetValues[E]) Insert(from, to int) {
	for i := from; i < to; i++ {
		c.hs[i] = c.p.insert(fill[E](uint64(i)))
	}
}

func (c *sparsesetValues[E]) Sum() (sum uint64) {
	s := c.p.vals
	for i := range s {
		sum += s[i][0]
	}
	return sum
}

func (c *sparsesetValues[E]) Mut() {
	s := c.p.vals
	for i := range s {
		s[i][0]++
	}
}

func (c *sparsesetValues[E]) Get() (sum uint64) {
	for _, h := range c.hs {
		if e := c.p.ptr(h); e != nil {
			sum += (*e)[0]
		}
	}
	return sum
}

func (c *sparsesetValues[E]) Drain() (sum uint64) {
	for _, h := range c.hs {
		if e, ok := c.p.remove(h); ok {
			sum += e[0]
		}
	}
	return sum
}

func (c *sparsesetValues[E]) Remove(lo, hi int) {
	for _, h := range c.hs[lo:hi] {
		c.p.remove(h)
	}
}

func (c *sparsesetValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
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

// Clip gives the room of the values back. The table must stay: it has the generations.
func (c *sparsesetValues[E]) Clip() {
	c.p.vals, c.p.slot = slices.Clone(c.p.vals), slices.Clone(c.p.slot)
}

type sparsesetParticles struct{ p sparseset[uint32] }

func (c *sparsesetParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.insert(t)
	}
}

func (c *sparsesetParticles) Age() (visits, deaths int) {
	s := c.p.vals
	for i := 0; i < len(s); {
		visits++
		if aged(&s[i]) {
			c.p.removeAt(uint32(i))
			s = c.p.vals
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	return visits, deaths
}

func (c *sparsesetParticles) Len() int { return len(c.p.vals) }

type sparsesetColliders struct{ p sparseset[collider] }

func (c *sparsesetColliders) Insert(cs []collider) {
	for _, v := range cs {
		c.p.insert(v)
	}
}

func (c *sparsesetColliders) Cross() (pairs int) {
	s := c.p.vals
	for i := range s {
		a := &s[i]
		pairs += meetAll(a, s[:i]) + meetAll(a, s[i+1:])
	}
	return pairs
}

func (c *sparsesetColliders) Marks() (hits, beens int) {
	for i := range c.p.vals {
		tally(&c.p.vals[i], &hits, &beens)
	}
	return hits, beens
}

func (c *sparsesetColliders) Age() (deaths, both int) {
	s := c.p.vals
	for i := 0; i < len(s); {
		over, b := agedOut(&s[i])
		if over {
			c.p.removeAt(uint32(i))
			s = c.p.vals
			deaths++
			both += b
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	return deaths, both
}

func (c *sparsesetColliders) Len() int { return len(c.p.vals) }

type sparsesetMortals struct{ p sparseset[mortal] }

func (c *sparsesetMortals) Insert(ms []mortal) {
	for _, m := range ms {
		c.p.insert(m)
	}
}

func (c *sparsesetMortals) Update() uint64 { return updateAll(c.p.vals) }

func (c *sparsesetMortals) Bury() (deaths int) {
	s := c.p.vals
	for i := 0; i < len(s); {
		if s[i].dead() {
			c.p.removeAt(uint32(i))
			s = c.p.vals
			deaths++
			continue // the value that filled the hole has not been looked at
		}
		i++
	}
	return deaths
}

func (c *sparsesetMortals) Len() int { return len(c.p.vals) }
