package concurrent

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/slots"
)

// cursor is a position in a loop over the slots of a shard. The loop visits no slot twice, and none
// beyond the end that the shard had when it began.
type cursor struct {
	begun bool
	block int
	live  uint64 // slots of block to visit
	end   int    // number of blocks
}

// next returns the next slot that had a value when the loop came to its block, or -1.
func (s *shard) next(c *cursor) (slot int) {
	for c.live == 0 {
		from := 0
		if c.begun {
			from = c.block + 1
		}
		s.lock()
		block, live, blocks := s.pool.NextBlock(from)
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
//
// Cost: a lease for each value, and a lock for each block of 64 slots; allocates as
// [Pool.Acquire].
//
//berth:issues y0
//berth:lends y1
func (p *Pool[T]) All() iter.Seq2[berth.Handle[T], *T] {
	c := &p.core
	return func(yield func(berth.Handle[T], *T) bool) {
		c.each(untypedYield(yield))
	}
}

// untypedYield returns yield for code that does not know T.
func untypedYield[T any](
	yield func(berth.Handle[T], *T) bool,
) func(uint64, slots.Ref) bool {
	return func(h uint64, x slots.Ref) bool {
		return yield(berth.HandleFromUint64[T](h), (*T)(x))
	}
}

// each calls yield for each value, and holds a lease of it meanwhile, until yield returns false.
//
//go:noinline
func (c *core) each(yield func(uint64, slots.Ref) bool) {
	if !c.made.Load() {
		return
	}
	for i := range c.shards {
		s, at := &c.shards[i], cursor{}
		for slot := s.next(&at); slot >= 0; slot = s.next(&at) {
			if !c.visit(s, slot, yield) {
				return
			}
		}
	}
}

// visit calls yield with the value in a slot of s, if there is one, and returns yield's result.
func (c *core) visit(s *shard, slot int, yield func(uint64, slots.Ref) bool) bool {
	b := s.wordsOf(uint64(slot))
	if b == nil {
		if b = s.placed(uint64(slot)); b == nil {
			return true
		}
	}
	h := slots.ID{Index: s.salt + uint32(slot), Gen: uint32(b.of[slot&63].Load() >> 32)}
	point("visit")
	if !b.lease(h, uint64(slot)) {
		return true
	}
	defer c.unlease(h, b)
	return yield(number(h), c.value(h, b))
}

// Drain returns an iterator that removes the values, and yields each that nobody has a lease of.
// The loop's body owns these: Config.Drop is not called for them. It removes the others as
// [Pool.Delete] does, and does not yield them. The rules at [Pool.All] hold. After an early break,
// values that were not reached are untouched.
//
// Cost: two locks for each value, at most, and as Delete.
//
// Ends: the handles of the removed values. Pointers stay valid until their leases end.
//
//berth:begins of p
func Drain[T any](p *Pool[T]) iter.Seq2[berth.Handle[T], T] {
	return func(yield func(berth.Handle[T], T) bool) {
		if !p.core.made.Load() {
			return
		}
		for i := range p.core.shards {
			s, at := &p.core.shards[i], cursor{}
			for slot := s.next(&at); slot >= 0; slot = s.next(&at) {
				if h, v, ok := drain(p, s, slot); ok && !yield(h, v) {
					return
				}
			}
		}
	}
}

// drain removes the value in a slot of s, if there is one, and returns it if nobody has a lease.
func drain[T any](p *Pool[T], s *shard, slot int) (_ berth.Handle[T], v T, ok bool) {
	s.lock()
	h, x := s.at(slot)
	if x != nil {
		p.core.unclaim()
		if ok = !s.end(h, false); ok {
			v = *(*T)(x)
			s.delete(h)
		}
	}
	s.mu.Unlock()
	return berth.HandleFromUint64[T](number(h)), v, ok
}

// Slots returns an iterator over the slots of p, 64 at a time, shard by shard, as
// [berth.Pool.Slots]. A slot whose value is leased and removed, or is being built, is neither live
// nor vacant. The slots of a shard are those at one moment, and no lock is held while the body
// runs.
//
// Cost: a lock of each shard while its slots are copied, O(1) for each 64 slots, and for each live
// value of a shard that has leased and removed ones; allocates the copy and the loop.
func (p *Pool[T]) Slots() iter.Seq[berth.Slots] { return p.core.slots() }

// slots is Slots.
//
//go:noinline
func (c *core) slots() iter.Seq[berth.Slots] {
	return func(yield func(berth.Slots) bool) {
		if !c.made.Load() {
			return
		}
		var words []berth.Slots
		for i := range c.shards {
			words = c.shards[i].appendSlots(words[:0])
			for _, w := range words {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// appendSlots appends the slots of s to words.
func (s *shard) appendSlots(words []berth.Slots) []berth.Slots {
	s.lock()
	defer s.mu.Unlock()
	k := uint64(0)
	for w := range anyPool(s).Slots() {
		if s.hidden != 0 {
			for live := w.Live; live != 0; live &= live - 1 {
				if i := bits.TrailingZeros64(live); s.word(k*64+uint64(i))&hidden != 0 {
					w.Live &^= 1 << i
				}
			}
		}
		words = append(words, w)
		k++
	}
	return words
}
