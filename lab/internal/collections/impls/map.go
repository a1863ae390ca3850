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
		Particles: func() particles { return &ptrMapParticles{newPtrMap[uint32]()} },
		Colliders: func() colliders { return &ptrMapColliders{newPtrMap[collider]()} },
		Mortals:   func() mortals { return &ptrMapMortals{newPtrMap[mortal]()} },
		Ask:       askPtrMap,
	}.With(new(ptrMapValues[none]), new(ptrMapValues[words3]), new(ptrMapValues[words15]),
		new(ptrMapValues[array3]), new(ptrMapValues[ptrs])),
}

type ptrMapValues[P pad] struct {
	collections.Handles[uint64]
	numbered[*elem[P]]
}

func (c *ptrMapValues[P]) New(room int) { c.m = make(map[uint64]*elem[P], room) }

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
	return collections.GetAll(c.Hs, func(h uint64) *elem[P] { return c.m[h] })
}

func (c *ptrMapValues[P]) Drain(lo, hi int) (sum uint64) {
	for _, h := range c.Hs[lo:hi] {
		if e, ok := c.m[h]; ok {
			sum += e.V
			delete(c.m, h)
		}
	}
	return sum
}

func (c *ptrMapValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.m[*h]; ok {
			sum += old.V
			delete(c.m, *h)
		}
		*h = c.insert(&e)
	}
	return sum
}

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

type ptrMapColliders struct{ ptrMapOf[collider] }

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
	return collections.TallyAll(maps.All(c.m))
}

func (c *ptrMapColliders) Age() (deaths, both int) {
	for id, v := range c.m {
		if collections.AgedOut(v, &both) {
			delete(c.m, id)
			deaths++
		}
	}
	return deaths, both
}

type ptrMapMortals struct{ ptrMapOf[mortal] }

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

var mapImpl = measure.Impl{
	Name: "map[uint64]T",
	About: "a map from a counter to the value itself. Its handle is the number, which is " +
		"never reused.",
	Stale: "finds nothing",
	Safe:  true,
	Loops: "range over the map; a changed value is a copy, and is stored again",
	Kit: collections.Kit{
		Particles: func() particles { return &mapParticles{newMap[uint32]()} },
		Colliders: func() colliders { return &mapColliders{newMap[collider]()} },
		Ask:       askMap,
	}.With(new(mapValues[none]), new(mapValues[words3]), new(mapValues[words15]),
		new(mapValues[array3]), new(mapValues[ptrs])),
}

type mapValues[P pad] struct {
	collections.Handles[uint64]
	numbered[elem[P]]
}

func (c *mapValues[P]) New(room int) { c.m = make(map[uint64]elem[P], room) }

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

func (c *mapValues[P]) Drain(lo, hi int) (sum uint64) {
	for _, h := range c.Hs[lo:hi] {
		if e, ok := c.m[h]; ok {
			sum += e.V
			delete(c.m, h)
		}
	}
	return sum
}

func (c *mapValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.m[*h]; ok {
			sum += old.V
			delete(c.m, *h)
		}
		*h = c.insert(e)
	}
	return sum
}

type mapOf[T any] struct{ numbered[T] }

func newMap[T any]() mapOf[T] { return mapOf[T]{newNumbered[T]()} }

func (c *mapOf[T]) Insert(vs []T) { collections.Each(vs, c.insert) }

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

type mapColliders struct{ mapOf[collider] }

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
		if !collections.AgedOut(&v, &both) {
			c.m[id] = v
			continue
		}
		delete(c.m, id)
		deaths++
	}
	return deaths, both
}
