package impls

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var Pool = newPool(berth.Config{}, measure.Impl{
	Name: "berth.Pool",
	About: "this library's pool: chunks of slots that never move, with an occupancy bitmap. " +
		"Its handle is berth.Handle.",
})

// The variants differ in when they release memory.
var (
	poolLengthImpl = newPool(berth.Config{Truncate: berth.TruncateLength}, measure.Impl{
		Name:    "Pool length",
		Variant: true,
		About:   "berth.Pool that shortens, and keeps its memory (TruncateLength).",
	})
	poolNeverImpl = newPool(berth.Config{Truncate: berth.TruncateNever}, measure.Impl{
		Name:    "Pool never",
		Variant: true,
		About:   "berth.Pool that keeps its chunks until Clip (TruncateNever).",
	})
)

const poolLoops = "sums and changes of basic range over Spans, and once more over Values (the " +
	"metrics that end in _values); those of sparse range over Values, and once more over Spans " +
	"(_spans); ageing ranges over All and removes inside the loop, and so does dcm, which " +
	"updates over Spans; cross ranges over Traverse and Others.Spans."

// newPool completes im, whose own fields stay.
func newPool(conf berth.Config, im measure.Impl) measure.Impl {
	im.Stale, im.Loops = "finds nothing, ever", poolLoops
	im.Safe, im.Ours = true, true
	im.Kit = collections.Kit{
		Particles: func() particles { return &poolParticles{newPoolOf[uint32](conf)} },
		Colliders: func() colliders { return &poolColliders{poolOf: newPoolOf[collider](conf)} },
		Mortals:   func() mortals { return &poolMortals{newPoolOf[mortal](conf)} },
		Ask:       askPool(conf),
	}.With(&PoolValues[none]{conf: conf}, &PoolValues[words3]{conf: conf},
		&PoolValues[words15]{conf: conf}, &PoolValues[array3]{conf: conf},
		&PoolValues[ptrs]{conf: conf})
	return im
}

type PoolValues[P pad] struct {
	collections.Handles[berth.Handle[elem[P]]]
	P    *berth.Pool[elem[P]]
	conf berth.Config
}

func (c *PoolValues[P]) New(room int) {
	conf := c.conf
	conf.Capacity = room
	c.P = berth.NewPool[elem[P]](conf)
}

func (c *PoolValues[P]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.P.Insert)
}

func (c *PoolValues[P]) Sum() uint64 { return collections.SumSpans(c.P.Spans()) }

func (c *PoolValues[P]) Mut() { collections.MutSpans(c.P.Spans()) }

func (c *PoolValues[P]) SumValues() uint64 { return collections.SumEach(c.P.Values()) }

func (c *PoolValues[P]) MutValues() { collections.MutEach(c.P.Values()) }

func (c *PoolValues[P]) ShortRuns() bool { return true }

func (c *PoolValues[P]) Get() uint64 { return collections.GetAll(c.Hs, c.P.Ptr) }

func (c *PoolValues[P]) Drain(lo, hi int) uint64 {
	return collections.DrainAll(c.Hs[lo:hi], c.P.Remove)
}

func (c *PoolValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.P.Remove(*h); ok {
			sum += old.V
		}
		*h = c.P.Insert(e)
	}
	return sum
}

func (c *PoolValues[P]) Clip() { c.P.Clip() }

type poolOf[T any] struct{ p *berth.Pool[T] }

func newPoolOf[T any](conf berth.Config) poolOf[T] { return poolOf[T]{berth.NewPool[T](conf)} }

func (c *poolOf[T]) Insert(vs []T) { collections.Each(vs, c.p.Insert) }

func (c *poolOf[T]) Len() int { return c.p.Len() }

type poolParticles struct{ poolOf[uint32] }

func (c *poolParticles) Age() (visits, deaths int) {
	visits = c.p.Len()
	return visits, c.p.RemoveFunc(func(_ berth.Handle[uint32], t *uint32) bool {
		return collections.Aged(t)
	})
}

type poolColliders struct {
	poolOf[collider]
	hs []berth.Handle[collider] // only for the loop by two handles
}

func (c *poolColliders) Cross() (pairs int) {
	for a, others := range berth.Traverse(c.p) {
		for _, span := range others.Spans() {
			pairs += collections.MeetAll(a.Value, span)
		}
	}
	return pairs
}

func (c *poolColliders) CrossLoops() map[string]func() int {
	c.hs = c.hs[:0]
	for h := range c.p.All() {
		c.hs = append(c.hs, h)
	}
	return map[string]func() int{
		"ns_per_pair_values": c.crossValues,
		"ns_per_pair_pairs":  func() int { return collections.CrossPairs(berth.Pairs(c.p)) },
		"ns_per_pair_twokey": c.crossTwoKey,
	}
}

func (c *poolColliders) crossValues() (pairs int) {
	for a, others := range berth.Traverse(c.p) {
		for b := range others.Values() {
			pairs += collections.Meet(a.Value, b)
		}
	}
	return pairs
}

func (c *poolColliders) crossTwoKey() (pairs int) {
	for _, ha := range c.hs {
		for _, hb := range c.hs {
			if ha == hb {
				continue
			}
			if a, b := c.p.Ptr(ha), c.p.Ptr(hb); a != nil && b != nil {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *poolColliders) Marks() (hits, beens int) { return collections.TallyAll(c.p.All()) }

func (c *poolColliders) Age() (deaths, both int) {
	deaths = c.p.RemoveFunc(func(_ berth.Handle[collider], v *collider) bool {
		return collections.AgedOut(v, &both)
	})
	return deaths, both
}

type poolMortals struct{ poolOf[mortal] }

func (c *poolMortals) Update() uint64 { return collections.UpdateSpans(c.p.Spans()) }

func (c *poolMortals) Bury() (deaths int) {
	return c.p.RemoveFunc(func(_ berth.Handle[mortal], m *mortal) bool { return m.Dead() })
}
