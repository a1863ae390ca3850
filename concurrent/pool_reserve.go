package concurrent

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/slots"
)

// Reserve takes a vacant slot, and returns the handle that its value will have. Until [Fill] that
// handle finds nothing, for anybody, loops skip the slot, and Len does not count it, but Limit and
// Stats do. It stays so until Fill or [Cancel], also in Clear. Reserve returns the zero Handle if p
// is full.
//
// Cost: as Insert, and as [Pool.Acquire] for what it allocates.
//
//berth:issues r0 of p
func Reserve[T any](p *Pool[T]) berth.Handle[T] {
	return berth.HandleFromUint64[T](p.core.reserve((*slots.Block[T])(nil)))
}

// reserve is Reserve.
//
//go:noinline
func (c *core) reserve(block any) uint64 {
	s := c.open(block)
	if s == nil {
		return 0
	}
	h, _ := s.pool.New(block)
	return number(c.begin(s, h, true))
}

// Fill inserts v under h, which [Reserve] has issued: h is live from now on. Fill reports false,
// and changes nothing, if h is not reserved, as after the first Fill. Any goroutine may call it.
//
// Cost: O(1), and a lock of one shard; never allocates.
//
//berth:asks h of p
func Fill[T any](p *Pool[T], h berth.Handle[T], v T) bool {
	id := idOf(h.Uint64())
	s, b := p.core.reserved(id)
	if s == nil {
		return false
	}
	*(*T)(p.core.value(id, b)) = v
	s.show(id, b)
	s.mu.Unlock()
	return true
}

// Cancel gives up h, which [Reserve] has issued: it is stale from now on, and its slot vacant.
// Cancel reports false, and changes nothing, if h is not reserved.
//
// Cost: as [Pool.Delete].
//
// Ends: h and every copy of it.
//
//berth:asks h of p
//berth:ends by h of p
func Cancel[T any](p *Pool[T], h berth.Handle[T]) bool { return p.core.cancel(idOf(h.Uint64())) }

// reserved locks the shard of h, and returns it and the words of h's block, if h is reserved. From
// then on it is not. Otherwise reserved returns nils, and locks nothing.
//
//go:noinline
func (c *core) reserved(h slots.ID) (*shard, *words) {
	if !c.made.Load() {
		return nil, nil
	}
	s := c.shardOf(h)
	slot := s.slot(h)
	s.lock()
	if b := s.wordsOf(slot); b != nil && b.of[slot&63].Load() == wordOf(h)|kept {
		s.reserved--
		return s, b
	}
	s.mu.Unlock()
	return nil, nil
}

// cancel is Cancel.
//
//go:noinline
func (c *core) cancel(h slots.ID) bool {
	s, _ := c.reserved(h)
	if s == nil {
		return false
	}
	s.vacate(h)
	c.unclaim()
	s.mu.Unlock()
	return true
}
