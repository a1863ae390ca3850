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
	Loops: "sums and changes range over Spans, and once more over All (_values); in sparse over " +
		"All, and once more over the runs (_spans); ageing ranges over All and removes inside " +
		"the loop, and so does dcm, which updates over the runs; cross is two loops over Chunks",
	Kit: collections.Kit{
		Particles: func() particles { return &arenaPoolParticles{newArenaPool[uint32]()} },
		Colliders: func() colliders { return &arenaPoolColliders{newArenaPool[collider]()} },
		Mortals:   func() mortals { return &arenaPoolMortals{newArenaPool[mortal]()} },
		Ask:       askArenaPool,
	}.With(new(arenaPoolValues[none]), new(arenaPoolValues[words3]), new(arenaPoolValues[words15])),
}

// firstRun returns the bounds of the first run of ones in mask, and mask without it. mask must not
// be 0.
func firstRun(mask uint64) (lo, hi int, rest uint64) {
	lo = bits.TrailingZeros64(mask)
	hi = lo + bits.TrailingZeros64(^(mask >> lo))
	return lo, hi, mask &^ (1<<hi - 1)
}

type arenaPoolValues[P pad] struct {
	collections.Handles[int]
	p *arena.Pool[elem[P]]
}

func (c *arenaPoolValues[P]) New(room int) {
	c.p = arena.NewPool[elem[P]](arena.NewChunked(ArenaChunk))
	c.p.Grow(room)
}

func (c *arenaPoolValues[P]) Insert(from, to int) {
	collections.InsertAll(collections.PadOf[P](), c.Hs, from, to, func(e elem[P]) int {
		i, _ := c.p.Insert(e)
		return i
	})
}

func (c *arenaPoolValues[P]) Sum() uint64 { return collections.SumSpans(c.p.Spans()) }

func (c *arenaPoolValues[P]) Mut() { collections.MutSpans(c.p.Spans()) }

func (c *arenaPoolValues[P]) SumValues() uint64 { return collections.SumEach(c.p.Values()) }

func (c *arenaPoolValues[P]) MutValues() { collections.MutEach(c.p.Values()) }

func (c *arenaPoolValues[P]) ShortRuns() bool { return true }

func (c *arenaPoolValues[P]) Get() uint64 { return collections.GetAll(c.Hs, c.p.Ptr) }

func (c *arenaPoolValues[P]) Drain(lo, hi int) uint64 {
	return collections.DrainAll(c.Hs[lo:hi], c.p.Remove)
}

func (c *arenaPoolValues[P]) Churn(r *measure.RNG, next uint64, pairs int) (sum uint64) {
	for h, e := range collections.Churned(collections.PadOf[P](), c.Hs, r, next, pairs) {
		if old, ok := c.p.Remove(*h); ok {
			sum += old.V
		}
		*h, _ = c.p.Insert(e)
	}
	return sum
}

type arenaPoolOf[T any] struct{ p *arena.Pool[T] }

func newArenaPool[T any]() arenaPoolOf[T] {
	return arenaPoolOf[T]{arena.NewPool[T](arena.NewChunked(ArenaChunk))}
}

func (c *arenaPoolOf[T]) Insert(vs []T) {
	for _, v := range vs {
		c.p.Insert(v)
	}
}

func (c *arenaPoolOf[T]) remove() func(int) {
	return func(h int) { c.p.Remove(h) }
}

func (c *arenaPoolOf[T]) Len() int { return c.p.Len() }

type arenaPoolParticles struct{ arenaPoolOf[uint32] }

func (c *arenaPoolParticles) Age() (visits, deaths int) {
	return collections.AgeAll(c.p.All(), c.remove())
}

type arenaPoolColliders struct {
	arenaPoolOf[collider]
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
func (c *arenaPoolColliders) crossOne(a *collider, first int, bit uint64) (pairs int) {
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
	return collections.TallyAll(c.p.All())
}

func (c *arenaPoolColliders) Age() (deaths, both int) {
	return collections.AgeOutAll(c.p.All(), c.remove())
}

type arenaPoolMortals struct {
	arenaPoolOf[mortal]
}

func (c *arenaPoolMortals) Update() uint64 { return collections.UpdateSpans(c.p.Spans()) }

func (c *arenaPoolMortals) Bury() (deaths int) {
	return collections.BuryAll(c.p.All(), c.remove())
}
