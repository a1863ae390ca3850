package concurrent

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/inside"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/origin"
	"github.com/seed505807e1/berth/internal/plain"
)

// Pool is a slot map for many goroutines. Its methods may be called by any number of goroutines at
// once. It holds values in slots that never move, and issues a [berth.Handle] for each. The zero
// Pool is ready to use; [New] makes one with other settings. A Pool must not be copied.
//
// A Pool has several shards, each a [berth.Pool] behind a mutex. A handle's index names the shard.
// Inserts are spread over the shards. A shard's memory follows its live values as that of a
// berth.Pool does. A slot has 2^31 lives. Then it is retired.
//
// # Leases
//
// A lease keeps a value whole and in its place. [Pool.Acquire] takes one, [Pool.Use] takes one for
// a call, and [Pool.All] for each step. Removing a value under a lease makes its handle stale at
// once, also for the holder of the lease. The value ends when its last lease does: Drop is called,
// the slot is zeroed, and it can be used again. A value that is not leased ends in Remove.
//
// # Pointers
//
// A *T is valid until its lease ends. Go does not detect a write through a pointer kept longer: the
// write is lost, or it changes the slot's next value. The build tag berth_poison detects it, as it
// does for a berth.Pool.
//
// A lease does not lock the value. Goroutines that write to one value, or read it while another one
// writes, must use a lock or atomics inside of T.
//
// # Order
//
// Calls for one value take effect one after the other, each between its call and its return. Len,
// Stats, All, Drain and Clear look at one shard after the other, while others may be changed.
type Pool[T any] struct {
	_ nocopy.NoCopy

	// Invariants (those of shard, and, while no call runs):
	//  4. count is the number of live values, if there is a limit

	made   atomic.Bool // the fields up to drop are set, and will not change
	seeded bool        // inserts take the shards in turn
	shift  uint8       // an index, less salt, without its low bits is the number of a shard
	salt   uint32      // index of slot 0 of shard 0
	mask   uint32      // number of shards, less 1
	shards []shard[T]
	limit  int64 // 0 is no limit
	drop   func(berth.Handle[T], *T)

	mu    sync.Mutex   // held while the zero Pool is made ready
	count atomic.Int64 // live values and those being built, if there is a limit
	_     [128]byte
	turn  atomic.Uint32 // number of inserts, if seeded
	_     [128]byte
}

// New returns a Pool configured by c. It panics if c has a negative size, an unknown Truncate, more
// than 4096 Shards, or a Capacity beyond 2^32 slots or 1 TiB. The panic names the rule and the
// value.
// Cost: allocates the shards, and c.Capacity slots, rounded up to chunks in each shard.
func New[T any](c Config[T]) *Pool[T] {
	z := sizesOf(&c)
	z.check(plain.SizeOf((*T)(nil)))
	p := new(Pool[T])
	p.drop = c.Drop
	poolMake(p, z)
	return p
}

// poolMake makes p, which has no more than Drop, ready. The caller holds mu, or nobody else has p.
func poolMake[T any](p *Pool[T], c sizes) {
	seed := origin.Seed(c.seed)
	bits := c.bits()
	p.salt, p.shift = seed*origin.Golden, 32-bits
	p.seeded = c.seed != 0
	p.limit = int64(c.limit)
	p.shards = make([]shard[T], 1<<bits)
	p.mask = 1<<bits - 1
	like := berth.NewPool[T](berth.Config{Seed: 1, Truncate: c.truncate})
	for i := range p.shards {
		s := &p.shards[i]
		s.salt = p.salt + uint32(i)<<p.shift
		s.pool.CopyFrom(like)
		inside.SetOrigin(&s.pool, s.salt, seed*origin.Silver<<1)
		s.pool.Grow((c.capacity + len(p.shards) - 1) >> bits)
	}
	p.made.Store(true)
}

// poolMakeZero makes the zero p ready.
func poolMakeZero[T any](p *Pool[T]) {
	if scheduled {
		pointLock("make", &p.mu)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.made.Load() {
		poolMake(p, sizes{})
	}
}

// poolShardOf returns the shard of h. p must be made.
func poolShardOf[T any](p *Pool[T], h berth.Handle[T]) *shard[T] {
	return &p.shards[uint64(uint32(h.Uint64())-p.salt)>>(p.shift&63)]
}

// poolReserve counts a value that will be inserted, in a p with a limit. It reports false if p is
// full.
func poolReserve[T any](p *Pool[T]) bool {
	for {
		if scheduled {
			point("reserve.load")
		}
		n := p.count.Load()
		if n >= p.limit {
			return false
		}
		if scheduled {
			point("reserve.swap")
		}
		if p.count.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// poolUnreserve counts a value less.
func poolUnreserve[T any](p *Pool[T]) {
	if p.limit != 0 {
		p.count.Add(-1)
	}
}

// poolOpen locks a shard for an insert, and returns it. It returns nil if p is full.
func poolOpen[T any](p *Pool[T]) *shard[T] {
	if !p.made.Load() {
		poolMakeZero(p)
	}
	if p.limit != 0 && !poolReserve(p) {
		return nil
	}
	i := rand.Uint32()
	if p.seeded {
		i = p.turn.Add(1) - 1
	}
	if s := &p.shards[i&p.mask]; !scheduled && s.mu.TryLock() {
		return s
	}
	return poolOpenOther(p, i)
}

// poolOpenOther is poolOpen if shard i is locked. It passes a few more that are locked.
func poolOpenOther[T any](p *Pool[T], i uint32) *shard[T] {
	s := &p.shards[i&p.mask]
	for range 3 {
		if scheduled {
			break
		}
		i++
		if s = &p.shards[i&p.mask]; s.mu.TryLock() {
			return s
		}
	}
	shardLock(s)
	return s
}

// poolExhausted removes the value of h, which was just inserted into s, since h has the index of
// another shard or is zero. It returns the zero Handle.
func poolExhausted[T any](p *Pool[T], s *shard[T], h berth.Handle[T]) berth.Handle[T] {
	if s.pool.Delete(h) {
		s.unborn++
	}
	poolUnreserve(p)
	return berth.Handle[T]{}
}

// Insert inserts v and returns its handle. It returns the zero Handle if p is full.
// Cost: O(1), and a lock of one shard; allocates a chunk when no slot in the shard's memory is
// vacant.
//
//berth:issues r0
func (p *Pool[T]) Insert(v T) berth.Handle[T] {
	s := poolOpen(p)
	if s == nil {
		return berth.Handle[T]{}
	}
	h := s.pool.Insert(v)
	if h.IsZero() || shardSlot(s, h)>>p.shift != 0 {
		h = poolExhausted(p, s, h)
	}
	s.mu.Unlock()
	return h
}

// TryInsert is like [Pool.Insert], but returns [berth.ErrFull] in place of the zero Handle. That is
// if p holds Limit values, or if all indices of the chosen shard are in use or retired: they are
// 2^32, divided by the number of shards.
// Cost: as Insert.
//
//berth:issues r0
//berth:must r1
func (p *Pool[T]) TryInsert(v T) (berth.Handle[T], error) {
	if h := p.Insert(v); !h.IsZero() {
		return h, nil
	}
	return berth.Handle[T]{}, berth.ErrFull
}

// InsertFunc takes a vacant slot, lets f build the value in place, and returns its handle. f gets a
// pointer to a zero T and the handle that the value will have. Until f returns, that handle finds
// nothing, for anybody, and loops skip the slot. If p is full, InsertFunc does not call f, and
// returns the zero Handle.
//
// No lock is held while f runs, so it may use p in any way. If f panics or calls Goexit, the slot
// is vacant again, the handle stays stale, and Drop is not called.
// Cost: Insert, another lock, and f.
//
//berth:issues r0
func (p *Pool[T]) InsertFunc(f func(berth.Handle[T], *T)) berth.Handle[T] {
	s := poolOpen(p)
	if s == nil {
		return berth.Handle[T]{}
	}
	h, x := s.pool.New()
	if h.IsZero() || shardSlot(s, h)>>p.shift != 0 {
		h = poolExhausted(p, s, h)
		s.mu.Unlock()
		return h
	}
	shardSet(s, h, hidden|1)
	s.unborn++
	s.mu.Unlock()
	built := false
	defer func() {
		shardLock(s)
		if built {
			shardSet(s, h, 0)
			s.unborn--
			shardChanged(s)
		} else {
			shardVacate(s, h)
		}
		s.mu.Unlock()
		if !built {
			poolUnreserve(p)
		}
	}()
	f(h, x)
	built = true
	return h
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign. It reads
// the value without a lease, so a goroutine that writes to the value must not run at the same time:
// see Pointers at [Pool].
// Cost: O(1), the copy, and a lock of one shard; never allocates.
//
//berth:asks h
//berth:copies r0
func (p *Pool[T]) Get(h berth.Handle[T]) (v T, ok bool) {
	if !p.made.Load() {
		return v, false
	}
	s := poolShardOf(p, h)
	shardLock(s)
	if x := s.pool.Ptr(h); x != nil && !shardHides(s, h) {
		v, ok = *x, true
	}
	s.mu.Unlock()
	return v, ok
}

// Contains reports whether h refers to a live value of p. Another goroutine may remove it before
// Contains returns.
// Cost: O(1), and a lock of one shard; never allocates.
//
//berth:asks h
func (p *Pool[T]) Contains(h berth.Handle[T]) bool {
	if !p.made.Load() {
		return false
	}
	s := poolShardOf(p, h)
	shardLock(s)
	ok := s.pool.Contains(h) && !shardHides(s, h)
	s.mu.Unlock()
	return ok
}

// Len returns the number of live values. It counts neither values that only leases keep nor values
// that InsertFunc is building.
// Cost: a lock of each shard; never allocates.
func (p *Pool[T]) Len() (n int) {
	if !p.made.Load() {
		return 0
	}
	for i := range p.shards {
		s := &p.shards[i]
		shardLock(s)
		n += s.pool.Len() - int(s.hidden)
		s.mu.Unlock()
	}
	return n
}

// Stats returns the counts of all shards. Slots whose values are leased and removed, or are being
// built, are neither live nor vacant. A value is counted in Removes when its handle becomes stale.
// Cost: a lock of each shard; never allocates.
func (p *Pool[T]) Stats() berth.Stats {
	all := berth.Stats{Bytes: int(plain.SizeOf((*Pool[T])(nil)))}
	if !p.made.Load() {
		return all
	}
	all.Limit = int(p.limit)
	beside := int(plain.SizeOf((*shard[T])(nil)) - plain.SizeOf((*berth.Pool[T])(nil)))
	for i := range p.shards {
		s := &p.shards[i]
		shardLock(s)
		one := s.pool.Stats()
		addStats(&all, &one, s.hidden, s.unborn, beside+s.tally.bytes())
		s.mu.Unlock()
	}
	return all
}

// addStats adds to all the counts of a shard: one is those of its pool, and bytes is its memory
// beside that.
func addStats(all, one *berth.Stats, hidden int32, unborn uint64, bytes int) {
	all.Live += one.Live - int(hidden)
	all.Vacant += one.Vacant
	all.Retired += one.Retired
	all.Chunks += one.Chunks
	all.Bytes += one.Bytes + bytes
	all.Removes += one.Removes + uint64(hidden) - unborn
	all.Grown += one.Grown
	all.Truncated += one.Truncated
	all.Inserts = all.Removes + uint64(all.Live)
}

// String returns the type of the values, their number and the number of shards, as in
// "concurrent.Pool[int](3 in 8 shards)".
// Cost: as Len; allocates the string.
func (p *Pool[T]) String() string {
	if !p.made.Load() {
		poolMakeZero(p)
	}
	return textOf((*T)(nil), p.Len(), len(p.shards))
}

// textOf returns the String of a pool of n of the values that v, a pointer, points to.
//
//go:noinline
func textOf(v any, n, shards int) string {
	return fmt.Sprintf("concurrent.Pool[%v](%d in %d shards)", plain.NameOf(v), n, shards)
}
