package impls

import (
	"maps"

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
		Values: collections.Sizes(new(ptrMapValues[collections.None]),
			new(ptrMapValues[collections.Words3]), new(ptrMapValues[collections.Words15])),
		Kinds: collections.Kinds(new(ptrMapValues[collections.Words3]),
			new(ptrMapValues[collections.Array3]), new(ptrMapValues[collections.Pointers])),
		Particles: func() collections.Particles {
			return &ptrMapParticles{newPtrMap[uint32]()}
		},
		Colliders: func() collections.Colliders {
			return &ptrMapColliders{newPtrMap[collections.Collider]()}
		},
		Mortals: func() collections.Mortals {
			return &ptrMapMortals{newPtrMap[collections.Mortal]()}
		},
		Ask: askPtrMap,
	},
}

type ptrMapValues[P collections.Pad] struct {
	collections.Handles[uint64]
	numbered[*collections.Elem[P]]
}

func (c *ptrMapValues[P]) New(room int) { c.m = make(map[uint64]*collections.Elem[P], room) }

func (c *ptrMapValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		e := collections.Of(pad, uint64(i))
		c.Hs[i] = c.insert(&e)
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

func (c *ptrMapValues[P]) Get() uint64 {
	return collections.GetAll(c.Hs, func(h uint64) *collections.Elem[P] { return c.m[h] })
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
		c.remove(h)
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
		*h = c.insert(&e)
		next++
	}
	return sum
}

// ptrMapOf has the methods that do not depend on the type of values.
type ptrMapOf[T any] struct{ numbered[*T] }

func newPtrMap[T any]() ptrMapOf[T] { return ptrMapOf[T]{newNumbered[*T]()} }

func (c *ptrMapOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.insert(&v)
	}
}

type ptrMapParticles struct{ ptrMapOf[uint32] }

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

type ptrMapColliders struct{ ptrMapOf[collections.Collider] }

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
	return collections.TallyAll(maps.Values(c.m))
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

type ptrMapMortals struct{ ptrMapOf[collections.Mortal] }

func (c *ptrMapMortals) Update() uint64 { return collections.UpdateEach(maps.Values(c.m)) }

func (c *ptrMapMortals) Bury() (deaths int) {
	for id, m := range c.m {
		if m.Dead() {
			delete(c.m, id)
			deaths++
		}
	}
	return deaths
}

var mapImpl = measure.Impl{
	Name: "map[uint64]T",
	About: "a map from a counter to the value itself. Its handle is the number, which is " +
		"never reused.",
	Stale: "finds nothing",
	Safe:  true,
	Loops: "range over the map; a changed value is a copy, and is stored again",
	Kit: collections.Kit{
		Values: collections.Sizes(new(mapValues[collections.None]),
			new(mapValues[collections.Words3]), new(mapValues[collections.Words15])),
		Kinds: collections.Kinds(new(mapValues[collections.Words3]),
			new(mapValues[collections.Array3]), new(mapValues[collections.Pointers])),
		Particles: func() collections.Particles { return &mapParticles{newMap[uint32]()} },
		Colliders: func() collections.Colliders {
			return &mapColliders{newMap[collections.Collider]()}
		},
		Ask: askMap,
	},
}

type mapValues[P collections.Pad] struct {
	collections.Handles[uint64]
	numbered[collections.Elem[P]]
}

func (c *mapValues[P]) New(room int) { c.m = make(map[uint64]collections.Elem[P], room) }

func (c *mapValues[P]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.insert)
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
		c.remove(h)
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
		*h = c.insert(collections.Of(pad, next))
		next++
	}
	return sum
}

// mapOf has the methods that do not depend on the type of values.
type mapOf[T any] struct{ numbered[T] }

func newMap[T any]() mapOf[T] { return mapOf[T]{newNumbered[T]()} }

func (c *mapOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.insert(v)
	}
}

type mapParticles struct{ mapOf[uint32] }

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

type mapColliders struct{ mapOf[collections.Collider] }

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
