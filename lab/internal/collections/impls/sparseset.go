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
		Values: collections.Sizes(new(sparsesetValues[collections.None]),
			new(sparsesetValues[collections.Words3]), new(sparsesetValues[collections.Words15])),
		Kinds: collections.Kinds(new(sparsesetValues[collections.Words3]),
			new(sparsesetValues[collections.Array3]), new(sparsesetValues[collections.Pointers])),
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
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.p.Insert)
}

func (c *sparsesetValues[P]) Sum() uint64 { return collections.SumSlice(c.p.Vals) }

func (c *sparsesetValues[P]) Mut() { collections.MutSlice(c.p.Vals) }

func (c *sparsesetValues[P]) Get() uint64 { return collections.GetAll(c.Hs, c.p.Ptr) }

func (c *sparsesetValues[P]) Drain() uint64 { return collections.DrainAll(c.Hs, c.p.Remove) }

func (c *sparsesetValues[P]) Remove(lo, hi int) { collections.RemoveAll(c.Hs[lo:hi], c.p.Remove) }

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

// sparsesetOf has the methods that do not depend on the type of values.
type sparsesetOf[T any] struct{ p sparseset.Set[T] }

func (c *sparsesetOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.p.Insert(v)
	}
}

// removeAt returns the call that removes the value at a position. It returns the rest.
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
	sparsesetOf[collections.Collider]
}

func (c *sparsesetColliders) Cross() int { return collections.CrossSlice(c.p.Vals) }

func (c *sparsesetColliders) Marks() (hits, beens int) { return collections.TallySlice(c.p.Vals) }

func (c *sparsesetColliders) Age() (deaths, both int) {
	deaths = collections.Sweep(c.p.Vals, func(v *collections.Collider) bool {
		over, b := collections.AgedOut(v)
		both += b
		return over
	}, c.removeAt())
	return deaths, both
}

type sparsesetMortals struct {
	sparsesetOf[collections.Mortal]
}

func (c *sparsesetMortals) Update() uint64 { return collections.UpdateAll(c.p.Vals) }

func (c *sparsesetMortals) Bury() (deaths int) {
	return collections.Sweep(c.p.Vals, (*collections.Mortal).Dead, c.removeAt())
}
