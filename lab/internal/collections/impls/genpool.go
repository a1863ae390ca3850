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
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(genpoolValues[collections.None]) },
				func() collections.Values { return new(genpoolValues[collections.Words3]) },
				func() collections.Values { return new(genpoolValues[collections.Words15]) })
		},
		Kinds: collections.Kinds(
			func() collections.Values { return new(genpoolValues[collections.Words3]) },
			func() collections.Values { return new(genpoolValues[collections.Array3]) },
			func() collections.Values { return new(genpoolValues[collections.Pointers]) }),
		Particles: func() collections.Particles { return new(genpoolParticles) },
		Colliders: func() collections.Colliders { return new(genpoolColliders) },
		Mortals:   func() collections.Mortals { return new(genpoolMortals) },
		Ask:       askGenpool,
	},
}

type genpoolValues[P collections.Pad] struct {
	collections.Handles[genpool.Handle]
	p genpool.Pool[collections.Elem[P]]
}

func (c *genpoolValues[P]) New(room int) { c.p = genpool.New[collections.Elem[P]](room) }

func (c *genpoolValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.Hs[i] = c.p.Insert(collections.Of(pad, uint64(i)))
	}
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

func (c *genpoolValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.p.Ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *genpoolValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.p.Remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

func (c *genpoolValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.p.Remove(h)
	}
}

func (c *genpoolValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
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
		if collections.Aged(&s.Val) {
			c.p.Remove(genpool.Handle{Index: uint32(i), Gen: s.Gen})
			deaths++
		}
	}
	c.n -= deaths
	return visits, deaths
}

func (c *genpoolParticles) Len() int { return c.n }

type genpoolColliders struct {
	p genpool.Pool[collections.Collider]
	n int
}

func (c *genpoolColliders) Insert(cs []collections.Collider) {
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
		if over, b := collections.AgedOut(&s.Val); over {
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
	p genpool.Pool[collections.Mortal]
	n int
}

func (c *genpoolMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.p.Insert(m)
	}
	c.n += len(ms)
}

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
	c.n -= deaths
	return deaths
}

func (c *genpoolMortals) Len() int { return c.n }
