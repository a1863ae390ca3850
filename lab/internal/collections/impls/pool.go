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
	"(_spans); " +
	"ageing ranges over All and removes inside the loop, and so does dcm, which updates over " +
	"Spans; " +
	"cross ranges over Traverse and " +
	"Others.Spans."

// newPool completes im, whose own fields stay.
func newPool(conf berth.Config, im measure.Impl) measure.Impl {
	im.Stale, im.Loops = "finds nothing, ever", poolLoops
	im.Safe, im.Ours = true, true
	kit := collections.Kit{}
	kit.Values = func(elemBytes int) collections.Values {
		return collections.Sized(elemBytes,
			func() collections.Values { return &PoolValues[collections.None]{conf: conf} },
			func() collections.Values { return &PoolValues[collections.Words3]{conf: conf} },
			func() collections.Values { return &PoolValues[collections.Words15]{conf: conf} })
	}
	kit.Kinds = collections.Kinds(
		func() collections.Values { return &PoolValues[collections.Words3]{conf: conf} },
		func() collections.Values { return &PoolValues[collections.Array3]{conf: conf} },
		func() collections.Values { return &PoolValues[collections.Pointers]{conf: conf} })
	kit.Particles = func() collections.Particles {
		return &poolParticles{berth.NewPool[uint32](conf)}
	}
	kit.Colliders = func() collections.Colliders {
		return &poolColliders{p: berth.NewPool[collections.Collider](conf)}
	}
	kit.Mortals = func() collections.Mortals {
		return &poolMortals{berth.NewPool[collections.Mortal](conf)}
	}
	kit.Ask = askPool(conf)
	im.Kit = kit
	return im
}

type PoolValues[P collections.Pad] struct {
	collections.Handles[berth.Handle[collections.Elem[P]]]
	P    *berth.Pool[collections.Elem[P]]
	conf berth.Config
}

func (c *PoolValues[P]) New(room int) {
	conf := c.conf
	conf.Capacity = room
	c.P = berth.NewPool[collections.Elem[P]](conf)
}

func (c *PoolValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.Hs[i] = c.P.Insert(collections.Of(pad, uint64(i)))
	}
}

func (c *PoolValues[P]) Sum() (sum uint64) {
	for _, span := range c.P.Spans() {
		for i := range span {
			sum += span[i].V
		}
	}
	return sum
}

func (c *PoolValues[P]) Mut() {
	for _, span := range c.P.Spans() {
		for i := range span {
			span[i].V++
		}
	}
}

func (c *PoolValues[P]) SumValues() (sum uint64) {
	for e := range c.P.Values() {
		sum += e.V
	}
	return sum
}

func (c *PoolValues[P]) MutValues() {
	for e := range c.P.Values() {
		e.V++
	}
}

func (c *PoolValues[P]) ShortRuns() bool { return true }

func (c *PoolValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.P.Ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *PoolValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.P.Remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

func (c *PoolValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.P.Remove(h)
	}
}

func (c *PoolValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.P.Remove(*h); ok {
			sum += e.V
		}
		*h = c.P.Insert(collections.Of(pad, next))
		next++
	}
	return sum
}

func (c *PoolValues[P]) Clip() { c.P.Clip() }

type poolParticles struct{ p *berth.Pool[uint32] }

func (c *poolParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.Insert(t)
	}
}

func (c *poolParticles) Age() (visits, deaths int) {
	for h, t := range c.p.All() {
		visits++
		if collections.Aged(t) {
			c.p.Remove(h)
			deaths++
		}
	}
	return visits, deaths
}

func (c *poolParticles) Len() int { return c.p.Len() }

type poolColliders struct {
	p  *berth.Pool[collections.Collider]
	hs []berth.Handle[collections.Collider] // only for the loop by two handles
}

func (c *poolColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.p.Insert(v)
	}
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
		"ns_per_pair_pairs":  c.crossPairs,
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

// crossPairs handles two ordered pairs in each iteration.
func (c *poolColliders) crossPairs() (pairs int) {
	for a, b := range berth.Pairs(c.p) {
		pairs += collections.MeetBoth(a, b)
	}
	return pairs
}

// crossTwoKey is the loop for collections that never return two values at once: two lookups a pair.
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

func (c *poolColliders) Marks() (hits, beens int) {
	for v := range c.p.Values() {
		collections.Tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *poolColliders) Age() (deaths, both int) {
	for h, v := range c.p.All() {
		if over, b := collections.AgedOut(v); over {
			c.p.Remove(h)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *poolColliders) Len() int { return c.p.Len() }

type poolMortals struct {
	p *berth.Pool[collections.Mortal]
}

func (c *poolMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.p.Insert(m)
	}
}

func (c *poolMortals) Update() (updates uint64) {
	for _, span := range c.p.Spans() {
		updates += collections.UpdateAll(span)
	}
	return updates
}

func (c *poolMortals) Bury() (deaths int) {
	for h, m := range c.p.All() {
		if m.Dead() {
			c.p.Remove(h)
			deaths++
		}
	}
	return deaths
}

func (c *poolMortals) Len() int { return c.p.Len() }
