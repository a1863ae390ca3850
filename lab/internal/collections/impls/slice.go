package impls

import (
	"slices"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var Slice = measure.Impl{
	Name: "[]T",
	About: "a plain slice; removing moves the last value into the hole. Its only handle for a " +
		"value is the position.",
	Stale: "reads whichever value is at that position now",
	Loops: "range over the slice. remove_random removes random positions, since a position names " +
		"no value for long; churn overwrites position i, which no collection with handles can " +
		"undercut; the removals before sparse and memory are one slices.DeleteFunc.",
	Kit: collections.Kit{
		Particles: func() particles { return new(sliceParticles) },
		Colliders: func() colliders { return new(sliceColliders) },
		Mortals:   func() mortals { return new(sliceMortals) },
		Ask:       askSlice,
	}.With(new(sliceValues[none]), new(sliceValues[words3]), new(sliceValues[words15]),
		new(sliceValues[array3]), new(sliceValues[ptrs])),
}

type sliceValues[P pad] struct {
	collections.Handles[uint32] // positions
	s                           []elem[P]
	planned                     bool
}

func (c *sliceValues[P]) New(room int) { c.s, c.planned = make([]elem[P], 0, room), false }

func (c *sliceValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	s := c.s
	for i := from; i < to; i++ {
		c.Hs[i] = uint32(len(s))
		s = append(s, collections.Of(pad, uint64(i)))
	}
	c.s = s
}

func (c *sliceValues[P]) Sum() uint64 { return collections.SumSlice(c.s) }

func (c *sliceValues[P]) Mut() { collections.MutSlice(c.s) }

func (c *sliceValues[P]) Get() (sum uint64) {
	s := c.s
	for _, h := range c.Hs {
		sum += s[h].V
	}
	return sum
}

// Plan draws a position for each removal, among the values that are then left.
func (c *sliceValues[P]) Plan(r *measure.RNG) {
	c.planned = true
	for i := range c.Hs {
		c.Hs[i] = uint32(r.Below(uint64(len(c.Hs) - i)))
	}
}

func (c *sliceValues[P]) Drain(lo, hi int) (sum uint64) {
	if !c.planned {
		return c.thin(lo, hi)
	}
	s := c.s
	for _, h := range c.Hs[lo:hi] {
		sum += s[h].V
		last := len(s) - 1
		s[h] = s[last]
		s = s[:last]
	}
	c.s = s
	return sum
}

// thin removes the values that had these positions when they were inserted. Position and value are
// the same number then.
func (c *sliceValues[P]) thin(lo, hi int) (sum uint64) {
	gone := make([]bool, len(c.Hs))
	for _, h := range c.Hs[lo:hi] {
		gone[h] = true
		sum += uint64(h)
	}
	c.s = slices.DeleteFunc(c.s, func(e elem[P]) bool { return gone[e.V] })
	return sum
}

func (c *sliceValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	s, n := c.s, uint64(len(c.Hs))
	for range pairs {
		h := c.Hs[r.Below(n)]
		sum += s[h].V
		s[h] = collections.Of(pad, next)
		next++
	}
	return sum
}

func (c *sliceValues[P]) Clip() { c.s = slices.Clone(c.s) }

type sliceOf[T any] struct{ s []T }

func (c *sliceOf[T]) Insert(vs []T) {
	for _, v := range vs { //nolint:staticcheck // one by one, as they all insert
		c.s = append(c.s, v)
	}
}

func (c *sliceOf[T]) removeAt() func(i int) []T {
	return func(i int) []T {
		last := len(c.s) - 1
		c.s[i] = c.s[last]
		c.s = c.s[:last]
		return c.s
	}
}

func (c *sliceOf[T]) Len() int { return len(c.s) }

type sliceParticles struct{ sliceOf[uint32] }

func (c *sliceParticles) Age() (visits, deaths int) {
	visits = c.Len()
	return visits, collections.Sweep(c.s, collections.Aged, c.removeAt())
}

type sliceColliders struct{ sliceOf[collider] }

func (c *sliceColliders) Cross() int { return collections.CrossSlice(c.s) }

func (c *sliceColliders) Marks() (hits, beens int) { return collections.TallySlice(c.s) }

func (c *sliceColliders) Age() (deaths, both int) {
	over := func(v *collider) bool { return collections.AgedOut(v, &both) }
	deaths = collections.Sweep(c.s, over, c.removeAt())
	return deaths, both
}

type sliceMortals struct{ sliceOf[mortal] }

func (c *sliceMortals) Insert(ms []mortal) { c.s = append(c.s, ms...) }

func (c *sliceMortals) Update() uint64 { return collections.UpdateAll(c.s) }

func (c *sliceMortals) Bury() (deaths int) {
	return collections.Sweep(c.s, (*mortal).Dead, c.removeAt())
}

var orderedImpl = measure.Impl{
	Name: "[]T in order",
	About: "a plain slice that keeps its order: a removal moves all later values up, by " +
		"slices.Delete for each. It runs dcm and dcm-pool.",
	Stale: "reads whichever value is at that position now",
	Loops: "range over the slice",
	Kit: collections.Kit{
		Mortals: func() mortals { return new(orderedMortals) },
		Ask:     askOrdered,
	},
}

type orderedMortals struct{ sliceMortals }

func (c *orderedMortals) Bury() (deaths int) {
	return collections.Sweep(c.s, (*mortal).Dead, func(i int) []mortal {
		c.s = slices.Delete(c.s, i, i+1)
		return c.s
	})
}
