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
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(ptrSliceValues[collections.None]) },
				func() collections.Values { return new(ptrSliceValues[collections.Words3]) },
				func() collections.Values { return new(ptrSliceValues[collections.Words15]) })
		},
		Kinds: collections.Kinds(
			func() collections.Values { return new(ptrSliceValues[collections.Words3]) },
			func() collections.Values { return new(ptrSliceValues[collections.Array3]) },
			func() collections.Values { return new(ptrSliceValues[collections.Pointers]) }),
		Particles: func() collections.Particles { return new(ptrSliceParticles) },
		Colliders: func() collections.Colliders { return new(ptrSliceColliders) },
		Mortals:   func() collections.Mortals { return new(ptrSliceMortals) },
		Ask:       askPtrSlice,
	},
}

// placed is a value and its position in the slice of pointers.
type placed[P collections.Pad] struct {
	v collections.Elem[P]
	i int
}

type ptrSliceValues[P collections.Pad] struct {
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

func (c *ptrSliceValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		sum += h.v.V
		c.remove(h)
	}
	return sum
}

func (c *ptrSliceValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.remove(h)
	}
}

func (c *ptrSliceValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		sum += (*h).v.V
		c.remove(*h)
		p := &placed[P]{collections.Of(pad, next), len(c.s)}
		c.s = append(c.s, p)
		*h = p
		next++
	}
	return sum
}

func (c *ptrSliceValues[P]) Clip() { c.s = slices.Clone(c.s) }

type ptrSliceParticles struct{ s []*uint32 }

func (c *ptrSliceParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.s = append(c.s, &t)
	}
}

func (c *ptrSliceParticles) Age() (visits, deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		visits++
		if collections.Aged(s[i]) {
			last := len(s) - 1
			s[i], s[last] = s[last], nil
			s = s[:last]
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	c.s = s
	return visits, deaths
}

func (c *ptrSliceParticles) Len() int { return len(c.s) }

type ptrSliceColliders struct{ s []*collections.Collider }

func (c *ptrSliceColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.s = append(c.s, &v)
	}
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
	for _, v := range c.s {
		collections.Tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *ptrSliceColliders) Age() (deaths, both int) {
	s := c.s
	for i := 0; i < len(s); {
		over, b := collections.AgedOut(s[i])
		if over {
			last := len(s) - 1
			s[i], s[last] = s[last], nil
			s = s[:last]
			deaths++
			both += b
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	c.s = s
	return deaths, both
}

func (c *ptrSliceColliders) Len() int { return len(c.s) }

type ptrSliceMortals struct{ s []*collections.Mortal }

func (c *ptrSliceMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.s = append(c.s, &m)
	}
}

func (c *ptrSliceMortals) Update() uint64 {
	for _, m := range c.s {
		m.Update()
	}
	return uint64(len(c.s))
}

func (c *ptrSliceMortals) Bury() (deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		if s[i].Dead() {
			last := len(s) - 1
			s[i], s[last] = s[last], nil
			s = s[:last]
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	c.s = s
	return deaths
}

func (c *ptrSliceMortals) Len() int { return len(c.s) }
