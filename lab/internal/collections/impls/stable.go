package impls

import (
	"math"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/stable"
)

const (
	stableStale = "finds nothing, ever: a list whose identifiers are used up takes no more values"
	stableLoops = "sums and changes of a full list range over Spans, and once more over Values " +
		"(the metrics that end in _values); with few values left, they range over Values, and " +
		"once more over Spans (_spans); ageing ranges over All and removes inside the loop, and " +
		"so does dcm, which updates over Spans; cross ranges over Traverse and Others.Spans."
)

// stableImpl is the list that most programs want, beside all other collections.
var stableImpl = newList(stable.Config{}, measure.Impl{
	Name: "stable.List",
	About: "this library's truncating list: slots in one piece of memory, of which " +
		"an insert takes the lowest vacant one. Its handle is stable.ListKey.",
})

var quartered = stable.Config{Placement: stable.Quartered}

// The lists are stable.ListOf in all its variants. They differ only in type parameters and
// placement, so each loop below is written once. Two placements have no name outside package
// stable, since they are for these figures.
var (
	FirstFree = newList(stable.Config{}, measure.Impl{
		Name: "FirstFree",
		About: "stable.List by default: an insert takes the lowest vacant slot, and " +
			"the list truncates behind its last value; bitmaps mark vacant slots, and loops skip " +
			"them by 64.",
	})
	Quartered = newList(quartered, measure.Impl{
		Name: "Quartered",
		About: "an insert takes the first quarter with a vacant slot; when the second " +
			"half is empty, the list truncates to half its length.",
	})
	QuarteredStepwise = newList(stable.Config{Placement: stable.Quartered + 1}, measure.Impl{
		Name: "Quartered stepwise",
		About: "the same as published: it sorts vacant slots into new quarters after " +
			"each halving, while Quartered does so once, or not at all.",
	})
	FirstFreeHeap = newList(stable.Config{Placement: stable.FirstFreeHeap}, measure.Impl{
		Name:  "FirstFreeHeap",
		About: "FirstFree with a priority queue; loops skip each run of vacant slots at once.",
	})
	FirstFreeHeapWalk = newList(stable.Config{Placement: stable.FirstFreeHeap + 1}, measure.Impl{
		Name:  "FirstFreeHeap walk",
		About: "FirstFreeHeap with loops that visit every slot.",
	})
	Quartered16 = newListOf[uint16, stable.Counter32](quartered, measure.Impl{
		Name:  "Quartered 16-bit",
		About: "Quartered with indices of 16 bits: at most 65 536 values.",
		Most:  math.MaxUint16 + 1,
	})
	Quartered64 = newListOf[uint64, stable.Counter64](quartered, measure.Impl{
		Name:  "Quartered 64-bit",
		About: "Quartered with indices and identifiers of 64 bits.",
	})
)

// These differ in when they release memory.
var (
	listMemoryImpl = newList(stable.Config{Truncate: berth.TruncateMemory}, measure.Impl{
		Name:    "List memory",
		Variant: true,
		About:   "stable.List that releases memory when it truncates (TruncateMemory).",
	})
	listNeverImpl = newList(stable.Config{Truncate: berth.TruncateNever}, measure.Impl{
		Name:    "List never",
		Variant: true,
		About:   "stable.List that never truncates (TruncateNever).",
	})
)

// These are the default with other indices.
var (
	list16Impl = newListOf[uint16, stable.Counter32](stable.Config{}, measure.Impl{
		Name:    "List 16-bit",
		Variant: true,
		About:   "stable.List with indices of 16 bits: at most 65 536 values.",
		Most:    math.MaxUint16 + 1,
	})
	list64Impl = newListOf[uint64, stable.Counter64](stable.Config{}, measure.Impl{
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

// newList completes im, whose own fields stay.
func newList(conf stable.Config, im measure.Impl) measure.Impl {
	return newListOf[uint32, stable.Counter32](
		conf, im, &listValues32[array3]{conf: conf}, &listValues32[ptrs]{conf: conf})
}

type listValues32[P pad] = stableValues[P, uint32, stable.Counter32]

// newListOf is newList for other indices. They have no Kinds, whose types take the compiler
// seconds.
func newListOf[I stable.Index, D stable.Identifier[D]](
	conf stable.Config, im measure.Impl, kinds ...collections.Values,
) measure.Impl {
	im.Stale, im.Loops = stableStale, stableLoops
	im.Safe, im.Ours = true, true
	im.Kit = collections.Kit{
		Particles: func() particles {
			return &stableParticles[I, D]{newThings[uint32, I, D](conf)}
		},
		Colliders: func() colliders {
			return &stableColliders[I, D]{listOf: newThings[collider, I, D](conf)}
		},
		Mortals:   func() mortals { return &stableMortals[I, D]{newThings[mortal, I, D](conf)} },
		Truncates: true,
		Ask:       askStable[I, D](conf, im.Most),
	}.With(&stableValues[none, I, D]{conf: conf}, &stableValues[words3, I, D]{conf: conf},
		&stableValues[words15, I, D]{conf: conf}, kinds...)
	return im
}

type stableValues[P pad, I stable.Index, D stable.Identifier[D]] struct {
	collections.Handles[stable.Key[elem[P], I, D]]
	l    *stable.ListOf[elem[P], I, D]
	conf stable.Config
}

func (c *stableValues[P, I, D]) New(room int) {
	conf := c.conf
	conf.Capacity = room
	c.l = stable.NewOf[elem[P], I, D](conf)
}

func (c *stableValues[P, I, D]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, c.l.Insert)
}

func (c *stableValues[P, I, D]) Sum() uint64 { return collections.SumSpans(c.l.Spans()) }

func (c *stableValues[P, I, D]) Mut() { collections.MutSpans(c.l.Spans()) }

func (c *stableValues[P, I, D]) SumValues() uint64 { return collections.SumEach(c.l.Values()) }

func (c *stableValues[P, I, D]) MutValues() { collections.MutEach(c.l.Values()) }

func (c *stableValues[P, I, D]) ShortRuns() bool { return true }

func (c *stableValues[P, I, D]) Get() uint64 { return collections.GetAll(c.Hs, c.l.Ptr) }

func (c *stableValues[P, I, D]) Drain(lo, hi int) uint64 {
	return collections.DrainAll(c.Hs[lo:hi], c.l.Remove)
}

func (c *stableValues[P, I, D]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.l.Remove(*h); ok {
			sum += old.V
		}
		*h = c.l.Insert(e)
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

type listOf[T any, I stable.Index, D stable.Identifier[D]] struct{ l *stable.ListOf[T, I, D] }

func newThings[T any, I stable.Index, D stable.Identifier[D]](conf stable.Config) listOf[T, I, D] {
	return listOf[T, I, D]{stable.NewOf[T, I, D](conf)}
}

func (c *listOf[T, I, D]) Insert(vs []T) { collections.Each(vs, c.l.Insert) }

func (c *listOf[T, I, D]) Len() int { return c.l.Len() }

type stableParticles[I stable.Index, D stable.Identifier[D]] struct{ listOf[uint32, I, D] }

func (c *stableParticles[I, D]) Age() (visits, deaths int) {
	visits = c.l.Len()
	return visits, c.l.RemoveFunc(func(_ stable.Key[uint32, I, D], t *uint32) bool {
		return collections.Aged(t)
	})
}

type stableColliders[I stable.Index, D stable.Identifier[D]] struct {
	listOf[collider, I, D]
	// hs are only for the loop by two handles.
	hs []stable.Key[collider, I, D]
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
		"ns_per_pair_pairs":  func() int { return collections.CrossPairs(stable.Pairs(c.l)) },
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
	return collections.TallyAll(c.l.All())
}

func (c *stableColliders[I, D]) Age() (deaths, both int) {
	deaths = c.l.RemoveFunc(func(_ stable.Key[collider, I, D], v *collider) bool {
		return collections.AgedOut(v, &both)
	})
	return deaths, both
}

type stableMortals[I stable.Index, D stable.Identifier[D]] struct {
	listOf[mortal, I, D]
}

func (c *stableMortals[I, D]) Update() uint64 { return collections.UpdateSpans(c.l.Spans()) }

func (c *stableMortals[I, D]) Bury() (deaths int) {
	return c.l.RemoveFunc(func(_ stable.Key[mortal, I, D], m *mortal) bool { return m.Dead() })
}
