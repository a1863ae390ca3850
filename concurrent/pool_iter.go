package concurrent

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/inside"
)

// cursor is a position in a loop over the slots of a shard. The loop visits no slot twice, and none
// beyond the end that the shard had when it began.
type cursor struct {
	begun bool
	block int
	live  uint64 // slots of block to visit
	end   int    // number of blocks
}

// shardNext returns the next slot that had a value when the loop came to its block, or -1.
func shardNext[T any](s *shard[T], c *cursor) (slot int) {
	for c.live == 0 {
		from := 0
		if c.begun {
			from = c.block + 1
		}
		shardLock(s)
		block, live, blocks := inside.NextBlock(&s.pool, from)
		s.mu.Unlock()
		if !c.begun {
			c.begun, c.end = true, blocks
		}
		if block < 0 || block >= c.end {
			return -1
		}
		c.block, c.live = block, live
	}
	slot = c.block<<6 + bits.TrailingZeros64(c.live)
	c.live &= c.live - 1
	return slot
}

// All returns an iterator over the values and their handles, and holds a lease of each value while
// the loop's body runs. It holds no lock there, so the body may use p in any way. It must not wait
// in [Take] for the value that it has. The pointer is valid until the end of the step. These
// rules hold:
//
//  1. A value that is live throughout the loop is visited exactly once.
//  2. A value removed before its turn is not visited.
//  3. A value inserted during the loop is visited once or not at all, and the loop ends.
//  4. Loops may be nested.
//  5. break, return, a panic and Goexit end the lease and leave nothing behind.
//  6. The order is that of the shards, and of the slots in a shard.
//
// The loop sees no single state of p: other goroutines change it meanwhile.
// Cost: two locks and a lease for each value, at most; allocates nothing for the values.
//
//berth:issues y0
//berth:lends y1
func (p *Pool[T]) All() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		if !p.made.Load() {
			return
		}
		for i := range p.shards {
			s, c := &p.shards[i], cursor{}
			for slot := shardNext(s, &c); slot >= 0; slot = shardNext(s, &c) {
				if !poolVisit(p, s, slot, yield) {
					return
				}
			}
		}
	}
}

// poolVisit calls yield with the value in a slot of s, if there is one, and returns yield's result.
func poolVisit[T any](
	p *Pool[T], s *shard[T], slot int, yield func(berth.Handle[T], *T) bool,
) bool {
	shardLock(s)
	h, x := shardAt(s, slot)
	ok := x != nil && shardLease(s, h)
	s.mu.Unlock()
	if !ok {
		return true
	}
	l := Lease[T]{p: p, x: x, h: h}
	defer l.Release()
	return yield(h, x)
}

// Drain returns an iterator that removes the values, and yields each that nobody has a lease of.
// The loop's body owns these: Config.Drop is not called for them. It removes the others as
// [Pool.Remove] does, and does not yield them. The rules at [Pool.All] hold. After an early break,
// values that were not reached are untouched.
// Cost: two locks for each value, at most, and as Remove.
// Ends: the handles of the removed values. Pointers stay valid until their leases end.
//
//berth:begins of p
func Drain[T any](p *Pool[T]) iter.Seq2[berth.Handle[T], T] {
	return func(yield func(berth.Handle[T], T) bool) {
		if !p.made.Load() {
			return
		}
		for i := range p.shards {
			s, c := &p.shards[i], cursor{}
			for slot := shardNext(s, &c); slot >= 0; slot = shardNext(s, &c) {
				if h, v, ok := poolDrain(p, s, slot); ok && !yield(h, v) {
					return
				}
			}
		}
	}
}

// poolDrain removes the value in a slot of s, if there is one, and returns it if nobody has a
// lease.
func poolDrain[T any](p *Pool[T], s *shard[T], slot int) (h berth.Handle[T], v T, ok bool) {
	shardLock(s)
	h, x := shardAt(s, slot)
	switch {
	case x == nil:
	case shardWord(s, h) != 0:
		poolRemove(p, s, h)
	default:
		v, ok = *x, true
		shardDelete(s, h)
		poolUnreserve(p)
	}
	s.mu.Unlock()
	return h, v, ok
}

// Slots returns an iterator over the slots of p, 64 at a time, shard by shard, as
// [berth.Pool.Slots]. A slot whose value is leased and removed, or is being built, is neither live
// nor vacant. The slots of a shard are those at one moment, and no lock is held while the body
// runs.
// Cost: a lock of each shard while its slots are copied, O(1) for each 64 slots, and for each live
// value of a shard that has leased and removed ones; allocates the copy.
func (p *Pool[T]) Slots() iter.Seq[berth.Slots] {
	return func(yield func(berth.Slots) bool) {
		if !p.made.Load() {
			return
		}
		var words []berth.Slots
		for i := range p.shards {
			words = shardSlots(&p.shards[i], words[:0])
			for _, w := range words {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// shardSlots appends the slots of s to words.
func shardSlots[T any](s *shard[T], words []berth.Slots) []berth.Slots {
	shardLock(s)
	defer s.mu.Unlock()
	return appendSlots(words, s.pool.Slots(), &s.tally, s.hidden != 0)
}

// appendSlots appends slots to words, without those that t hides, if there are any.
//
//go:noinline
func appendSlots(
	words []berth.Slots, slots iter.Seq[berth.Slots], t *tally, hides bool,
) []berth.Slots {
	k := uint64(0)
	for w := range slots {
		if hides {
			for live := w.Live; live != 0; live &= live - 1 {
				if i := bits.TrailingZeros64(live); t.word(k*64+uint64(i))&hidden != 0 {
					w.Live &^= 1 << i
				}
			}
		}
		words = append(words, w)
		k++
	}
	return words
}
