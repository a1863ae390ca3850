package concurrent

import "github.com/seed505807e1/berth"

// CheckInvariants panics with the number of an invariant that p violates, if any. No other
// goroutine may use p.
func (p *Pool[T]) CheckInvariants() {
	live := 0
	for i := range p.shards {
		s := &p.shards[i]
		shardCheck(s)
		live += s.pool.Len() - int(s.hidden)
	}
	if n := p.count.Load(); p.limit != 0 && n != int64(live) {
		fail(4, "%d live values, noted %d", live, n)
	}
}

// AgeForTest gives the first slots of p only the given number of lives. p must never have had an
// insert. It keeps its memory after that.
func (p *Pool[T]) AgeForTest(slots, lives int) {
	if !p.made.Load() {
		poolMakeZero(p)
	}
	var zero T
	for i := range p.shards {
		s := &p.shards[i]
		first := s.pool.Insert(zero)
		s.pool.Delete(first)
		base := uint32(first.Uint64()>>32) - 1
		for slot := range uint32(slots / len(p.shards)) {
			gen := base - 2*uint32(lives) - 1
			h := berth.HandleFromUint64[T](uint64(gen)<<32 | uint64(s.salt+slot))
			if err := s.pool.InsertAt(h, zero); err != nil {
				panic(err)
			}
			s.pool.Delete(h)
		}
	}
}

// SetLeasesForTest makes the value of h have n leases.
func (p *Pool[T]) SetLeasesForTest(h berth.Handle[T], n uint64) {
	shardSet(poolShardOf(p, h), h, n)
}

// FillShardForTest inserts into the shard of h until it refuses, and returns the number of values.
func (p *Pool[T]) FillShardForTest(h berth.Handle[T]) (n int) {
	s := poolShardOf(p, h)
	var zero T
	for {
		if p.limit != 0 && !poolReserve(p) {
			return n
		}
		shardLock(s)
		g := s.pool.Insert(zero)
		if shardSlot(s, g)>>p.shift != 0 {
			g = poolExhausted(p, s, g)
		}
		s.mu.Unlock()
		if g.IsZero() {
			return n
		}
		n++
	}
}

// CopyForTest returns a copy of l, which no program may make.
func (l *Lease[T]) CopyForTest() *Lease[T] { return &Lease[T]{p: l.p, x: l.x, h: l.h} }
