package impls

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var ptrMapImpl = measure.Impl{
	Name:  "map[uint64]*T",
	About: "a map from a counter to a pointer. Its handle is the number, which is never reused.",
	Stale: "finds nothing",
	Safe:  true,
	Loops: "range over the map, delete inside it",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(ptrMapValues[collections.None]) },
				func() collections.Values { return new(ptrMapValues[collections.Words3]) },
				func() collections.Values { return new(ptrMapValues[collections.Words15]) })
		},
		Kinds: collections.Kinds(
			func() collections.Values { return new(ptrMapValues[collections.Words3]) },
			func() collections.Values { return new(ptrMapValues[collections.Array3]) },
			func() collections.Values { return new(ptrMapValues[collections.Pointers]) }),
		Particles: func() collections.Particles {
			return &ptrMapParticles{m: map[uint64]*uint32{}}
		},
		Colliders: func() collections.Colliders {
			return &ptrMapColliders{m: map[uint64]*collections.Collider{}}
		},
		Mortals: func() collections.Mortals {
			return &ptrMapMortals{m: map[uint64]*collections.Mortal{}}
		},
		Ask: askPtrMap,
	},
}

type ptrMapValues[P collections.Pad] struct {
	collections.Handles[uint64]
	m  map[uint64]*collections.Elem[P]
	id uint64 // the last number
}

func (c *ptrMapValues[P]) New(room int) { c.m = make(map[uint64]*collections.Elem[P], room) }

func (c *ptrMapValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		e := collections.Of(pad, uint64(i))
		c.id++
		c.m[c.id] = &e
		c.Hs[i] = c.id
	}
}

func (c *ptrMapValues[P]) Sum() (sum uint64) {
	for _, e := range c.m {
		sum += e.V
	}
	return sum
}

func (c *ptrMapValues[P]) Mut() {
	for _, e := range c.m {
		e.V++
	}
}

func (c *ptrMapValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.m[h]; ok {
			sum += e.V
		}
	}
	return sum
}

func (c *ptrMapValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.m[h]; ok {
			sum += e.V
			delete(c.m, h)
		}
	}
	return sum
}

func (c *ptrMapValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		delete(c.m, h)
	}
}

func (c *ptrMapValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.m[*h]; ok {
			sum += e.V
			delete(c.m, *h)
		}
		e := collections.Of(pad, next)
		c.id++
		c.m[c.id] = &e
		*h = c.id
		next++
	}
	return sum
}

type ptrMapParticles struct {
	m  map[uint64]*uint32
	id uint64
}

func (c *ptrMapParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.id++
		c.m[c.id] = &t
	}
}

func (c *ptrMapParticles) Age() (visits, deaths int) {
	for id, t := range c.m {
		visits++
		if collections.Aged(t) {
			delete(c.m, id)
			deaths++
		}
	}
	return visits, deaths
}

func (c *ptrMapParticles) Len() int { return len(c.m) }

type ptrMapColliders struct {
	m  map[uint64]*collections.Collider
	id uint64
}

func (c *ptrMapColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.id++
		c.m[c.id] = &v
	}
}

func (c *ptrMapColliders) Cross() (pairs int) {
	for _, a := range c.m {
		for _, b := range c.m {
			if b != a {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *ptrMapColliders) Marks() (hits, beens int) {
	for _, v := range c.m {
		collections.Tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *ptrMapColliders) Age() (deaths, both int) {
	for id, v := range c.m {
		if over, b := collections.AgedOut(v); over {
			delete(c.m, id)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *ptrMapColliders) Len() int { return len(c.m) }

type ptrMapMortals struct {
	m  map[uint64]*collections.Mortal
	id uint64
}

func (c *ptrMapMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.id++
		c.m[c.id] = &m
	}
}

func (c *ptrMapMortals) Update() (updates uint64) {
	for _, m := range c.m {
		m.Update()
		updates++
	}
	return updates
}

func (c *ptrMapMortals) Bury() (deaths int) {
	for id, m := range c.m {
		if m.Dead() {
			delete(c.m, id)
			deaths++
		}
	}
	return deaths
}

func (c *ptrMapMortals) Len() int { return len(c.m) }

var mapImpl = measure.Impl{
	Name: "map[uint64]T",
	About: "a map from a counter to the value itself. Its handle is the number, which is " +
		"never reused.",
	Stale: "finds nothing",
	Safe:  true,
	Loops: "range over the map; a changed value is a copy, and is stored again",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(mapValues[collections.None]) },
				func() collections.Values { return new(mapValues[collections.Words3]) },
				func() collections.Values { return new(mapValues[collections.Words15]) })
		},
		Kinds: collections.Kinds(
			func() collections.Values { return new(mapValues[collections.Words3]) },
			func() collections.Values { return new(mapValues[collections.Array3]) },
			func() collections.Values { return new(mapValues[collections.Pointers]) }),
		Particles: func() collections.Particles { return &mapParticles{m: map[uint64]uint32{}} },
		Colliders: func() collections.Colliders {
			return &mapColliders{m: map[uint64]collections.Collider{}}
		},
		Ask: askMap,
	},
}

type mapValues[P collections.Pad] struct {
	collections.Handles[uint64]
	m  map[uint64]collections.Elem[P]
	id uint64 // the last number
}

func (c *mapValues[P]) New(room int) { c.m = make(map[uint64]collections.Elem[P], room) }

func (c *mapValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.id++
		c.m[c.id] = collections.Of(pad, uint64(i))
		c.Hs[i] = c.id
	}
}

func (c *mapValues[P]) Sum() (sum uint64) {
	for _, e := range c.m {
		sum += e.V
	}
	return sum
}

func (c *mapValues[P]) Mut() {
	for id, e := range c.m {
		e.V++
		c.m[id] = e
	}
}

func (c *mapValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.m[h]; ok {
			sum += e.V
		}
	}
	return sum
}

func (c *mapValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.m[h]; ok {
			sum += e.V
			delete(c.m, h)
		}
	}
	return sum
}

func (c *mapValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		delete(c.m, h)
	}
}

func (c *mapValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.m[*h]; ok {
			sum += e.V
			delete(c.m, *h)
		}
		c.id++
		c.m[c.id] = collections.Of(pad, next)
		*h = c.id
		next++
	}
	return sum
}

type mapParticles struct {
	m  map[uint64]uint32
	id uint64
}

func (c *mapParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.id++
		c.m[c.id] = t
	}
}

func (c *mapParticles) Age() (visits, deaths int) {
	for id, t := range c.m {
		visits++
		if collections.Aged(&t) {
			delete(c.m, id)
			deaths++
		} else {
			c.m[id] = t
		}
	}
	return visits, deaths
}

func (c *mapParticles) Len() int { return len(c.m) }

type mapColliders struct {
	m  map[uint64]collections.Collider
	id uint64
}

func (c *mapColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.id++
		c.m[c.id] = v
	}
}

func (c *mapColliders) Cross() (pairs int) {
	for ida, a := range c.m {
		met := 0
		for idb, b := range c.m {
			if idb != ida && collections.Meet(&a, &b) == 1 {
				c.m[idb] = b
				met++
			}
		}
		if met > 0 {
			c.m[ida] = a
			pairs += met
		}
	}
	return pairs
}

func (c *mapColliders) Marks() (hits, beens int) {
	for _, v := range c.m {
		collections.Tally(&v, &hits, &beens)
	}
	return hits, beens
}

func (c *mapColliders) Age() (deaths, both int) {
	for id, v := range c.m {
		over, b := collections.AgedOut(&v)
		if !over {
			c.m[id] = v
			continue
		}
		delete(c.m, id)
		deaths++
		both += b
	}
	return deaths, both
}

func (c *mapColliders) Len() int { return len(c.m) }
