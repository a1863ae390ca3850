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
		"ageing ranges over Slice, and removes by At; so does dcm; cross " +
		"is a double loop over Slice.",
	Kit: collections.Kit{
		Values: collections.Sizes(new(denseValues[collections.None]),
			new(denseValues[collections.Words3]), new(denseValues[collections.Words15])),
		Kinds: collections.Kinds(new(denseValues[collections.Words3]),
			new(denseValues[collections.Array3]), new(denseValues[collections.Pointers])),
		Particles: func() collections.Particles {
			return &denseParticles{newDense[uint32](berth.DefragDeferred)}
		},
		Colliders: func() collections.Colliders {
			return &denseColliders{denseOf: newDense[collections.Collider](berth.DefragDeferred)}
		},
		Mortals: func() collections.Mortals {
			return &denseMortals{newDense[collections.Mortal](berth.DefragDeferred)}
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
	c.d = berth.NewDense[collections.Elem[P]](berth.DenseConfig{Capacity: room, Defrag: c.mode})
}

func (c *denseValues[P]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.d.Insert)
}

func (c *denseValues[P]) Sum() uint64 { return collections.SumSlice(c.d.Slice()) }

func (c *denseValues[P]) Mut() { collections.MutSlice(c.d.Slice()) }

func (c *denseValues[P]) SumValues() uint64 { return collections.SumEach(c.d.Values()) }

func (c *denseValues[P]) MutValues() { collections.MutEach(c.d.Values()) }

func (c *denseValues[P]) ShortRuns() bool { return false } // all values are one run

func (c *denseValues[P]) Get() uint64 { return collections.GetAll(c.Hs, c.d.Ptr) }

func (c *denseValues[P]) Drain() uint64 { return collections.DrainAll(c.Hs, c.d.Remove) }

func (c *denseValues[P]) Remove(lo, hi int) { collections.RemoveAll(c.Hs[lo:hi], c.d.Remove) }

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

// denseOf has the methods that do not depend on the type of values.
type denseOf[T any] struct{ d *berth.Dense[T] }

func newDense[T any](mode berth.Defrag) denseOf[T] {
	return denseOf[T]{berth.NewDense[T](berth.DenseConfig{Defrag: mode})}
}

func (c *denseOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.d.Insert(v)
	}
}

// removeAt returns the call that removes the value at a position of Slice. The hole stays until the
// next call of Slice.
func (c *denseOf[T]) removeAt() func(i int) {
	return func(i int) {
		h, _ := c.d.At(i)
		c.d.Remove(h)
	}
}

func (c *denseOf[T]) Len() int { return c.d.Len() }

type denseParticles struct{ denseOf[uint32] }

func (c *denseParticles) Age() (visits, deaths int) {
	s := c.d.Slice()
	return len(s), collections.SweepFixed(s, collections.Aged, c.removeAt())
}

type denseColliders struct {
	denseOf[collections.Collider]
	hs []berth.Handle[collections.Collider] // only for the loop by two handles
}

func (c *denseColliders) Cross() int { return collections.CrossSlice(c.d.Slice()) }

func (c *denseColliders) CrossLoops() map[string]func() int {
	c.hs = c.hs[:0]
	for h := range c.d.All() {
		c.hs = append(c.hs, h)
	}
	return map[string]func() int{
		"ns_per_pair_spans":  c.crossSpans,
		"ns_per_pair_values": c.crossValues,
		"ns_per_pair_pairs":  func() int { return collections.CrossPairs(berth.DensePairs(c.d)) },
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

func (c *denseColliders) Marks() (hits, beens int) { return collections.TallySlice(c.d.Slice()) }

func (c *denseColliders) Age() (deaths, both int) {
	deaths = collections.SweepFixed(c.d.Slice(), func(v *collections.Collider) bool {
		over, b := collections.AgedOut(v)
		both += b
		return over
	}, c.removeAt())
	return deaths, both
}

type denseMortals struct{ denseOf[collections.Mortal] }

func (c *denseMortals) Update() uint64 { return collections.UpdateAll(c.d.Slice()) }

func (c *denseMortals) Bury() (deaths int) {
	return collections.SweepFixed(c.d.Slice(), (*collections.Mortal).Dead, c.removeAt())
}
