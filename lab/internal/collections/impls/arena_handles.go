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
		Values: collections.Sizes(newWide[collections.None](), newWide[collections.Words3](),
			newWide[collections.Words15]()),
		Particles: func() collections.Particles {
			return &arenaHandlesParticles{newArenaHandles[uint32]()}
		},
		Colliders: func() collections.Colliders {
			return &arenaHandlesColliders{newArenaHandles[collections.Collider]()}
		},
		Mortals: func() collections.Mortals {
			return &arenaHandlesMortals{newArenaHandles[collections.Mortal]()}
		},
		Ask: askArenaHandles[arena.Handle64[uint64]](0),
	},
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
		Values: collections.Sizes(newNarrow[collections.None](), newNarrow[collections.Words3](),
			newNarrow[collections.Words15]()),
		Ask: askArenaHandles[arena.Handle32[uint64]](math.MaxUint16),
	},
}

func newWide[P collections.Pad]() collections.Values {
	type elem = collections.Elem[P]
	return new(arenaHandles[P, arena.Handle64[elem]])
}

func newNarrow[P collections.Pad]() collections.Values {
	type elem = collections.Elem[P]
	return new(arenaHandles[P, arena.Handle32[elem]])
}

type arenaHandles[P collections.Pad, H arena.HandleOf[collections.Elem[P]]] struct {
	collections.Handles[H]
	p *arena.Handles[collections.Elem[P], H]
}

func (c *arenaHandles[P, H]) New(room int) {
	c.p = arena.NewHandles[collections.Elem[P], H](
		arena.NewChunked(ArenaChunk), arena.HandlesConfig{})
	c.p.Grow(room)
}

func (c *arenaHandles[P, H]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	collections.InsertAll(pad, c.Hs, from, to, func(e collections.Elem[P]) H {
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

func (c *arenaHandles[P, H]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.p.Ptr(h); e != nil { // Delete does not return it
			sum += e.V
			c.p.Delete(h)
		}
	}
	return sum
}

func (c *arenaHandles[P, H]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.p.Delete(h)
	}
}

func (c *arenaHandles[P, H]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e := c.p.Ptr(*h); e != nil {
			sum += e.V
			c.p.Delete(*h)
		}
		*h, _ = c.p.Insert(collections.Of(pad, next))
		next++
	}
	return sum
}

// wideHandles is the usual instantiation.
type wideHandles[T any] = arena.Handles[T, arena.Handle64[T]]

func newArenaHandles[T any]() handlesOf[T] {
	a := arena.NewChunked(ArenaChunk)
	return handlesOf[T]{arena.NewHandles[T, arena.Handle64[T]](a, arena.HandlesConfig{})}
}

// handlesOf has the methods that do not depend on the type of values.
type handlesOf[T any] struct{ p *wideHandles[T] }

func (c *handlesOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.p.Insert(v) //nolint:errcheck,berthends // the checksum finds a missing value
	}
}

// remove returns the call that removes a value inside a loop.
func (c *handlesOf[T]) remove() func(arena.Handle64[T]) {
	return func(h arena.Handle64[T]) { c.p.Delete(h) }
}

func (c *handlesOf[T]) Len() int { return c.p.Len() }

type arenaHandlesParticles struct{ handlesOf[uint32] }

func (c *arenaHandlesParticles) Age() (visits, deaths int) {
	return collections.AgeAll(c.p.All(), c.remove())
}

type arenaHandlesColliders struct {
	handlesOf[collections.Collider]
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
	return collections.TallyAll(c.p.Values())
}

func (c *arenaHandlesColliders) Age() (deaths, both int) {
	return collections.AgeOutAll(c.p.All(), c.remove())
}

type arenaHandlesMortals struct{ handlesOf[collections.Mortal] }

func (c *arenaHandlesMortals) Update() uint64 { return collections.UpdateEach(c.p.Values()) }

func (c *arenaHandlesMortals) Bury() (deaths int) {
	return collections.BuryAll(c.p.All(), c.remove())
}
