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
		Values: collections.Sizes(new(listValues[collections.None]),
			new(listValues[collections.Words3]), new(listValues[collections.Words15])),
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

// listedOf has the methods that do not depend on the type of values.
type listedOf[T any] struct{ l list.List }

func (c *listedOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.l.PushBack(&v)
	}
}

// all is the loop of a list whose body removes: the next element is saved before.
func (c *listedOf[T]) all(yield func(*list.Element, *T) bool) {
	var next *list.Element
	for e := c.l.Front(); e != nil; e = next {
		next = e.Next() // a removed element has no next
		if !yield(e, e.Value.(*T)) {
			return
		}
	}
}

func (c *listedOf[T]) Len() int { return c.l.Len() }

type listParticles struct{ listedOf[uint32] }

func (c *listParticles) Age() (visits, deaths int) {
	for e, t := range c.all {
		visits++
		if collections.Aged(t) {
			c.l.Remove(e)
			deaths++
		}
	}
	return visits, deaths
}

type listColliders struct{ listedOf[collections.Collider] }

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
	for _, v := range c.all {
		collections.Tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *listColliders) Age() (deaths, both int) {
	for e, v := range c.all {
		if over, b := collections.AgedOut(v); over {
			c.l.Remove(e)
			deaths++
			both += b
		}
	}
	return deaths, both
}

type listMortals struct{ listedOf[collections.Mortal] }

func (c *listMortals) Update() (updates uint64) {
	for _, m := range c.all {
		m.Update()
		updates++
	}
	return updates
}

func (c *listMortals) Bury() (deaths int) {
	for e, m := range c.all {
		if m.Dead() {
			c.l.Remove(e)
			deaths++
		}
	}
	return deaths
}
