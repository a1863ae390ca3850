package impls

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var Dense = newDenseImpl(berth.DefragDeferred, measure.Impl{
	Name: "berth.Dense",
	About: "this library's dense container: values adjacent in one slice, and a table from " +
		"handles to positions. It closes holes when a loop begins (DefragDeferred). Its handle " +
		"is berth.Handle.",
	Loops: "range over Slice, and once more over Values (the metrics that end in _values); the " +
		"holes are closed before the clock of sparse starts; ageing ranges over Slice, and " +
		"removes by At; so does dcm; cross is a double loop over Slice.",
}, &denseValues[array3]{}, &denseValues[ptrs]{})

// The modes differ in when they close holes.
var (
	denseNowImpl = newDenseImpl(berth.DefragImmediate, measure.Impl{
		Name: "Dense immediate",
		About: "berth.Dense that closes a hole at once (DefragImmediate), or if a loop runs, at " +
			"its end",
		Loops: "range over Slice; removing loops go from the last position to the first, since " +
			"the last value fills the hole",
	})
	denseManualImpl = newDenseImpl(berth.DefragManual, measure.Impl{
		Name:    "Dense manual",
		Variant: true,
		About:   "berth.Dense that closes holes on request (DefragManual)",
		Loops:   "Defrag after possible removals, and then as berth.Dense",
	})
)

// newDenseImpl completes im, whose own fields stay.
func newDenseImpl(mode berth.Defrag, im measure.Impl, kinds ...collections.Values) measure.Impl {
	im.Stale, im.Safe, im.Ours = "finds nothing, ever", true, true
	im.Kit = collections.Kit{
		Particles: func() particles { return &denseParticles{newDense[uint32](mode)} },
		Colliders: func() colliders { return &denseColliders{denseOf: newDense[collider](mode)} },
		Mortals:   func() mortals { return &denseMortals{newDense[mortal](mode)} },
		Ask:       askDense(mode),
	}.With(&denseValues[none]{mode: mode}, &denseValues[words3]{mode: mode},
		&denseValues[words15]{mode: mode}, kinds...)
	return im
}

type denseValues[P pad] struct {
	collections.Handles[berth.Handle[elem[P]]]
	d    *berth.Dense[elem[P]]
	mode berth.Defrag
}

func (c *denseValues[P]) New(room int) {
	c.d = berth.NewDense[elem[P]](berth.DenseConfig{Capacity: room, Defrag: c.mode})
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

// Drain of a part closes the holes, which a loop visits in the mode in which they stay.
func (c *denseValues[P]) Drain(lo, hi int) uint64 {
	sum := collections.DrainAll(c.Hs[lo:hi], c.d.Remove)
	if c.mode == berth.DefragManual && c.d.Len() > 0 {
		c.d.Defrag()
	}
	return sum
}

func (c *denseValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.d.Remove(*h); ok {
			sum += old.V
		}
		*h = c.d.Insert(e)
	}
	return sum
}

func (c *denseValues[P]) Clip() { c.d.Clip() }

type denseOf[T any] struct {
	d    *berth.Dense[T]
	mode berth.Defrag
}

func newDense[T any](mode berth.Defrag) denseOf[T] {
	return denseOf[T]{berth.NewDense[T](berth.DenseConfig{Defrag: mode}), mode}
}

func (c *denseOf[T]) Insert(vs []T) { collections.Each(vs, c.d.Insert) }
func (c *denseOf[T]) Len() int      { return c.d.Len() }

// slice returns the values without holes.
func (c *denseOf[T]) slice() []T {
	if c.mode == berth.DefragManual {
		c.d.Defrag()
	}
	return c.d.Slice()
}

// fills reports whether a removal fills the hole. Removing loops then go backward: the value that
// fills it has been visited. In other modes, the hole stays until the next call of slice.
func (c *denseOf[T]) fills() bool { return c.mode == berth.DefragImmediate }

func (c *denseOf[T]) removeAt() func(i int) []T {
	return func(i int) []T {
		c.removeHole()(i)
		return c.d.Slice()
	}
}

// removeHole returns removeAt for the modes in which the hole stays.
func (c *denseOf[T]) removeHole() func(i int) {
	return func(i int) {
		h, _ := c.d.At(i)
		c.d.Remove(h)
	}
}

type denseParticles struct{ denseOf[uint32] }

func (c *denseParticles) Age() (visits, deaths int) {
	s := c.slice()
	if c.fills() {
		return len(s), collections.SweepBack(s, collections.Aged, c.removeAt())
	}
	return len(s), collections.SweepFixed(s, collections.Aged, c.removeHole())
}

type denseColliders struct {
	denseOf[collider]
	hs []berth.Handle[collider] // only for the loop by two handles
}

func (c *denseColliders) Cross() int { return collections.CrossSlice(c.slice()) }

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

func (c *denseColliders) Marks() (hits, beens int) { return collections.TallySlice(c.slice()) }

func (c *denseColliders) Age() (deaths, both int) {
	over := func(v *collider) bool { return collections.AgedOut(v, &both) }
	if c.fills() {
		deaths = collections.SweepBack(c.slice(), over, c.removeAt())
	} else {
		deaths = collections.SweepFixed(c.slice(), over, c.removeHole())
	}
	return deaths, both
}

type denseMortals struct{ denseOf[mortal] }

func (c *denseMortals) Update() uint64 { return collections.UpdateAll(c.slice()) }

func (c *denseMortals) Bury() (deaths int) {
	if c.fills() {
		return collections.SweepBack(c.slice(), (*mortal).Dead, c.removeAt())
	}
	return collections.SweepFixed(c.slice(), (*mortal).Dead, c.removeHole())
}
