package impls

import (
	"container/list"
	"iter"

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
		Particles: func() particles { return new(listParticles) },
		Colliders: func() colliders { return new(listColliders) },
		Mortals:   func() mortals { return new(listMortals) },
		Ask:       askList,
	}.With(new(listValues[none]), new(listValues[words3]), new(listValues[words15])),
}

type listValues[P pad] struct {
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
		sum += e.Value.(*elem[P]).V
	}
	return sum
}

func (c *listValues[P]) Mut() {
	for e := c.l.Front(); e != nil; e = e.Next() {
		e.Value.(*elem[P]).V++
	}
}

func (c *listValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		sum += h.Value.(*elem[P]).V
	}
	return sum
}

func (c *listValues[P]) Drain(lo, hi int) (sum uint64) {
	for _, h := range c.Hs[lo:hi] {
		sum += c.l.Remove(h).(*elem[P]).V
	}
	return sum
}

func (c *listValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		sum += c.l.Remove(*h).(*elem[P]).V
		*h = c.l.PushBack(&e)
	}
	return sum
}

type listedOf[T any] struct{ l list.List }

func (c *listedOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.l.PushBack(&v)
	}
}

// all is the loop of a list whose body removes: the next element is saved before.
func (c *listedOf[T]) all() iter.Seq2[*list.Element, *T] {
	return func(yield func(*list.Element, *T) bool) {
		var next *list.Element
		for e := c.l.Front(); e != nil; e = next {
			next = e.Next() // a removed element has no next
			if !yield(e, e.Value.(*T)) {
				return
			}
		}
	}
}

func (c *listedOf[T]) remove() func(*list.Element) {
	return func(e *list.Element) { c.l.Remove(e) }
}

func (c *listedOf[T]) Len() int { return c.l.Len() }

type listParticles struct{ listedOf[uint32] }

func (c *listParticles) Age() (visits, deaths int) {
	return collections.AgeAll(c.all(), c.remove())
}

type listColliders struct{ listedOf[collider] }

func (c *listColliders) Cross() (pairs int) {
	for e := c.l.Front(); e != nil; e = e.Next() {
		a := e.Value.(*collider)
		for f := c.l.Front(); f != nil; f = f.Next() {
			if f != e {
				pairs += collections.Meet(a, f.Value.(*collider))
			}
		}
	}
	return pairs
}

func (c *listColliders) Marks() (hits, beens int) { return collections.TallyAll(c.all()) }

func (c *listColliders) Age() (deaths, both int) {
	return collections.AgeOutAll(c.all(), c.remove())
}

type listMortals struct{ listedOf[mortal] }

func (c *listMortals) Update() uint64 { return collections.UpdateEach(c.all()) }
func (c *listMortals) Bury() int      { return collections.BuryAll(c.all(), c.remove()) }
