package impls

import (
	"container/list"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var listImpl = measure.Impl{
	Name:    "container/list",
	Variant: true, // it gives no further answer
	About: "the standard library's linked list, of pointers to values. Its handle is the " +
		"*list.Element.",
	Stale: "reads the removed value, which the element keeps alive; removing it again does nothing",
	Loops: "e = e.Next(), with the next one saved before a removal",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(listValues[collections.None]) },
				func() collections.Values { return new(listValues[collections.Words3]) },
				func() collections.Values { return new(listValues[collections.Words15]) })
		},
		Particles: func() collections.Particles { return new(listParticles) },
		Colliders: func() collections.Colliders { return new(listColliders) },
		Mortals:   func() collections.Mortals { return new(listMortals) },
		Ask:       askList,
	},
}

type listValues[P collections.Pad] struct {
	collections.Handles[*list.Element]
	l list.List
}

func (c *listValues[P]) New(int) { c.l.Init() } // a list takes no capacity

func (c *listValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		e := collections.Of(pad, uint64(i))
		c.Hs[i] = c.l.PushBack(&e)
	}
}

func (c *listValues[P]) Sum() (sum uint64) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		sum += e.Value.(*collections.Elem[P]).V
	}
	return sum
}

func (c *listValues[P]) Mut() {
	for e := c.l.Front(); e != nil; e = e.Next() {
		e.Value.(*collections.Elem[P]).V++
	}
}

func (c *listValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		sum += h.Value.(*collections.Elem[P]).V
	}
	return sum
}

func (c *listValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		sum += c.l.Remove(h).(*collections.Elem[P]).V
	}
	return sum
}

func (c *listValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.l.Remove(h)
	}
}

func (c *listValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		sum += c.l.Remove(*h).(*collections.Elem[P]).V
		e := collections.Of(pad, next)
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
		if collections.Aged(e.Value.(*uint32)) {
			c.l.Remove(e)
			deaths++
		}
	}
	return visits, deaths
}

func (c *listParticles) Len() int { return c.l.Len() }

type listColliders struct{ l list.List }

func (c *listColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.l.PushBack(&v)
	}
}

func (c *listColliders) Cross() (pairs int) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		a := e.Value.(*collections.Collider)
		for f := c.l.Front(); f != nil; f = f.Next() {
			if f != e {
				pairs += collections.Meet(a, f.Value.(*collections.Collider))
			}
		}
	}
	return pairs
}

func (c *listColliders) Marks() (hits, beens int) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		collections.Tally(e.Value.(*collections.Collider), &hits, &beens)
	}
	return hits, beens
}

func (c *listColliders) Age() (deaths, both int) {
	var next *list.Element
	for e := c.l.Front(); e != nil; e = next {
		next = e.Next() // a removed element has no next
		if over, b := collections.AgedOut(e.Value.(*collections.Collider)); over {
			c.l.Remove(e)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *listColliders) Len() int { return c.l.Len() }

type listMortals struct{ l list.List }

func (c *listMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.l.PushBack(&m)
	}
}

func (c *listMortals) Update() (updates uint64) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		e.Value.(*collections.Mortal).Update()
		updates++
	}
	return updates
}

func (c *listMortals) Bury() (deaths int) {
	var next *list.Element
	for e := c.l.Front(); e != nil; e = next {
		next = e.Next() // a removed element has no next
		if e.Value.(*collections.Mortal).Dead() {
			c.l.Remove(e)
			deaths++
		}
	}
	return deaths
}

func (c *listMortals) Len() int { return c.l.Len() }
