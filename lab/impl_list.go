package main

import "container/list"

var listImpl = impl{
	name: "container/list",
	about: "the standard library's linked list, of pointers to values. Its handle is the " +
		"*list.Element.",
	stale: "reads the removed value, which the element keeps alive; removing it again does nothing",
	loops: "e = e.Next(), with the next one remembered before a removal",
	kit: collectionKit{
		Values: func(elemBytes int) Values {
			return sized(elemBytes,
				func() Values { return new(listValues[[1]uint64]) },
				func() Values { return new(listValues[[4]uint64]) },
				func() Values { return new(listValues[[16]uint64]) })
		},
		Particles: func() Particles { return new(listParticles) },
		Colliders: func() Colliders { return new(listColliders) },
		Mortals:   func() Mortals { return new(listMortals) },
		Ask:       askList,
	},
}

type listValues[E Elem] struct {
	handles[*list.Element]
	l list.List
}

func (c *listValues[E]) New(int) { c.l.Init() } // a list cannot be told how many will come

func (c *listValues[E]) Insert(from, to int) {
	for i := from; i < to; i++ {
		e := fill[E](uint64(i))
		c.hs[i] = c.l.PushBack(&e)
	}
}

func (c *listValues[E]) Sum() (sum uint64) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		sum += (*e.Value.(*E))[0]
	}
	return sum
}

func (c *listValues[E]) Mut() {
	for e := c.l.Front(); e != nil; e = e.Next() {
		(*e.Value.(*E))[0]++
	}
}

func (c *listValues[E]) Get() (sum uint64) {
	for _, h := range c.hs {
		sum += (*h.Value.(*E))[0]
	}
	return sum
}

func (c *listValues[E]) Drain() (sum uint64) {
	for _, h := range c.hs {
		sum += (*c.l.Remove(h).(*E))[0]
	}
	return sum
}

func (c *listValues[E]) Remove(lo, hi int) {
	for _, h := range c.hs[lo:hi] {
		c.l.Remove(h)
	}
}

func (c *listValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
	n := uint64(len(c.hs))
	for range pairs {
		h := &c.hs[r.below(n)]
		sum += (*c.l.Remove(*h).(*E))[0]
		e := fill[E](next)
		*h = c.l.PushBack(&e)
		next++
	}
	return sum
}

type listParticles struct{ l list.List }

func (c *listParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.l.PushBack(&t)
	}
}

func (c *listParticles) Age() (visits, deaths int) {
	var next *list.Element
	for e := c.l.Front(); e != nil; e = next {
		next = e.Next() // a removed element has no next
		visits++
		if aged(e.Value.(*uint32)) {
			c.l.Remove(e)
			deaths++
		}
	}
	return visits, deaths
}

func (c *listParticles) Len() int { return c.l.Len() }

type listColliders struct{ l list.List }

func (c *listColliders) Insert(cs []collider) {
	for _, v := range cs {
		c.l.PushBack(&v)
	}
}

func (c *listColliders) Cross() (pairs int) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		a := e.Value.(*collider)
		for f := c.l.Front(); f != nil; f = f.Next() {
			if f != e {
				pairs += meet(a, f.Value.(*collider))
			}
		}
	}
	return pairs
}

func (c *listColliders) Marks() (hits, beens int) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		tally(e.Value.(*collider), &hits, &beens)
	}
	return hits, beens
}

func (c *listColliders) Age() (deaths, both int) {
	var next *list.Element
	for e := c.l.Front(); e != nil; e = next {
		next = e.Next() // a removed element has no next
		if over, b := agedOut(e.Value.(*collider)); over {
			c.l.Remove(e)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *listColliders) Len() int { return c.l.Len() }

type listMortals struct{ l list.List }

func (c *listMortals) Insert(ms []mortal) {
	for _, m := range ms {
		c.l.PushBack(&m)
	}
}

func (c *listMortals) Update() (updates uint64) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		e.Value.(*mortal).update()
		updates++
	}
	return updates
}

func (c *listMortals) Bury() (deaths int) {
	var next *list.Element
	for e := c.l.Front(); e != nil; e = next {
		next = e.Next() // a removed element has no next
		if e.Value.(*mortal).dead() {
			c.l.Remove(e)
			deaths++
		}
	}
	return deaths
}

func (c *listMortals) Len() int { return c.l.Len() }
