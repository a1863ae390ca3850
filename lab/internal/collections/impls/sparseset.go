package impls

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/sparseset"
)

var sparsesetImpl = measure.Impl{
	Name: "dense+sparse",
	About: "a sparse set in fifty lines (internal/sparseset): values in a slice, swap-removed, " +
		"and a table of generations and positions. Its handle is index and generation.",
	Stale: "finds nothing, until the slot has been reused 2^31 times",
	Safe:  true,
	Loops: "range over the slice; ageing removes by position, and visits the value that fills " +
		"the hole",
	Kit: collections.Kit{
		Particles: func() particles { return new(sparsesetParticles) },
		Colliders: func() colliders { return new(sparsesetColliders) },
		Mortals:   func() mortals { return new(sparsesetMortals) },
		Ask:       askSparseset,
	}.With(new(sparsesetValues[none]), new(sparsesetValues[words3]), new(sparsesetValues[words15]),
		new(sparsesetValues[array3]), new(sparsesetValues[ptrs])),
}

type sparsesetValues[P pad] struct {
	collections.Handles[sparseset.Handle]
	p sparseset.Set[elem[P]]
}

func (c *sparsesetValues[P]) New(room int) {
	c.p = sparseset.New[elem[P]](room)
}

func (c *sparsesetValues[P]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.p.Insert)
}

func (c *sparsesetValues[P]) Sum() uint64 { return collections.SumSlice(c.p.Vals) }

func (c *sparsesetValues[P]) Mut() { collections.MutSlice(c.p.Vals) }

func (c *sparsesetValues[P]) Get() uint64 { return collections.GetAll(c.Hs, c.p.Ptr) }

func (c *sparsesetValues[P]) Drain(lo, hi int) uint64 {
	return collections.DrainAll(c.Hs[lo:hi], c.p.Remove)
}

func (c *sparsesetValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.p.Remove(*h); ok {
			sum += old.V
		}
		*h = c.p.Insert(e)
	}
	return sum
}

func (c *sparsesetValues[P]) Clip() { c.p.Clip() }

type sparsesetOf[T any] struct{ p sparseset.Set[T] }

func (c *sparsesetOf[T]) Insert(vs []T) { collections.Each(vs, c.p.Insert) }

func (c *sparsesetOf[T]) removeAt() func(i int) []T {
	return func(i int) []T {
		c.p.RemoveAt(uint32(i))
		return c.p.Vals
	}
}

func (c *sparsesetOf[T]) Len() int { return len(c.p.Vals) }

type sparsesetParticles struct{ sparsesetOf[uint32] }

func (c *sparsesetParticles) Age() (visits, deaths int) {
	visits = c.Len()
	return visits, collections.Sweep(c.p.Vals, collections.Aged, c.removeAt())
}

type sparsesetColliders struct {
	sparsesetOf[collider]
}

func (c *sparsesetColliders) Cross() int { return collections.CrossSlice(c.p.Vals) }

func (c *sparsesetColliders) Marks() (hits, beens int) { return collections.TallySlice(c.p.Vals) }

func (c *sparsesetColliders) Age() (deaths, both int) {
	over := func(v *collider) bool { return collections.AgedOut(v, &both) }
	deaths = collections.Sweep(c.p.Vals, over, c.removeAt())
	return deaths, both
}

type sparsesetMortals struct {
	sparsesetOf[mortal]
}

func (c *sparsesetMortals) Update() uint64 { return collections.UpdateAll(c.p.Vals) }

func (c *sparsesetMortals) Bury() (deaths int) {
	return collections.Sweep(c.p.Vals, (*mortal).Dead, c.removeAt())
}
