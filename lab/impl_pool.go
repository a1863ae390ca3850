package main

import "github.com/seed505807e1/berth"

var poolImpl = newPool(berth.Config{}, impl{
	name: "berth.Pool",
	about: "this library's pool: chunks of slots that never move, with an occupancy bitmap. " +
		"Its handle is berth.Handle.",
})

// The variants differ in when they give memory back.
var (
	poolLengthImpl = newPool(berth.Config{Truncate: berth.TruncateLength}, impl{
		name:    "Pool length",
		variant: true,
		about:   "berth.Pool that gets shorter, and keeps its memory (TruncateLength).",
	})
	poolNeverImpl = newPool(berth.Config{Truncate: berth.TruncateNever}, impl{
		name:    "Pool never",
		variant: true,
		about:   "berth.Pool that keeps its chunks until Clip (TruncateNever).",
	})
)

const poolLoops = "sums and changes of basic range over Spans, and once more over Values (the " +
	"metrics that end in _values); those of sparse range over Values, and once more over Spans " +
	"(_spans); " +
	"ageing ranges over All and removes inside the loop, and so does dcm, which updates over " +
	"Spans; " +
	"cross ranges over Traverse and " +
	"Others.Spans."

// newPool completes im, of which it takes what is its own.
func newPool(conf berth.Config, im impl) impl {
	im.stale, im.loops = "finds nothing, ever", poolLoops
	im.safe, im.ours = true, true
	kit := collectionKit{}
	kit.Values = func(elemBytes int) Values {
		return sized(elemBytes,
			func() Values { return &poolValues[[1]uint64]{conf: conf} },
			func() Values { return &poolValues[[4]uint64]{conf: conf} },
			func() Values { return &poolValues[[16]uint64]{conf: conf} })
	}
	kit.Particles = func() Particles { return &poolParticles{berth.NewPool[uint32](conf)} }
	kit.Colliders = func() Colliders { return &poolColliders{p: berth.NewPool[collider](conf)} }
	kit.Mortals = func() Mortals { return &poolMortals{berth.NewPool[mortal](conf)} }
	kit.Ask = askPool(conf)
	im.kit = kit
	return im
}

type poolValues[E Elem] struct {
	handles[berth.Handle[E]]
	p    *berth.Pool[E]
	conf berth.Config
}

func (c *poolValues[E]) New(room int) {
	conf := c.conf
	conf.Capacity = room
	c.p = berth.NewPool[E](conf)
}

func (c *poolValues[E]) Insert(from, to int) {
	for i := from; i < to; i++ {
		c.hs[i] = c.p.Insert(fill[E](uint64(i)))
	}
}

func (c *poolValues[E]) Sum() (sum uint64) {
	for _, span := range c.p.Spans() {
		for i := range span {
			sum += span[i][0]
		}
	}
	return sum
}

func (c *poolValues[E]) Mut() {
	for _, span := range c.p.Spans() {
		for i := range span {
			span[i][0]++
		}
	}
}

func (c *poolValues[E]) SumValues() (sum uint64) {
	for e := range c.p.Values() {
		sum += (*e)[0]
	}
	return sum
}

func (c *poolValues[E]) MutValues() {
	for e := range c.p.Values() {
		(*e)[0]++
	}
}

func (c *poolValues[E]) ShortRuns() bool { return true }

func (c *poolValues[E]) Get() (sum uint64) {
	for _, h := range c.hs {
		if e := c.p.Ptr(h); e != nil {
			sum += (*e)[0]
		}
	}
	return sum
}

func (c *poolValues[E]) Drain() (sum uint64) {
	for _, h := range c.hs {
		if e, ok := c.p.Remove(h); ok {
			sum += e[0]
		}
	}
	return sum
}

func (c *poolValues[E]) Remove(lo, hi int) {
	for _, h := range c.hs[lo:hi] {
		c.p.Remove(h)
	}
}

func (c *poolValues[E]) Churn(r *rng, next uint64, pairs int) (sum uint64) {
	n := uint64(len(c.hs))
	for range pairs {
		h := &c.hs[r.below(n)]
		if e, ok := c.p.Remove(*h); ok {
			sum += e[0]
		}
		*h = c.p.Insert(fill[E](next))
		next++
	}
	return sum
}

func (c *poolValues[E]) Clip() { c.p.Clip() }

type poolParticles struct{ p *berth.Pool[uint32] }

func (c *poolParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.Insert(t)
	}
}

func (c *poolParticles) Age() (visits, deaths int) {
	for h, t := range c.p.All() {
		visits++
		if aged(t) {
			c.p.Remove(h)
			deaths++
		}
	}
	return visits, deaths
}

func (c *poolParticles) Len() int { return c.p.Len() }

type poolColliders struct {
	p  *berth.Pool[collider]
	hs []berth.Handle[collider] // for the loop by two handles, which alone needs them
}

func (c *poolColliders) Insert(cs []collider) {
	for _, v := range cs {
		c.p.Insert(v)
	}
}

func (c *poolColliders) Cross() (pairs int) {
	for a, others := range c.p.Traverse() {
		for _, span := range others.Spans() {
			pairs += meetAll(a.Value, span)
		}
	}
	return pairs
}

func (c *poolColliders) CrossLoops() map[string]func() int {
	c.hs = c.hs[:0]
	for h := range c.p.Handles() {
		c.hs = append(c.hs, h)
	}
	return map[string]func() int{
		"ns_per_pair_values": c.crossValues,
		"ns_per_pair_pairs":  c.crossPairs,
		"ns_per_pair_twokey": c.crossTwoKey,
	}
}

func (c *poolColliders) crossValues() (pairs int) {
	for a, others := range c.p.Traverse() {
		for b := range others.Values() {
			pairs += meet(a.Value, b)
		}
	}
	return pairs
}

// crossPairs does the work of two ordered pairs at each step.
func (c *poolColliders) crossPairs() (pairs int) {
	for a, b := range c.p.Pairs() {
		pairs += meetBoth(a, b)
	}
	return pairs
}

// crossTwoKey is what is left where nothing hands out two values at once: two lookups a pair.
func (c *poolColliders) crossTwoKey() (pairs int) {
	for _, ha := range c.hs {
		for _, hb := range c.hs {
			if ha == hb {
				continue
			}
			if a, b := c.p.Ptr(ha), c.p.Ptr(hb); a != nil && b != nil {
				pairs += meet(a, b)
			}
		}
	}
	return pairs
}

func (c *poolColliders) Marks() (hits, beens int) {
	for v := range c.p.Values() {
		tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *poolColliders) Age() (deaths, both int) {
	for h, v := range c.p.All() {
		if over, b := agedOut(v); over {
			c.p.Remove(h)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *poolColliders) Len() int { return c.p.Len() }

type poolMortals struct{ p *berth.Pool[mortal] }

func (c *poolMortals) Insert(ms []mortal) {
	for _, m := range ms {
		c.p.Insert(m)
	}
}

func (c *poolMortals) Update() (updates uint64) {
	for _, span := range c.p.Spans() {
		updates += updateAll(span)
	}
	return updates
}

func (c *poolMortals) Bury() (deaths int) {
	for h, m := range c.p.All() {
		if m.dead() {
			c.p.Remove(h)
			deaths++
		}
	}
	return deaths
}

func (c *poolMortals) Len() int { return c.p.Len() }
