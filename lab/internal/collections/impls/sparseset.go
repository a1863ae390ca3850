package impls

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/sparseset"
)

var sparsesetImpl = measure.Impl{
	Name: "dense+sparse",
	About: "a sparse set in fifty lines (internal/sparseset): values in a " +
		"slice, swap-removed, and a table of generations and positions. Its handle is index and " +
		"generation.",
	Stale: "finds nothing, until the slot has been reused 2^31 times",
	Safe:  true,
	Loops: "range over the slice; ageing removes by position, and visits the value that fills " +
		"the hole",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(sparsesetValues[collections.None]) },
				func() collections.Values { return new(sparsesetValues[collections.Words3]) },
				func() collections.Values { return new(sparsesetValues[collections.Words15]) })
		},
		Kinds: collections.Kinds(
			func() collections.Values { return new(sparsesetValues[collections.Words3]) },
			func() collections.Values { return new(sparsesetValues[collections.Array3]) },
			func() collections.Values { return new(sparsesetValues[collections.Pointers]) }),
		Particles: func() collections.Particles { return new(sparsesetParticles) },
		Colliders: func() collections.Colliders { return new(sparsesetColliders) },
		Mortals:   func() collections.Mortals { return new(sparsesetMortals) },
		Ask:       askSparseset,
	},
}

type sparsesetValues[P collections.Pad] struct {
	collections.Handles[sparseset.Handle]
	p sparseset.Set[collections.Elem[P]]
}

func (c *sparsesetValues[P]) New(room int) {
	c.p = sparseset.New[collections.Elem[P]](room)
}

func (c *sparsesetValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.Hs[i] = c.p.Insert(collections.Of(pad, uint64(i)))
	}
}

func (c *sparsesetValues[P]) Sum() (sum uint64) {
	s := c.p.Vals
	for i := range s {
		sum += s[i].V
	}
	return sum
}

func (c *sparsesetValues[P]) Mut() {
	s := c.p.Vals
	for i := range s {
		s[i].V++
	}
}

func (c *sparsesetValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.p.Ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *sparsesetValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.p.Remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

func (c *sparsesetValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.p.Remove(h)
	}
}

func (c *sparsesetValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.p.Remove(*h); ok {
			sum += e.V
		}
		*h = c.p.Insert(collections.Of(pad, next))
		next++
	}
	return sum
}

func (c *sparsesetValues[P]) Clip() { c.p.Clip() }

type sparsesetParticles struct{ p sparseset.Set[uint32] }

func (c *sparsesetParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.Insert(t)
	}
}

func (c *sparsesetParticles) Age() (visits, deaths int) {
	s := c.p.Vals
	for i := 0; i < len(s); {
		visits++
		if collections.Aged(&s[i]) {
			c.p.RemoveAt(uint32(i))
			s = c.p.Vals
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	return visits, deaths
}

func (c *sparsesetParticles) Len() int { return len(c.p.Vals) }

type sparsesetColliders struct {
	p sparseset.Set[collections.Collider]
}

func (c *sparsesetColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.p.Insert(v)
	}
}

func (c *sparsesetColliders) Cross() (pairs int) {
	s := c.p.Vals
	for i := range s {
		a := &s[i]
		pairs += collections.MeetAll(a, s[:i]) + collections.MeetAll(a, s[i+1:])
	}
	return pairs
}

func (c *sparsesetColliders) Marks() (hits, beens int) {
	for i := range c.p.Vals {
		collections.Tally(&c.p.Vals[i], &hits, &beens)
	}
	return hits, beens
}

func (c *sparsesetColliders) Age() (deaths, both int) {
	s := c.p.Vals
	for i := 0; i < len(s); {
		over, b := collections.AgedOut(&s[i])
		if over {
			c.p.RemoveAt(uint32(i))
			s = c.p.Vals
			deaths++
			both += b
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	return deaths, both
}

func (c *sparsesetColliders) Len() int { return len(c.p.Vals) }

type sparsesetMortals struct {
	p sparseset.Set[collections.Mortal]
}

func (c *sparsesetMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.p.Insert(m)
	}
}

func (c *sparsesetMortals) Update() uint64 { return collections.UpdateAll(c.p.Vals) }

func (c *sparsesetMortals) Bury() (deaths int) {
	s := c.p.Vals
	for i := 0; i < len(s); {
		if s[i].Dead() {
			c.p.RemoveAt(uint32(i))
			s = c.p.Vals
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	return deaths
}

func (c *sparsesetMortals) Len() int { return len(c.p.Vals) }
