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
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				newWide[collections.None],
				newWide[collections.Words3],
				newWide[collections.Words15])
		},
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
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				newNarrow[collections.None],
				newNarrow[collections.Words3],
				newNarrow[collections.Words15])
		},
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
	for i := from; i < to; i++ {
		c.Hs[i], _ = c.p.Insert(collections.Of(pad, uint64(i)))
	}
}

func (c *arenaHandles[P, H]) Sum() (sum uint64) {
	for _, s := range c.p.Spans() {
		for i := range s {
			sum += s[i].V
		}
	}
	return sum
}

func (c *arenaHandles[P, H]) Mut() {
	for _, s := range c.p.Spans() {
		for i := range s {
			s[i].V++
		}
	}
}

func (c *arenaHandles[P, H]) SumValues() (sum uint64) {
	for e := range c.p.Values() {
		sum += e.V
	}
	return sum
}

func (c *arenaHandles[P, H]) MutValues() {
	for e := range c.p.Values() {
		e.V++
	}
}

func (c *arenaHandles[P, H]) ShortRuns() bool { return true }

func (c *arenaHandles[P, H]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.p.Ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

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

func newArenaHandles[T any]() *wideHandles[T] {
	a := arena.NewChunked(ArenaChunk)
	return arena.NewHandles[T, arena.Handle64[T]](a, arena.HandlesConfig{})
}

type arenaHandlesParticles struct{ p *wideHandles[uint32] }

func (c *arenaHandlesParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.Insert(t) //nolint:errcheck,berthends // the checksum finds a missing value
	}
}

func (c *arenaHandlesParticles) Age() (visits, deaths int) {
	for h, t := range c.p.All() {
		visits++
		if collections.Aged(t) {
			c.p.Delete(h)
			deaths++
		}
	}
	return visits, deaths
}

func (c *arenaHandlesParticles) Len() int { return c.p.Len() }

type arenaHandlesColliders struct {
	p *wideHandles[collections.Collider]
}

func (c *arenaHandlesColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.p.Insert(v) //nolint:errcheck,berthends // the checksum finds a missing value
	}
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
	for v := range c.p.Values() {
		collections.Tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *arenaHandlesColliders) Age() (deaths, both int) {
	for h, v := range c.p.All() {
		if over, b := collections.AgedOut(v); over {
			c.p.Delete(h)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *arenaHandlesColliders) Len() int { return c.p.Len() }

type arenaHandlesMortals struct {
	p *wideHandles[collections.Mortal]
}

func (c *arenaHandlesMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.p.Insert(m) //nolint:errcheck,berthends // the checksum finds it
	}
}

func (c *arenaHandlesMortals) Update() (updates uint64) {
	for m := range c.p.Values() {
		m.Update()
		updates++
	}
	return updates
}

func (c *arenaHandlesMortals) Bury() (deaths int) {
	for h, m := range c.p.All() {
		if m.Dead() {
			c.p.Delete(h)
			deaths++
		}
	}
	return deaths
}

func (c *arenaHandlesMortals) Len() int { return c.p.Len() }
