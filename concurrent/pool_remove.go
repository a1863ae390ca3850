package concurrent

import (
	"context"
	"math/bits"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/slots"
)

// Delete removes the value of h. From then on h finds nothing, for anybody. Delete reports false,
// and changes nothing, if h is stale, zero or foreign. If several goroutines delete a value, it is
// true for one of them. Delete never waits for leases: a leased value stays whole until the last
// one ends. Otherwise Delete calls Config.Drop, and vacates the slot. [Pool.Remove] also returns a
// copy, and [Take] waits for the leases and returns the value.
//
// Cost: amortised O(1), and a lock of one shard, or with Drop two; as [berth.Pool.Delete] for the
// memory that it releases.
//
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Delete(h berth.Handle[T]) bool { return p.core.remove(h.Uint64()) }

// Remove is [Pool.Delete], and returns a copy of the value. It does not wait for leases either: it
// reads the value without one, so a goroutine that writes to the value must not run at the same
// time, as with [Pool.Get]. The value itself ends as by Delete, Drop included. To own it, call
// [Take].
//
// Cost: as Delete, and the copy.
//
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h
//berth:ends by h
//berth:copies r0
func (p *Pool[T]) Remove(h berth.Handle[T]) (v T, ok bool) {
	id := idOf(h.Uint64())
	s, x := p.core.find(id)
	if s == nil {
		return v, false
	}
	v = *(*T)(x)
	p.core.end(s, id, x)
	return v, true
}

// end removes the value x of the live h from s, which is locked, and unlocks it.
//
//go:noinline
func (c *core) end(s *shard, h slots.ID, x slots.Ref) {
	leased := c.close(s, h)
	s.mu.Unlock()
	if !leased && c.drop != nil {
		c.dropped(s, h, x)
	}
}

// close removes the value of the live h from s, and reports whether it has a lease. If it has none,
// and there is a drop, the caller must unlock s and then call dropped.
func (c *core) close(s *shard, h slots.ID) (leased bool) {
	c.unclaim()
	if leased = s.end(h, c.drop != nil); !leased && c.drop == nil {
		s.delete(h)
	}
	s.changed()
	return leased
}

// remove is Delete.
//
//go:noinline
func (c *core) remove(u uint64) bool {
	if !c.made.Load() {
		return false
	}
	h := idOf(u)
	s := c.shardOf(h)
	s.lock()
	switch x := s.pool.Ptr(h); {
	case x == nil || s.hides(h):
		s.mu.Unlock()
		return false
	case s.held == 0 && c.limit == 0 && c.drop == nil:
		s.delete(h)
		s.mu.Unlock()
	default:
		c.end(s, h, x)
	}
	return true
}

// Take removes the value of h, waits until its last lease has ended, and returns it. From the call
// on h finds nothing, for anybody. The caller owns the value: Config.Drop is not called. Take
// returns [berth.ErrStale], and changes nothing, if h is stale, zero or foreign.
//
// If ctx ends first, Take returns its error. The value is gone all the same, and Drop is called
// when its last lease ends. If nobody has a lease, Take does not look at ctx. A goroutine that
// holds a lease of the value waits for itself.
//
// Cost: as Delete; allocates only if it waits.
//
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h of p
//berth:ends by h of p
//berth:must r1
func Take[T any](ctx context.Context, p *Pool[T], h berth.Handle[T]) (v T, err error) {
	id := idOf(h.Uint64())
	s, x := p.core.find(id)
	if s == nil {
		return v, berth.ErrStale
	}
	p.core.unclaim()
	if !s.end(id, false) {
		v = *(*T)(x)
		s.delete(id)
		s.mu.Unlock()
		return v, nil
	}
	got := new(T)
	err = s.await(ctx, id, func() { *got = *(*T)(x) })
	return *got, err
}

// await waits until the last lease of the hidden value of h has ended or ctx ends, and unlocks s.
// take is called with the value, if it is still there.
//
//go:noinline
func (s *shard) await(ctx context.Context, h slots.ID, take func()) error {
	w := &waiter{take, make(chan struct{})}
	if s.waiters == nil {
		s.waiters = map[slots.ID]*waiter{}
	}
	s.waiters[h] = w
	s.changed()
	s.mu.Unlock()
	if scheduled {
		pointWhen("take.wait", func() bool { return isDone(w.done) || ctx.Err() != nil })
	}
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
	}
	s.lock()
	waits := s.waiters[h] == w
	if waits {
		delete(s.waiters, h)
	}
	s.mu.Unlock()
	if waits {
		return ctx.Err()
	}
	if scheduled {
		pointWhen("take.late", func() bool { return isDone(w.done) })
	}
	<-w.done // the value was on its way
	return nil
}

// Clear removes every value that is live during the whole call, as [Pool.Delete] does. It may also
// remove values that are inserted meanwhile. Without Drop, a shard in which nothing is leased or
// reserved keeps its memory, as in [berth.Pool.Clear].
//
// Cost: O(Len). Without Drop, each shard is locked while it is cleared. With Drop, there are three
// locks for each value.
//
// Ends: the handles of the removed values. Pointers stay valid until their leases end.
//
//berth:ends emptied
func (p *Pool[T]) Clear() { p.core.clear() }

// clear is Clear.
//
//go:noinline
func (c *core) clear() {
	if !c.made.Load() {
		return
	}
	for i := range c.shards {
		if c.drop == nil {
			c.clearShard(&c.shards[i])
		} else {
			c.clearEach(&c.shards[i])
		}
	}
}

// clearShard removes the values of s, in a c without drop. If nothing is leased or hidden, s keeps
// its memory.
func (c *core) clearShard(s *shard) {
	s.lock()
	defer s.mu.Unlock()
	if c.limit != 0 {
		c.count.Add(int64(s.hidden) - int64(s.pool.N))
	}
	if s.held != 0 {
		s.each(func(h slots.ID) { s.end(h, false) })
	}
	if s.hidden == 0 {
		s.pool.Clear()
	} else {
		s.each(func(h slots.ID) { s.pool.Remove(h) })
	}
	s.deleted()
}

// each calls f, which may delete the value, for each value of s that is not hidden.
func (s *shard) each(f func(h slots.ID)) {
	for k, live, _ := s.pool.NextBlock(0); k >= 0; k, live, _ = s.pool.NextBlock(k + 1) {
		for ; live != 0; live &= live - 1 {
			if h, x := s.at(k<<6 + bits.TrailingZeros64(live)); x != nil {
				f(h)
			}
		}
	}
}

// clearEach removes the values of s one by one, in a c with drop.
func (c *core) clearEach(s *shard) {
	at := cursor{}
	for slot := s.next(&at); slot >= 0; slot = s.next(&at) {
		s.lock()
		h, x := s.at(slot)
		if x == nil {
			s.mu.Unlock()
			continue
		}
		c.end(s, h, x)
	}
}
