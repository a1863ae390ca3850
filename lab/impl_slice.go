package main

import "slices"

var sliceImpl = impl{
	name: "[]T",
	about: "a plain slice; removing moves the last value into the hole. Its only name for a " +
		"value is the position.",
	stale: "reads whichever value is at that position now",
	loops: "range over the slice. remove_random removes random positions, since none names a " +
		"value for long; " +
		"churn overwrites position i, which no collection that must name its values can " +
		"undercut; " +
		"the removals before sparse and memory are one slices.DeleteFunc.",
	kit: collectionKit{
		Values: func(elemBytes int) Values {
			return sized(elemBytes,
				func() Values { return new(sliceValues[[1]uint64]) },
				func() Values { return new(sliceValues[[4]uint64]) },
				func() Values { return new(sliceValues[[16]uint64]) })
		},
		Particles: func() Particles { return new(sliceParticles) },
		Colliders: func() Colliders { return new(sliceColliders) },
		Mortals:   func() Mortals { return new(sliceMortals) },
		Ask:       askSlice,
	},
}

type sliceValues[E Elem] struct {
	handles[uint32] // positions
	s               []E
}

func (c *sliceValues[E]) New(room int) { c.s = make([]E, 0, room) }

func (c *sliceValues[E]) Insert(from, to int) {
	s := c.s
	for i := from; i < to; i++ {
		c.hs[i] = uint32(len(s))
		s = append(s, fill[E](uint64(i)))
	}
	c.s = s
}

func (c *sliceValues[E]) Sum() (sum uint64) {
	s := c.s
	for i := range s {
		sum += s[i][0]
	}
	return sum
}

func (c *sliceValues[E]) Mut() {
	s := c.s
	for i := range s {
		s[i][0]++
	}
}

func (c *sliceValues[E]) Get() (sum uint64) {
	s := c.s
	for _, h := range c.hs {
		sum += s[h][0]
	}
	return sum
}

// Plan draws a position for each removal, each among what is then left.
func (c *sliceValues[E]) Plan(r *rng) {
	for i := range c.hs {
		c.hs[i] = uint32(r.below(uint64(len(c.hs) - i)))
	}
}

func (c *sliceValues[E]) Drain() (sum uint64) {
	s := c.s
	for _, h := range c.hs {
		sum += s[h][0]
		last := len(s) - 1
		s[h] = s[last]
		s = s[:last]
	}
	c.s = s
	return sum
}

// Remove removes the values that stood at these positions when they were inserted: position and
// value are then the same number.
func (c *sliceValues[E]) Remove(lo, hi int) {
	gone := make([]bool, len(c.hs))
	for _, h := range c.hs[lo:hi] {
		gone[h] = true
	}
	c.s = slices.DeleteFunc(c.s, func(e E) bool { return gone[e[0]] })
}

func (c *sliceValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
	s, n := c.s, uint64(len(c.hs))
	for range pairs {
		h := c.hs[r.below(n)]
		sum += s[h][0]
		s[h] = fill[E](next)
		next++
	}
	return sum
}

func (c *sliceValues[E]) Clip() { c.s = slices.Clone(c.s) }

type sliceParticles struct{ s []uint32 }

func (c *sliceParticles) Insert(ttls []uint32) {
	for _, t := range ttls { //nolint:staticcheck // one by one, as they all insert
		c.s = append(c.s, t)
	}
}

func (c *sliceParticles) Age() (visits, deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		visits++
		if aged(&s[i]) {
			last := len(s) - 1
			s[i] = s[last]
			s = s[:last]
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	c.s = s
	return visits, deaths
}

func (c *sliceParticles) Len() int { return len(c.s) }

type sliceColliders struct{ s []collider }

func (c *sliceColliders) Insert(cs []collider) {
	for _, v := range cs { //nolint:staticcheck // one by one, as they all insert
		c.s = append(c.s, v)
	}
}

func (c *sliceColliders) Cross() (pairs int) {
	s := c.s
	for i := range s {
		a := &s[i]
		pairs += meetAll(a, s[:i]) + meetAll(a, s[i+1:])
	}
	return pairs
}

func (c *sliceColliders) Marks() (hits, beens int) {
	for i := range c.s {
		tally(&c.s[i], &hits, &beens)
	}
	return hits, beens
}

func (c *sliceColliders) Age() (deaths, both int) {
	s := c.s
	for i := 0; i < len(s); {
		over, b := agedOut(&s[i])
		if over {
			last := len(s) - 1
			s[i] = s[last]
			s = s[:last]
			deaths++
			both += b
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	c.s = s
	return deaths, both
}

func (c *sliceColliders) Len() int { return len(c.s) }

type sliceMortals struct{ s []mortal }

func (c *sliceMortals) Insert(ms []mortal) { c.s = append(c.s, ms...) }

func (c *sliceMortals) Update() uint64 { return updateAll(c.s) }

func (c *sliceMortals) Bury() (deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		if s[i].dead() {
			last := len(s) - 1
			s[i] = s[last]
			s = s[:last]
			deaths++
			continue // the value that filled the hole has not been looked at
		}
		i++
	}
	c.s = s
	return deaths
}

func (c *sliceMortals) Len() int { return len(c.s) }

var orderedImpl = impl{
	name: "[]T in order",
	about: "a plain slice that keeps its order: removing moves up all that come behind, by " +
		"slices.Delete for each. It is in dcm and dcm-pool.",
	stale: "reads whichever value is at that position now",
	loops: "range over the slice",
	kit: collectionKit{
		Mortals: func() Mortals { return new(orderedMortals) },
		Ask:     askOrdered,
	},
}

type orderedMortals struct{ sliceMortals }

func (c *orderedMortals) Bury() (deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		if s[i].dead() {
			s = slices.Delete(s, i, i+1)
			deaths++
			continue // the value that moved up has not been looked at
		}
		i++
	}
	c.s = s
	return deaths
}
