package concurrent

import (
	"context"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/slots"
)

// Delete removes the value of h. From then on h finds nothing, for anybody. Delete reports false,
// and changes nothing, if h is stale, zero or foreign. If several goroutines delete a value, it is
// true for one of them. Delete never waits for leases: a leased value stays whole until the last
// one ends. Otherwise Delete calls Config.Drop, and vacates the slot. [Pool.Remove] also returns a
// copy, and [Take] waits for the leases and returns the value.
// Cost: amortised O(1), and a lock of one shard, or with Drop two; as [berth.Pool.Delete] for the
// memory that it releases.
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Delete(h berth.Handle[T]) bool {
	s, whole := p.core.remove(idOf(h))
	if s == nil {
		return whole
	}
	ok := poolOf[T](s).Delete(h)
	s.deleted()
	s.mu.Unlock()
	return ok
}

// Remove is [Pool.Delete], and returns a copy of the value. It does not wait for leases either: it
// reads the value without one, so a goroutine that writes to the value must not run at the same
// time, as with [Pool.Get]. The value itself ends as by Delete, Drop included. To own it, call
// [Take].
// Cost: as Delete, and the copy.
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h
//berth:ends by h
//berth:copies r0
func (p *Pool[T]) Remove(h berth.Handle[T]) (v T, ok bool) {
	s, b, slot := p.core.find(idOf(h))
	if s == nil {
		return v, false
	}
	x := valueOf[T](b, slot)
	v = *x
	p.core.end(s, idOf(h), slots.Ref(x))
	return v, true
}

// end removes the value x of the live h from s, which is locked, and unlocks it.
//
//go:noinline
func (c *core) end(s *shard, h slots.ID, x slots.Ref) {
	hid, idle := c.hide(s, h)
	if !hid {
		s.delete(h)
	}
	s.mu.Unlock()
	if idle {
		c.dropped(s, h, x)
	}
}

// remove removes the value of h, and reports whether h was live. But if a shard is returned, it is
// locked, and the caller must delete h there, if it is live, and unlock it.
//
//go:noinline
func (c *core) remove(h slots.ID) (s *shard, ok bool) {
	if !c.made.Load() {
		return nil, false
	}
	s = c.shardOf(h)
	s.lock()
	if s.used == 0 && c.limit == 0 && c.drop == nil {
		return s, false
	}
	x := s.pool.Ptr(h)
	if x == nil || s.hides(h) {
		s.mu.Unlock()
		return nil, false
	}
	c.end(s, h, x)
	return nil, true
}

// hide hides the value of the live h in s, and reports whether the caller must unlock s and then
// call dropped, since nobody has a lease. But if there is no lease and no drop, it hides nothing:
// the caller must delete h.
func (c *core) hide(s *shard, h slots.ID) (hid, idle bool) {
	c.unreserve()
	w := uint64(0)
	if s.used != 0 {
		w = s.word(h)
	}
	if w == 0 && c.drop == nil {
		return false, false
	}
	s.set(h, hidden|max(w, 1))
	s.changed()
	return true, w == 0
}

// Take removes the value of h, waits until its last lease has ended, and returns it. From the call
// on h finds nothing, for anybody. The caller owns the value: Config.Drop is not called. Take
// returns [berth.ErrStale], and changes nothing, if h is stale, zero or foreign.
//
// If ctx ends first, Take returns its error. The value is gone all the same, and Drop is called
// when its last lease ends. If nobody has a lease, Take does not look at ctx. A goroutine that
// holds a lease of the value waits for itself.
// Cost: as Delete; allocates only if it waits.
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h of p
//berth:ends by h of p
//berth:must r1
func Take[T any](ctx context.Context, p *Pool[T], h berth.Handle[T]) (v T, err error) {
	s, b, slot := p.core.find(idOf(h))
	if s == nil {
		return v, berth.ErrStale
	}
	p.core.unreserve()
	x := valueOf[T](b, slot)
	if s.word(idOf(h)) == 0 {
		v = *x
		s.delete(idOf(h))
		s.mu.Unlock()
		return v, nil
	}
	got := new(T)
	err = s.await(ctx, idOf(h), func() { *got = *x })
	return *got, err
}

// await removes the leased value of h, waits until its last lease has ended or ctx ends, and
// unlocks s. take is called with the value, if it is still there.
//
//go:noinline
func (s *shard) await(ctx context.Context, h slots.ID, take func()) error {
	s.set(h, hidden|s.word(h))
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
// remove values that are inserted meanwhile. Without Drop, a shard in which nothing is leased keeps
// its memory, as in [berth.Pool.Clear].
// Cost: O(Len). Without Drop, each shard is locked while it is cleared. With Drop, there are three
// locks for each value.
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
		if s := &c.shards[i]; !c.clearIdle(s) {
			c.clearEach(s)
		}
	}
}

// clearIdle clears s if there is no drop, and no value in s is leased or hidden.
func (c *core) clearIdle(s *shard) bool {
	if c.drop != nil {
		return false
	}
	s.lock()
	defer s.mu.Unlock()
	if s.used != 0 {
		return false
	}
	if c.limit != 0 {
		c.count.Add(-int64(s.pool.N))
	}
	s.pool.Clear()
	return true
}

// clearEach removes the values of s one by one.
func (c *core) clearEach(s *shard) {
	at := cursor{}
	for slot := s.next(&at); slot >= 0; slot = s.next(&at) {
		s.lock()
		h, x := s.at(slot)
		idle := false
		if x != nil {
			var hid bool
			if hid, idle = c.hide(s, h); !hid {
				s.delete(h)
			}
		}
		s.mu.Unlock()
		if idle {
			c.dropped(s, h, x)
		}
	}
}
