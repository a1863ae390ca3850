package impls

import (
	"slices"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var PtrSlice = measure.Impl{
	Name: "[]*T",
	About: "a slice of pointers; each value holds its position, so that it can be " +
		"swap-removed. Its handle is the pointer.",
	Stale: "reads the removed value, which the pointer keeps alive",
	Loops: "range over the slice, one dereference per value",
	Kit: collections.Kit{
		Particles: func() particles { return new(ptrSliceParticles) },
		Colliders: func() colliders { return new(ptrSliceColliders) },
		Mortals:   func() mortals { return new(ptrSliceMortals) },
		Ask:       askPtrSlice,
	}.With(new(ptrSliceValues[none]), new(ptrSliceValues[words3]), new(ptrSliceValues[words15]),
		new(ptrSliceValues[array3]), new(ptrSliceValues[ptrs])),
}

// placed is a value and its position in the slice of pointers.
type placed[P pad] struct {
	v elem[P]
	i int
}

type ptrSliceValues[P pad] struct {
	collections.Handles[*placed[P]]
	s []*placed[P]
}

func (c *ptrSliceValues[P]) New(room int) { c.s = make([]*placed[P], 0, room) }

func (c *ptrSliceValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	s := c.s
	for i := from; i < to; i++ {
		p := &placed[P]{collections.Of(pad, uint64(i)), len(s)}
		c.Hs[i] = p
		s = append(s, p)
	}
	c.s = s
}

func (c *ptrSliceValues[P]) Sum() (sum uint64) {
	for _, p := range c.s {
		sum += p.v.V
	}
	return sum
}

func (c *ptrSliceValues[P]) Mut() {
	for _, p := range c.s {
		p.v.V++
	}
}

func (c *ptrSliceValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		sum += h.v.V
	}
	return sum
}

// remove is swap-remove.
func (c *ptrSliceValues[P]) remove(p *placed[P]) {
	last := len(c.s) - 1
	moved := c.s[last]
	c.s[p.i] = moved
	moved.i = p.i
	c.s[last] = nil
	c.s = c.s[:last]
}

func (c *ptrSliceValues[P]) Drain(lo, hi int) (sum uint64) {
	for _, h := range c.Hs[lo:hi] {
		sum += h.v.V
		c.remove(h)
	}
	return sum
}

func (c *ptrSliceValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		sum += (*h).v.V
		c.remove(*h)
		p := &placed[P]{e, len(c.s)}
		c.s = append(c.s, p)
		*h = p
	}
	return sum
}

func (c *ptrSliceValues[P]) Clip() { c.s = slices.Clone(c.s) }

type ptrSliceOf[T any] struct{ s []*T }

func (c *ptrSliceOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.s = append(c.s, &v)
	}
}

func (c *ptrSliceOf[T]) removeAt() func(i int) []*T {
	return func(i int) []*T {
		last := len(c.s) - 1
		c.s[i], c.s[last] = c.s[last], nil
		c.s = c.s[:last]
		return c.s
	}
}

func (c *ptrSliceOf[T]) Len() int { return len(c.s) }

type ptrSliceParticles struct{ ptrSliceOf[uint32] }

func (c *ptrSliceParticles) Age() (visits, deaths int) {
	over := func(t **uint32) bool { return collections.Aged(*t) }
	visits = c.Len()
	return visits, collections.Sweep(c.s, over, c.removeAt())
}

type ptrSliceColliders struct {
	ptrSliceOf[collider]
}

func (c *ptrSliceColliders) Cross() (pairs int) {
	s := c.s
	for i, a := range s {
		for _, b := range s[:i] {
			pairs += collections.Meet(a, b)
		}
		for _, b := range s[i+1:] {
			pairs += collections.Meet(a, b)
		}
	}
	return pairs
}

func (c *ptrSliceColliders) Marks() (hits, beens int) {
	return collections.TallyAll(slices.All(c.s))
}

func (c *ptrSliceColliders) Age() (deaths, both int) {
	over := func(v **collider) bool { return collections.AgedOut(*v, &both) }
	deaths = collections.Sweep(c.s, over, c.removeAt())
	return deaths, both
}

type ptrSliceMortals struct{ ptrSliceOf[mortal] }

func (c *ptrSliceMortals) Update() uint64 { return collections.UpdateEach(slices.All(c.s)) }

func (c *ptrSliceMortals) Bury() (deaths int) {
	over := func(m **mortal) bool { return (*m).Dead() }
	return collections.Sweep(c.s, over, c.removeAt())
}
