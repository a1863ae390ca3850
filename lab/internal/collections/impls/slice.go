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
		"no value for long; " +
		"churn overwrites position i, which no collection with handles can " +
		"undercut; " +
		"the removals before sparse and memory are one slices.DeleteFunc.",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(sliceValues[collections.None]) },
				func() collections.Values { return new(sliceValues[collections.Words3]) },
				func() collections.Values { return new(sliceValues[collections.Words15]) })
		},
		Kinds: collections.Kinds(
			func() collections.Values { return new(sliceValues[collections.Words3]) },
			func() collections.Values { return new(sliceValues[collections.Array3]) },
			func() collections.Values { return new(sliceValues[collections.Pointers]) }),
		Particles: func() collections.Particles { return new(sliceParticles) },
		Colliders: func() collections.Colliders { return new(sliceColliders) },
		Mortals:   func() collections.Mortals { return new(sliceMortals) },
		Ask:       askSlice,
	},
}

type sliceValues[P collections.Pad] struct {
	collections.Handles[uint32] // positions
	s                           []collections.Elem[P]
}

func (c *sliceValues[P]) New(room int) { c.s = make([]collections.Elem[P], 0, room) }

func (c *sliceValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	s := c.s
	for i := from; i < to; i++ {
		c.Hs[i] = uint32(len(s))
		s = append(s, collections.Of(pad, uint64(i)))
	}
	c.s = s
}

func (c *sliceValues[P]) Sum() (sum uint64) {
	s := c.s
	for i := range s {
		sum += s[i].V
	}
	return sum
}

func (c *sliceValues[P]) Mut() {
	s := c.s
	for i := range s {
		s[i].V++
	}
}

func (c *sliceValues[P]) Get() (sum uint64) {
	s := c.s
	for _, h := range c.Hs {
		sum += s[h].V
	}
	return sum
}

// Plan draws a position for each removal, among the values that are then left.
func (c *sliceValues[P]) Plan(r *measure.RNG) {
	for i := range c.Hs {
		c.Hs[i] = uint32(r.Below(uint64(len(c.Hs) - i)))
	}
}

func (c *sliceValues[P]) Drain() (sum uint64) {
	s := c.s
	for _, h := range c.Hs {
		sum += s[h].V
		last := len(s) - 1
		s[h] = s[last]
		s = s[:last]
	}
	c.s = s
	return sum
}

// Remove removes the values that had these positions when they were inserted. Position and value
// are the same number then.
func (c *sliceValues[P]) Remove(lo, hi int) {
	gone := make([]bool, len(c.Hs))
	for _, h := range c.Hs[lo:hi] {
		gone[h] = true
	}
	c.s = slices.DeleteFunc(c.s, func(e collections.Elem[P]) bool { return gone[e.V] })
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

type sliceParticles struct{ s []uint32 }

func (c *sliceParticles) Insert(ttls []uint32) {
	for _, t := range ttls { //nolint:staticcheck // one by one, as they all insert
		c.s = append(c.s, t)
	}
}

func (c *sliceParticles) Age() (visits, deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		visits++
		if collections.Aged(&s[i]) {
			last := len(s) - 1
			s[i] = s[last]
			s = s[:last]
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	c.s = s
	return visits, deaths
}

func (c *sliceParticles) Len() int { return len(c.s) }

type sliceColliders struct{ s []collections.Collider }

func (c *sliceColliders) Insert(cs []collections.Collider) {
	for _, v := range cs { //nolint:staticcheck // one by one, as they all insert
		c.s = append(c.s, v)
	}
}

func (c *sliceColliders) Cross() (pairs int) {
	s := c.s
	for i := range s {
		a := &s[i]
		pairs += collections.MeetAll(a, s[:i]) + collections.MeetAll(a, s[i+1:])
	}
	return pairs
}

func (c *sliceColliders) Marks() (hits, beens int) {
	for i := range c.s {
		collections.Tally(&c.s[i], &hits, &beens)
	}
	return hits, beens
}

func (c *sliceColliders) Age() (deaths, both int) {
	s := c.s
	for i := 0; i < len(s); {
		over, b := collections.AgedOut(&s[i])
		if over {
			last := len(s) - 1
			s[i] = s[last]
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

func (c *sliceColliders) Len() int { return len(c.s) }

type sliceMortals struct{ s []collections.Mortal }

func (c *sliceMortals) Insert(ms []collections.Mortal) { c.s = append(c.s, ms...) }

func (c *sliceMortals) Update() uint64 { return collections.UpdateAll(c.s) }

func (c *sliceMortals) Bury() (deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		if s[i].Dead() {
			last := len(s) - 1
			s[i] = s[last]
			s = s[:last]
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	c.s = s
	return deaths
}

func (c *sliceMortals) Len() int { return len(c.s) }

var orderedImpl = measure.Impl{
	Name: "[]T in order",
	About: "a plain slice that keeps its order: a removal moves all later values up, by " +
		"slices.Delete for each. It runs dcm and dcm-pool.",
	Stale: "reads whichever value is at that position now",
	Loops: "range over the slice",
	Kit: collections.Kit{
		Mortals: func() collections.Mortals { return new(orderedMortals) },
		Ask:     askOrdered,
	},
}

type orderedMortals struct{ sliceMortals }

func (c *orderedMortals) Bury() (deaths int) {
	s := c.s
	for i := 0; i < len(s); {
		if s[i].Dead() {
			s = slices.Delete(s, i, i+1)
			deaths++
			continue // the value that moved up has not been visited
		}
		i++
	}
	c.s = s
	return deaths
}
