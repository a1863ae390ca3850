package impls

import (
	"math"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/stable"
)

const (
	stableStale = "finds nothing, ever: a list whose identifiers are used up takes no more values"
	stableLoops = "sums and changes of a full list range over Spans, and once more over Values " +
		"(the metrics that end in _values); with few values left, they range over Values, and " +
		"once more over Spans (_spans); " +
		"ageing ranges over All and removes inside the loop, and so does dcm, which updates over " +
		"Spans; " +
		"cross ranges over Traverse and Others.Spans."
)

// stableImpl is the list that most programs want, beside all other collections.
var stableImpl = newStable[uint32, stable.Counter32](stable.FirstFree, measure.Impl{
	Name: "stable.List",
	About: "this library's truncating list: slots in one piece of memory, of which " +
		"an insert takes the lowest vacant one. Its handle is stable.ListKey.",
})

// The lists are stable.ListOf in all its variants. They differ only in type parameters and
// placement, so each loop below is written once.
var (
	FirstFree = newStable[uint32, stable.Counter32](stable.FirstFree, measure.Impl{
		Name: "FirstFree",
		About: "stable.List by default: an insert takes the lowest vacant slot, and " +
			"the list truncates behind its last value; bitmaps mark vacant slots, and loops skip " +
			"them by 64.",
	})
	Quartered = newStable[uint32, stable.Counter32](stable.Quartered, measure.Impl{
		Name: "Quartered",
		About: "an insert takes the first quarter with a vacant slot; when the second " +
			"half is empty, the list truncates to half its length.",
	})
	QuarteredStepwise = newStable[uint32, stable.Counter32](stable.QuarteredStepwise, measure.Impl{
		Name: "Quartered stepwise",
		About: "the same as published: it sorts vacant slots into new quarters after " +
			"each halving, while Quartered does so once, or not at all.",
	})
	FirstFreeHeap = newStable[uint32, stable.Counter32](stable.FirstFreeHeap, measure.Impl{
		Name:  "FirstFreeHeap",
		About: "FirstFree with a priority queue; loops skip each run of vacant slots at once.",
	})
	FirstFreeHeapWalk = newStable[uint32, stable.Counter32](stable.FirstFreeHeapWalk, measure.Impl{
		Name:  "FirstFreeHeap walk",
		About: "FirstFreeHeap with loops that visit every slot.",
	})
	Quartered16 = newStable[uint16, stable.Counter32](stable.Quartered, measure.Impl{
		Name:  "Quartered 16-bit",
		About: "Quartered with indices of 16 bits: at most 65 536 values.",
		Most:  math.MaxUint16 + 1,
	})
	Quartered64 = newStable[uint64, stable.Counter64](stable.Quartered, measure.Impl{
		Name:  "Quartered 64-bit",
		About: "Quartered with indices and identifiers of 64 bits.",
	})
)

// These differ in when they release memory.
var (
	listMemoryImpl = newStableOf[uint32, stable.Counter32](
		stable.Config{Truncate: stable.TruncateMemory}, measure.Impl{
			Name:    "List memory",
			Variant: true,
			About:   "stable.List that releases memory when it truncates (TruncateMemory).",
		})
	listNeverImpl = newStableOf[uint32, stable.Counter32](
		stable.Config{Truncate: stable.TruncateNever}, measure.Impl{
			Name:    "List never",
			Variant: true,
			About:   "stable.List that never truncates (TruncateNever).",
		})
)

// These are the default with other indices.
var (
	list16Impl = newStable[uint16, stable.Counter32](stable.FirstFree, measure.Impl{
		Name:    "List 16-bit",
		Variant: true,
		About:   "stable.List with indices of 16 bits: at most 65 536 values.",
		Most:    math.MaxUint16 + 1,
	})
	list64Impl = newStable[uint64, stable.Counter64](stable.FirstFree, measure.Impl{
		Name:    "List 64-bit",
		Variant: true,
		About:   "stable.List with indices and identifiers of 64 bits.",
	})
)

// asVariant returns a list as a variant in the family of collections.
func asVariant(name string, im measure.Impl) measure.Impl {
	im.Name, im.Variant = name, true
	return im
}

// newStable completes im, whose own fields stay.
func newStable[I stable.Index, D stable.Identifier[D]](
	p stable.Placement,
	im measure.Impl,
) measure.Impl {
	return newStableOf[I, D](stable.Config{Placement: p}, im)
}

// newStableOf is newStable for a list that differs in more than its placement.
func newStableOf[I stable.Index, D stable.Identifier[D]](
	conf stable.Config,
	im measure.Impl,
) measure.Impl {
	im.Stale, im.Loops = stableStale, stableLoops
	im.Safe, im.Ours = true, true
	kit := collections.Kit{Truncates: true}
	kit.Values = func(elemBytes int) collections.Values {
		return collections.Sized(elemBytes,
			stableOf[collections.None, I, D](conf),
			stableOf[collections.Words3, I, D](conf),
			stableOf[collections.Words15, I, D](conf))
	}
	kit.Kinds = collections.Kinds(
		stableOf[collections.Words3, I, D](conf),
		stableOf[collections.Array3, I, D](conf),
		stableOf[collections.Pointers, I, D](conf))
	kit.Particles = func() collections.Particles {
		return &stableParticles[I, D]{stable.NewOf[uint32, I, D](conf)}
	}
	kit.Colliders = func() collections.Colliders {
		return &stableColliders[I, D]{l: stable.NewOf[collections.Collider, I, D](conf)}
	}
	kit.Mortals = func() collections.Mortals {
		return &stableMortals[I, D]{stable.NewOf[collections.Mortal, I, D](conf)}
	}
	kit.Ask = askStable[I, D](conf, im.Most)
	im.Kit = kit
	return im
}

type stableValues[P collections.Pad, I stable.Index, D stable.Identifier[D]] struct {
	collections.Handles[stable.Key[collections.Elem[P], I, D]]
	l    *stable.ListOf[collections.Elem[P], I, D]
	conf stable.Config
}

func stableOf[P collections.Pad, I stable.Index, D stable.Identifier[D]](
	conf stable.Config,
) func() collections.Values {
	return func() collections.Values { return &stableValues[P, I, D]{conf: conf} }
}

func (c *stableValues[P, I, D]) New(room int) {
	conf := c.conf
	conf.Capacity = room
	c.l = stable.NewOf[collections.Elem[P], I, D](conf)
}

func (c *stableValues[P, I, D]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.Hs[i] = c.l.Insert(collections.Of(pad, uint64(i)))
	}
}

func (c *stableValues[P, I, D]) Sum() (sum uint64) {
	for _, span := range c.l.Spans() {
		for i := range span {
			sum += span[i].V
		}
	}
	return sum
}

func (c *stableValues[P, I, D]) Mut() {
	for _, span := range c.l.Spans() {
		for i := range span {
			span[i].V++
		}
	}
}

func (c *stableValues[P, I, D]) SumValues() (sum uint64) {
	for e := range c.l.Values() {
		sum += e.V
	}
	return sum
}

func (c *stableValues[P, I, D]) MutValues() {
	for e := range c.l.Values() {
		e.V++
	}
}

func (c *stableValues[P, I, D]) ShortRuns() bool { return true }

func (c *stableValues[P, I, D]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.l.Ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *stableValues[P, I, D]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.l.Remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

func (c *stableValues[P, I, D]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.l.Remove(h)
	}
}

func (c *stableValues[P, I, D]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.l.Remove(*h); ok {
			sum += e.V
		}
		*h = c.l.Insert(collections.Of(pad, next))
		next++
	}
	return sum
}

func (c *stableValues[P, I, D]) Clip() { c.l.Clip() }

// The methods below are for thesis-truncation.

func (c *stableValues[P, I, D]) Waves(w *collections.Waves, look func()) (removed uint64) {
	pad := collections.PadOf[P]()
	came, gone := 0, 0
	for s := range w.Came {
		for range w.Came[s] {
			c.Hs[came] = c.l.Insert(collections.Of(pad, uint64(came)))
			came++
		}
		for range w.Gone[s] {
			if e, ok := c.l.Remove(c.Hs[w.Order[gone]]); ok {
				removed += e.V
			}
			gone++
		}
		if look != nil {
			look()
		}
	}
	return removed
}

func (c *stableValues[P, I, D]) Len() int            { return c.l.Len() }
func (c *stableValues[P, I, D]) Touched() int        { return c.l.Touched() }
func (c *stableValues[P, I, D]) Stats() stable.Stats { return c.l.Stats() }

type stableParticles[I stable.Index, D stable.Identifier[D]] struct {
	l *stable.ListOf[uint32, I, D]
}

func (c *stableParticles[I, D]) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.l.Insert(t)
	}
}

func (c *stableParticles[I, D]) Age() (visits, deaths int) {
	for k, t := range c.l.All() {
		visits++
		if collections.Aged(t) {
			c.l.Remove(k)
			deaths++
		}
	}
	return visits, deaths
}

func (c *stableParticles[I, D]) Len() int { return c.l.Len() }

type stableColliders[I stable.Index, D stable.Identifier[D]] struct {
	l *stable.ListOf[collections.Collider, I, D]
	// hs are only for the loop by two handles.
	hs []stable.Key[collections.Collider, I, D]
}

func (c *stableColliders[I, D]) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.l.Insert(v)
	}
}

func (c *stableColliders[I, D]) Cross() (pairs int) {
	for a, others := range stable.Traverse(c.l) {
		for _, span := range others.Spans() {
			pairs += collections.MeetAll(a.Value, span)
		}
	}
	return pairs
}

func (c *stableColliders[I, D]) CrossLoops() map[string]func() int {
	c.hs = c.hs[:0]
	for k := range c.l.All() {
		c.hs = append(c.hs, k)
	}
	return map[string]func() int{
		"ns_per_pair_values": c.crossValues,
		"ns_per_pair_pairs":  c.crossPairs,
		"ns_per_pair_twokey": c.crossTwoKey,
	}
}

func (c *stableColliders[I, D]) crossValues() (pairs int) {
	for a, others := range stable.Traverse(c.l) {
		for b := range others.Values() {
			pairs += collections.Meet(a.Value, b)
		}
	}
	return pairs
}

// crossPairs handles two ordered pairs in each iteration.
func (c *stableColliders[I, D]) crossPairs() (pairs int) {
	for a, b := range stable.Pairs(c.l) {
		pairs += collections.MeetBoth(a, b)
	}
	return pairs
}

// crossTwoKey is the loop for collections that never return two values at once: two lookups a pair.
func (c *stableColliders[I, D]) crossTwoKey() (pairs int) {
	for _, ha := range c.hs {
		for _, hb := range c.hs {
			if ha == hb {
				continue
			}
			if a, b := c.l.Ptr(ha), c.l.Ptr(hb); a != nil && b != nil {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *stableColliders[I, D]) Marks() (hits, beens int) {
	for v := range c.l.Values() {
		collections.Tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *stableColliders[I, D]) Age() (deaths, both int) {
	for k, v := range c.l.All() {
		if over, b := collections.AgedOut(v); over {
			c.l.Remove(k)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *stableColliders[I, D]) Len() int { return c.l.Len() }

type stableMortals[I stable.Index, D stable.Identifier[D]] struct {
	l *stable.ListOf[collections.Mortal, I, D]
}

func (c *stableMortals[I, D]) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.l.Insert(m)
	}
}

func (c *stableMortals[I, D]) Update() (updates uint64) {
	for _, span := range c.l.Spans() {
		updates += collections.UpdateAll(span)
	}
	return updates
}

func (c *stableMortals[I, D]) Bury() (deaths int) {
	for k, m := range c.l.All() {
		if m.Dead() {
			c.l.Remove(k)
			deaths++
		}
	}
	return deaths
}

func (c *stableMortals[I, D]) Len() int { return c.l.Len() }
