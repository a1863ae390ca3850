package impls

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var Dense = measure.Impl{
	Name: "berth.Dense",
	About: "this library's dense container: values adjacent in one slice, and a table from " +
		"handles to positions. It closes holes when a loop begins (DefragDeferred). Its handle " +
		"is berth.Handle.",
	Stale: "finds nothing, ever",
	Safe:  true, Ours: true,
	Loops: "range over Slice, and once more over Values (the metrics that end in _values); " +
		"the holes are closed before the clock of sparse starts; " +
		"ageing ranges over Slice, and removes by HandleAt; so does dcm; cross " +
		"is a double loop over Slice.",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(denseValues[collections.None]) },
				func() collections.Values { return new(denseValues[collections.Words3]) },
				func() collections.Values { return new(denseValues[collections.Words15]) })
		},
		Kinds: collections.Kinds(
			func() collections.Values { return new(denseValues[collections.Words3]) },
			func() collections.Values { return new(denseValues[collections.Array3]) },
			func() collections.Values { return new(denseValues[collections.Pointers]) }),
		Particles: func() collections.Particles {
			return &denseParticles{new(berth.Dense[uint32])}
		},
		Colliders: func() collections.Colliders {
			return &denseColliders{d: new(berth.Dense[collections.Collider])}
		},
		Mortals: func() collections.Mortals {
			return &denseMortals{new(berth.Dense[collections.Mortal])}
		},
		Ask: askDense(berth.DefragDeferred),
	},
}

type denseValues[P collections.Pad] struct {
	collections.Handles[berth.Handle[collections.Elem[P]]]
	d    *berth.Dense[collections.Elem[P]]
	mode berth.Defrag
}

func (c *denseValues[P]) New(room int) {
	c.d = berth.NewDense(berth.DenseConfig[collections.Elem[P]]{Capacity: room, Defrag: c.mode})
}

func (c *denseValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.Hs[i] = c.d.Insert(collections.Of(pad, uint64(i)))
	}
}

func (c *denseValues[P]) Sum() (sum uint64) {
	s := c.d.Slice()
	for i := range s {
		sum += s[i].V
	}
	return sum
}

func (c *denseValues[P]) Mut() {
	s := c.d.Slice()
	for i := range s {
		s[i].V++
	}
}

func (c *denseValues[P]) SumValues() (sum uint64) {
	for e := range c.d.Values() {
		sum += e.V
	}
	return sum
}

func (c *denseValues[P]) MutValues() {
	for e := range c.d.Values() {
		e.V++
	}
}

func (c *denseValues[P]) ShortRuns() bool { return false } // all values are one run

func (c *denseValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.d.Ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *denseValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.d.Remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

func (c *denseValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.d.Remove(h)
	}
}

func (c *denseValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.d.Remove(*h); ok {
			sum += e.V
		}
		*h = c.d.Insert(collections.Of(pad, next))
		next++
	}
	return sum
}

func (c *denseValues[P]) Clip() { c.d.Clip() }

type denseParticles struct{ d *berth.Dense[uint32] }

func (c *denseParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.d.Insert(t)
	}
}

// Age removes while it walks the slice: the holes stay until the next call of Slice.
func (c *denseParticles) Age() (visits, deaths int) {
	s := c.d.Slice()
	for i := range s {
		if collections.Aged(&s[i]) {
			c.d.Remove(c.d.HandleAt(i))
			deaths++
		}
	}
	return len(s), deaths
}

func (c *denseParticles) Len() int { return c.d.Len() }

type denseColliders struct {
	d  *berth.Dense[collections.Collider]
	hs []berth.Handle[collections.Collider] // only for the loop by two handles
}

func (c *denseColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.d.Insert(v)
	}
}

func (c *denseColliders) Cross() (pairs int) {
	s := c.d.Slice()
	for i := range s {
		a := &s[i]
		pairs += collections.MeetAll(a, s[:i]) + collections.MeetAll(a, s[i+1:])
	}
	return pairs
}

func (c *denseColliders) CrossLoops() map[string]func() int {
	c.hs = c.hs[:0]
	for h := range c.d.All() {
		c.hs = append(c.hs, h)
	}
	return map[string]func() int{
		"ns_per_pair_spans":  c.crossSpans,
		"ns_per_pair_values": c.crossValues,
		"ns_per_pair_pairs":  c.crossPairs,
		"ns_per_pair_twokey": c.crossTwoKey,
	}
}

func (c *denseColliders) crossSpans() (pairs int) {
	for a, others := range berth.DenseTraverse(c.d) {
		for _, span := range others.Spans() {
			pairs += collections.MeetAll(a.Value, span)
		}
	}
	return pairs
}

func (c *denseColliders) crossValues() (pairs int) {
	for a, others := range berth.DenseTraverse(c.d) {
		for b := range others.Values() {
			pairs += collections.Meet(a.Value, b)
		}
	}
	return pairs
}

// crossPairs handles two ordered pairs in each iteration.
func (c *denseColliders) crossPairs() (pairs int) {
	for a, b := range berth.DensePairs(c.d) {
		pairs += collections.MeetBoth(a, b)
	}
	return pairs
}

// crossTwoKey is the loop for collections that never return two values at once: two lookups a pair.
func (c *denseColliders) crossTwoKey() (pairs int) {
	for _, ha := range c.hs {
		for _, hb := range c.hs {
			if ha == hb {
				continue
			}
			if a, b := c.d.Ptr(ha), c.d.Ptr(hb); a != nil && b != nil {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *denseColliders) Marks() (hits, beens int) {
	for _, v := range c.d.Slice() {
		collections.Tally(&v, &hits, &beens)
	}
	return hits, beens
}

func (c *denseColliders) Age() (deaths, both int) {
	s := c.d.Slice()
	for i := range s {
		if over, b := collections.AgedOut(&s[i]); over {
			c.d.Remove(c.d.HandleAt(i))
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *denseColliders) Len() int { return c.d.Len() }

type denseMortals struct {
	d *berth.Dense[collections.Mortal]
}

func (c *denseMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.d.Insert(m)
	}
}

func (c *denseMortals) Update() uint64 { return collections.UpdateAll(c.d.Slice()) }

func (c *denseMortals) Bury() (deaths int) {
	s := c.d.Slice()
	for i := range s {
		if s[i].Dead() {
			c.d.Remove(c.d.HandleAt(i))
			deaths++
		}
	}
	return deaths
}

func (c *denseMortals) Len() int { return c.d.Len() }
