package concurrent

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/slots"
)

// CheckInvariants panics with the number of an invariant that p violates, if any. No other
// goroutine may use p.
func (p *Pool[T]) CheckInvariants() {
	live := 0
	for i := range p.core.shards {
		s := &p.core.shards[i]
		s.check()
		live += s.pool.N - int(s.hidden) + int(s.reserved)
	}
	if n := p.core.count.Load(); p.core.limit != 0 && n != int64(live) {
		fail(4, "%d live values, noted %d", live, n)
	}
}

// AgeForTest gives the first slots of p only the given number of lives. p must never have had an
// insert. It keeps its memory after that.
func (p *Pool[T]) AgeForTest(n, lives int) {
	p.core.ready((*slots.Block[T])(nil))
	var zero T
	for i := range p.core.shards {
		s := &p.core.shards[i]
		first := poolOf[T](s).Insert(zero)
		poolOf[T](s).Delete(first)
		base := uint32(first.Uint64()>>32) - 1
		for slot := range uint32(n / len(p.core.shards)) {
			gen := base - 2*uint32(lives) - 1
			h := berth.HandleFromUint64[T](uint64(gen)<<32 | uint64(s.salt+slot))
			if err := berth.InsertAt(poolOf[T](s), h, zero); err != nil {
				panic(err)
			}
			poolOf[T](s).Delete(h)
		}
	}
}

// SetLeasesForTest makes the value of h have n leases.
func (p *Pool[T]) SetLeasesForTest(h berth.Handle[T], n uint64) {
	p.core.shardOf(idOf(h.Uint64())).set(idOf(h.Uint64()), wordOf(idOf(h.Uint64()))|n)
}

// FillShardForTest inserts into the shard of h until it refuses, and returns the number of values.
func (p *Pool[T]) FillShardForTest(h berth.Handle[T]) (n int) {
	s := p.core.shardOf(idOf(h.Uint64()))
	var zero T
	for {
		if p.core.limit != 0 && !p.core.claim() {
			return n
		}
		s.lock()
		g := poolOf[T](s).Insert(zero)
		if p.core.isForeign(s, idOf(g.Uint64())) {
			p.core.exhausted(s, idOf(g.Uint64()))
			g = berth.Handle[T]{}
		} else if s.held != 0 {
			s.born(idOf(g.Uint64()))
		}
		s.mu.Unlock()
		if g.IsZero() {
			return n
		}
		n++
	}
}

// CopyForTest returns a copy of l, which no program may make.
func (l *Lease[T]) CopyForTest() *Lease[T] { return &Lease[T]{c: l.c, b: l.b, h: l.h} }

// poolOf returns the pool of s, whose values are of type T.
func poolOf[T any](s *shard) *berth.Pool[T] { return (*berth.Pool[T])(slots.Ref(&s.pool)) }
