package impls

import (
	"math"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

const (
	arenaHandlesStale = "finds nothing, ever: a slot is retired when its generations are used up"
	arenaHandlesLoops = "sums and changes range over Spans, and once more over Values (_values); " +
		"in sparse over Values, and once more over Spans (_spans); other loops over Values, or " +
		"over All to remove inside the loop; cross is two loops over Values, nested"
)

var ArenaHandles = measure.Impl{
	Name: "arena.Handles",
	About: "this library's resource manager in an arena: arena.Pool with a generation " +
		"for each slot. Its handle is arena.Handle64. Its arena is like that of arena.Pool.",
	Stale: arenaHandlesStale,
	Safe:  true, Ours: true,
	Loops: arenaHandlesLoops,
	Kit: collections.Kit{
		Particles: func() particles { return &arenaHandlesParticles{newArenaHandles[uint32]()} },
		Colliders: func() colliders { return &arenaHandlesColliders{newArenaHandles[collider]()} },
		Mortals:   func() mortals { return &arenaHandlesMortals{newArenaHandles[mortal]()} },
		Ask:       askArenaHandles[arena.Handle64[uint64]](0),
	}.With(new(wideValues[none]), new(wideValues[words3]), new(wideValues[words15])),
}

// ArenaNarrow runs only workloads whose live values fit its handles.
var ArenaNarrow = measure.Impl{
	Name:  "arena.Handles 32-bit",
	About: "arena.Handles with arena.Handle32: at most 65 535 values",
	Stale: arenaHandlesStale,
	Safe:  true, Ours: true,
	Loops: arenaHandlesLoops,
	Most:  math.MaxUint16,
	Kit: collections.Kit{
		Ask: askArenaHandles[arena.Handle32[uint64]](math.MaxUint16),
	}.With(new(narrowValues[none]), new(narrowValues[words3]), new(narrowValues[words15])),
}

type (
	wideValues[P pad]   = arenaHandles[P, arena.Handle64[elem[P]]]
	narrowValues[P pad] = arenaHandles[P, arena.Handle32[elem[P]]]
)

type arenaHandles[P pad, H arena.HandleOf[elem[P]]] struct {
	collections.Handles[H]
	p *arena.Handles[elem[P], H]
}

func (c *arenaHandles[P, H]) New(room int) {
	c.p = arena.NewHandles[elem[P], H](
		arena.NewChunked(ArenaChunk), arena.HandlesConfig{})
	c.p.Grow(room)
}

func (c *arenaHandles[P, H]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	collections.InsertAll(pad, c.Hs, from, to, func(e elem[P]) H {
		h, _ := c.p.Insert(e)
		return h
	})
}

func (c *arenaHandles[P, H]) Sum() uint64 { return collections.SumSpans(c.p.Spans()) }

func (c *arenaHandles[P, H]) Mut() { collections.MutSpans(c.p.Spans()) }

func (c *arenaHandles[P, H]) SumValues() uint64 { return collections.SumEach(c.p.Values()) }

func (c *arenaHandles[P, H]) MutValues() { collections.MutEach(c.p.Values()) }

func (c *arenaHandles[P, H]) ShortRuns() bool { return true }

func (c *arenaHandles[P, H]) Get() uint64 { return collections.GetAll(c.Hs, c.p.Ptr) }

func (c *arenaHandles[P, H]) Drain(lo, hi int) (sum uint64) {
	for _, h := range c.Hs[lo:hi] {
		if e := c.p.Ptr(h); e != nil { // Delete does not return it
			sum += e.V
			c.p.Delete(h)
		}
	}
	return sum
}

func (c *arenaHandles[P, H]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old := c.p.Ptr(*h); old != nil {
			sum += old.V
			c.p.Delete(*h)
		}
		*h, _ = c.p.Insert(e)
	}
	return sum
}

// wideHandles is the usual instantiation.
type wideHandles[T any] = arena.Handles[T, arena.Handle64[T]]

func newArenaHandles[T any]() handlesOf[T] {
	a := arena.NewChunked(ArenaChunk)
	return handlesOf[T]{arena.NewHandles[T, arena.Handle64[T]](a, arena.HandlesConfig{})}
}

type handlesOf[T any] struct{ p *wideHandles[T] }

func (c *handlesOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.p.Insert(v) //nolint:errcheck,berthends // the checksum finds a missing value
	}
}

func (c *handlesOf[T]) remove() func(arena.Handle64[T]) {
	return func(h arena.Handle64[T]) { c.p.Delete(h) }
}

func (c *handlesOf[T]) Len() int { return c.p.Len() }

type arenaHandlesParticles struct{ handlesOf[uint32] }

func (c *arenaHandlesParticles) Age() (visits, deaths int) {
	return collections.AgeAll(c.p.All(), c.remove())
}

type arenaHandlesColliders struct {
	handlesOf[collider]
}

func (c *arenaHandlesColliders) Cross() (pairs int) {
	for a := range c.p.Values() {
		for b := range c.p.Values() {
			if a != b {
				pairs += collections.Meet(a, b)
			}
		}
	}
	return pairs
}

func (c *arenaHandlesColliders) Marks() (hits, beens int) {
	return collections.TallyAll(c.p.All())
}

func (c *arenaHandlesColliders) Age() (deaths, both int) {
	return collections.AgeOutAll(c.p.All(), c.remove())
}

type arenaHandlesMortals struct{ handlesOf[mortal] }

func (c *arenaHandlesMortals) Update() (updates uint64) {
	for m := range c.p.Values() {
		m.Update()
		updates++
	}
	return updates
}

func (c *arenaHandlesMortals) Bury() (deaths int) {
	return collections.BuryAll(c.p.All(), c.remove())
}
