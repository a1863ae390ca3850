package impls

import (
	"math/bits"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// ArenaChunk is the chunk size of a collection's own arena. With its alignment, that is 64 KiB of
// the heap. The collector frees arena and collection together.
const ArenaChunk = 64<<10 - 64

var ArenaPool = measure.Impl{
	Name: "arena.Pool",
	About: "this library's pool in an arena: blocks of 64 slots that never move, with an " +
		"occupancy bitmap each. Its handle is an index. The arena has chunks on Go's heap, " +
		"and each pool has its own.",
	Stale: "reads whichever value has the slot now",
	Ours:  true,
	Loops: "sums and changes range over Spans, and once more over All (_values); in " +
		"sparse over All, and once more over the runs (_spans); " +
		"ageing ranges over All and removes inside the loop, and so does dcm, which updates over " +
		"the runs; cross is two loops over Chunks",
	Kit: collections.Kit{
		Values: func(elemBytes int) collections.Values {
			return collections.Sized(elemBytes,
				func() collections.Values { return new(arenaPoolValues[collections.None]) },
				func() collections.Values { return new(arenaPoolValues[collections.Words3]) },
				func() collections.Values { return new(arenaPoolValues[collections.Words15]) })
		},
		Particles: func() collections.Particles {
			return &arenaPoolParticles{arena.NewPool[uint32](arena.NewChunked(ArenaChunk))}
		},
		Colliders: func() collections.Colliders {
			return &arenaPoolColliders{
				arena.NewPool[collections.Collider](arena.NewChunked(ArenaChunk)),
			}
		},
		Mortals: func() collections.Mortals {
			return &arenaPoolMortals{
				arena.NewPool[collections.Mortal](arena.NewChunked(ArenaChunk)),
			}
		},
		Ask: askArenaPool,
	},
}

// firstRun returns the bounds of the first run of ones in mask, and mask without it. mask must not
// be 0.
func firstRun(mask uint64) (lo, hi int, rest uint64) {
	lo = bits.TrailingZeros64(mask)
	hi = lo + bits.TrailingZeros64(^(mask >> lo))
	return lo, hi, mask &^ (1<<hi - 1)
}

type arenaPoolValues[P collections.Pad] struct {
	collections.Handles[int]
	p *arena.Pool[collections.Elem[P]]
}

func (c *arenaPoolValues[P]) New(room int) {
	c.p = arena.NewPool[collections.Elem[P]](arena.NewChunked(ArenaChunk))
	c.p.Grow(room)
}

func (c *arenaPoolValues[P]) Insert(from, to int) {
	pad := collections.PadOf[P]()
	for i := from; i < to; i++ {
		c.Hs[i], _ = c.p.Insert(collections.Of(pad, uint64(i)))
	}
}

func (c *arenaPoolValues[P]) Sum() (sum uint64) {
	for _, s := range c.p.Spans() {
		for i := range s {
			sum += s[i].V
		}
	}
	return sum
}

func (c *arenaPoolValues[P]) Mut() {
	for _, s := range c.p.Spans() {
		for i := range s {
			s[i].V++
		}
	}
}

func (c *arenaPoolValues[P]) SumValues() (sum uint64) {
	for e := range c.p.Values() {
		sum += e.V
	}
	return sum
}

func (c *arenaPoolValues[P]) MutValues() {
	for e := range c.p.Values() {
		e.V++
	}
}

func (c *arenaPoolValues[P]) ShortRuns() bool { return true }

func (c *arenaPoolValues[P]) Get() (sum uint64) {
	for _, h := range c.Hs {
		if e := c.p.Ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

func (c *arenaPoolValues[P]) Drain() (sum uint64) {
	for _, h := range c.Hs {
		if e, ok := c.p.Remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

func (c *arenaPoolValues[P]) Remove(lo, hi int) {
	for _, h := range c.Hs[lo:hi] {
		c.p.Remove(h)
	}
}

func (c *arenaPoolValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	pad := collections.PadOf[P]()
	n := uint64(len(c.Hs))
	for range pairs {
		h := &c.Hs[r.Below(n)]
		if e, ok := c.p.Remove(*h); ok {
			sum += e.V
		}
		*h, _ = c.p.Insert(collections.Of(pad, next))
		next++
	}
	return sum
}

type arenaPoolParticles struct{ p *arena.Pool[uint32] }

func (c *arenaPoolParticles) Insert(ttls []uint32) {
	for _, t := range ttls {
		c.p.Insert(t)
	}
}

func (c *arenaPoolParticles) Age() (visits, deaths int) {
	for i, t := range c.p.All() {
		visits++
		if collections.Aged(t) {
			c.p.Remove(i)
			deaths++
		}
	}
	return visits, deaths
}

func (c *arenaPoolParticles) Len() int { return c.p.Len() }

type arenaPoolColliders struct {
	p *arena.Pool[collections.Collider]
}

func (c *arenaPoolColliders) Insert(cs []collections.Collider) {
	for _, v := range cs {
		c.p.Insert(v)
	}
}

func (c *arenaPoolColliders) Cross() (pairs int) {
	for b := range c.p.Chunks() {
		for w := b.Mask; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			pairs += c.crossOne(&b.Values[i], b.First, 1<<i)
		}
	}
	return pairs
}

// crossOne lets a, which has one of the bits of the block first, meet all others.
func (c *arenaPoolColliders) crossOne(a *collections.Collider, first int, bit uint64) (pairs int) {
	for b := range c.p.Chunks() {
		mask := b.Mask
		if b.First == first {
			mask &^= bit
		}
		for mask != 0 {
			lo, hi, rest := firstRun(mask)
			pairs += collections.MeetAll(a, b.Values[lo:hi])
			mask = rest
		}
	}
	return pairs
}

func (c *arenaPoolColliders) Marks() (hits, beens int) {
	for v := range c.p.Values() {
		collections.Tally(v, &hits, &beens)
	}
	return hits, beens
}

func (c *arenaPoolColliders) Age() (deaths, both int) {
	for i, v := range c.p.All() {
		if over, b := collections.AgedOut(v); over {
			c.p.Remove(i)
			deaths++
			both += b
		}
	}
	return deaths, both
}

func (c *arenaPoolColliders) Len() int { return c.p.Len() }

type arenaPoolMortals struct {
	p *arena.Pool[collections.Mortal]
}

func (c *arenaPoolMortals) Insert(ms []collections.Mortal) {
	for _, m := range ms {
		c.p.Insert(m)
	}
}

func (c *arenaPoolMortals) Update() (updates uint64) {
	for _, s := range c.p.Spans() {
		updates += collections.UpdateAll(s)
	}
	return updates
}

func (c *arenaPoolMortals) Bury() (deaths int) {
	for i, m := range c.p.All() {
		if m.Dead() {
			c.p.Remove(i)
			deaths++
		}
	}
	return deaths
}

func (c *arenaPoolMortals) Len() int { return c.p.Len() }
