package concurrent

import (
	"context"

	"github.com/seed505807e1/berth"
)

// Remove removes the value of h. From then on h finds nothing, for anybody. Remove reports false,
// and changes nothing, if h is stale, zero or foreign. If several goroutines remove a value, it is
// true for one of them. Remove never waits for leases: a leased value stays whole until the last
// one ends. Otherwise Remove calls Config.Drop, and vacates the slot.
// Cost: amortised O(1), and a lock of one shard, or with Drop two; as [berth.Pool.Remove] for the
// memory that it releases.
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h
//berth:ends by h
func (p *Pool[T]) Remove(h berth.Handle[T]) bool {
	if !p.made.Load() {
		return false
	}
	s := poolShardOf(p, h)
	shardLock(s)
	if s.used == 0 && p.limit == 0 && p.drop == nil && s.tally.held <= 2*minHeld {
		ok := s.pool.Delete(h)
		s.mu.Unlock()
		return ok
	}
	x := s.pool.Ptr(h)
	if x == nil || shardHides(s, h) {
		s.mu.Unlock()
		return false
	}
	idle := poolRemove(p, s, h)
	s.mu.Unlock()
	if idle {
		poolDropped(p, s, h, x)
	}
	return true
}

// poolRemove removes the live value of h. It reports whether the caller must unlock s and then call
// dropped.
func poolRemove[T any](p *Pool[T], s *shard[T], h berth.Handle[T]) bool {
	poolUnreserve(p)
	w := uint64(0)
	if s.used != 0 {
		w = shardWord(s, h)
	}
	if w == 0 && p.drop == nil {
		shardDelete(s, h)
		return false
	}
	shardSet(s, h, hidden|max(w, 1))
	shardChanged(s)
	return w == 0
}

// poolDropped calls Drop for the hidden value x of h, whose only lease is the caller's, and then
// vacates the slot.
func poolDropped[T any](p *Pool[T], s *shard[T], h berth.Handle[T], x *T) {
	defer func() {
		shardLock(s)
		shardVacate(s, h)
		s.mu.Unlock()
	}()
	p.drop(h, x)
}

// poolUnlease ends a lease of the value x of h. If it was the last lease of a hidden value, a Take
// gets the value, or it is dropped. poolUnlease reports false if there is no such value, or no
// lease.
func poolUnlease[T any](p *Pool[T], h berth.Handle[T], x *T) bool {
	s := poolShardOf(p, h)
	shardLock(s)
	last, ok := false, s.pool.Ptr(h) == x
	if ok {
		last, ok = shardUnlease(s, h)
	}
	if !last {
		s.mu.Unlock()
		return ok
	}
	waiting := s.waiters[h.Uint64()]
	if waiting == nil && p.drop != nil {
		s.mu.Unlock()
		poolDropped(p, s, h, x)
		return true
	}
	if waiting != nil {
		waiting.take()
		delete(s.waiters, h.Uint64())
	}
	shardVacate(s, h)
	s.mu.Unlock()
	if waiting != nil {
		close(waiting.done)
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
// Cost: as Remove; allocates only if it waits.
// Ends: h and every copy of it. Pointers stay valid until their leases end.
//
//berth:asks h of p
//berth:ends by h of p
//berth:must r1
func Take[T any](ctx context.Context, p *Pool[T], h berth.Handle[T]) (v T, err error) {
	if !p.made.Load() {
		return v, berth.ErrStale
	}
	s := poolShardOf(p, h)
	shardLock(s)
	x := s.pool.Ptr(h)
	if x == nil || shardHides(s, h) {
		s.mu.Unlock()
		return v, berth.ErrStale
	}
	poolUnreserve(p)
	if w := shardWord(s, h); w != 0 {
		shardSet(s, h, hidden|w)
		got := new(T)
		waiting := shardWait(s, h, func() { *got = *x })
		shardChanged(s)
		s.mu.Unlock()
		err := await(ctx, s, h, waiting)
		return *got, err
	}
	v = *x
	shardDelete(s, h)
	s.mu.Unlock()
	return v, nil
}

// await waits until w, the waiter for h, has its value, or ctx ends.
func await[T any](
	ctx context.Context, s *shard[T], h berth.Handle[T], w *waiter,
) error {
	if scheduled {
		pointWhen("take.wait", func() bool { return isDone(w.done) || ctx.Err() != nil })
	}
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
	}
	shardLock(s)
	waits := s.waiters[h.Uint64()] == w
	if waits {
		delete(s.waiters, h.Uint64())
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

// Clear removes every value that is live during the whole call, as [Pool.Remove] does. It may also
// remove values that are inserted meanwhile. Without Drop, a shard in which nothing is leased keeps
// its memory, as in [berth.Pool.Clear].
// Cost: O(Len). Without Drop, each shard is locked while it is cleared. With Drop, there are three
// locks for each value.
// Ends: the handles of the removed values. Pointers stay valid until their leases end.
//
//berth:ends emptied
func (p *Pool[T]) Clear() {
	if !p.made.Load() {
		return
	}
	for i := range p.shards {
		if s := &p.shards[i]; !poolClearIdle(p, s) {
			poolClearEach(p, s)
		}
	}
}

// poolClearIdle clears s if there is no Drop, and no value in s is leased or hidden.
func poolClearIdle[T any](p *Pool[T], s *shard[T]) bool {
	if p.drop != nil {
		return false
	}
	shardLock(s)
	defer s.mu.Unlock()
	if s.used != 0 {
		return false
	}
	if p.limit != 0 {
		p.count.Add(-int64(s.pool.Len()))
	}
	s.pool.Clear()
	return true
}

// poolClearEach removes the values of s one by one.
func poolClearEach[T any](p *Pool[T], s *shard[T]) {
	c := cursor{}
	for slot := shardNext(s, &c); slot >= 0; slot = shardNext(s, &c) {
		shardLock(s)
		h, x := shardAt(s, slot)
		idle := x != nil && poolRemove(p, s, h)
		s.mu.Unlock()
		if idle {
			poolDropped(p, s, h, x)
		}
	}
}
