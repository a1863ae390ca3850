package impls

import (
	"slices"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var sparsesetImpl = measure.Impl{
	Name: "dense+sparse",
	About: "a sparse set in fifty lines (hand_sparseset.go): values in a " +
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
	collections.Handles[genhandle]
	p sparseset[collections.Elem[P]]
}

func (c *sparsesetValues[P]) New(room int) {
	c.p = sparseset[collections.Elem[P]]{
		vals:  make([]collections.Elem[P], 0, room),
		slot:  make([]uint32, 0, room),
		table: make([]sparseslot, 0, room),
	}
}

func (c *sparsesetValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.Hs[i] = c.p.insert(collections.Of(pad, uint64(i)))
	}
}

func (c *sparsesetValues[P]) Sum() (sum uint64) {
	s := c.p.vals
	for i := range s {
		sum += s[i].V
	}
	return sum
}

func (c *sparsesetValues[P]) Mut() {
	s := c.p.vals
	for i := range s {
		s[i].V++
	}
}

func (c *sparsesetValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.p.ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *sparsesetValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.p.remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

func (c *sparsesetValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.p.remove(h)
	}
}

func (c *sparsesetValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.p.remove(*h); ok {
			sum += e.V
		}
		*h = c.p.insert(collections.Of(pad, next))
		next++
	}
	return sum
}

// Clip releases the room of the values. The table must stay, since it holds the generations.
func (c *sparsesetValues[P]) Clip() {
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
		if collections.Aged(&s[i]) {
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

type sparsesetColliders struct {
	p sparseset[collections.Collider]
}

func (c *sparsesetColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.p.insert(v)
	}
}

func (c *sparsesetColliders) Cross() (pairs int) {
	s := c.p.vals
	for i := range s {
		a := &s[i]
		pairs += collections.MeetAll(a, s[:i]) + collections.MeetAll(a, s[i+1:])
	}
	return pairs
}

func (c *sparsesetColliders) Marks() (hits, beens int) {
	for i := range c.p.vals {
		collections.Tally(&c.p.vals[i], &hits, &beens)
	}
	return hits, beens
}

func (c *sparsesetColliders) Age() (deaths, both int) {
	s := c.p.vals
	for i := 0; i < len(s); {
		over, b := collections.AgedOut(&s[i])
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

type sparsesetMortals struct{ p sparseset[collections.Mortal] }

func (c *sparsesetMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.p.insert(m)
	}
}

func (c *sparsesetMortals) Update() uint64 { return collections.UpdateAll(c.p.vals) }

func (c *sparsesetMortals) Bury() (deaths int) {
	s := c.p.vals
	for i := 0; i < len(s); {
		if s[i].Dead() {
			c.p.removeAt(uint32(i))
			s = c.p.vals
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	return deaths
}

func (c *sparsesetMortals) Len() int { return len(c.p.vals) }
