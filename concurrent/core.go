package concurrent

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/origin"
	"github.com/seed505807e1/berth/internal/slots"
)

// core is a Pool without the type of its values, which it reaches by their addresses. So it is
// compiled once, and not for each type. Its methods take handles as they are in a slots.Core.
type core struct {
	// Invariants (those of shard, and, while no call runs):
	//  4. count is the number of live values and reserved handles, if there is a limit

	made   atomic.Bool // the fields up to drop are set, and will not change
	seeded bool        // inserts take the shards in turn
	shift  uint8       // an index, less salt, without its low bits is the number of a shard
	salt   uint32      // index of slot 0 of shard 0
	mask   uint32      // number of shards, less 1
	shards []shard
	size   uintptr // of a value
	limit  int64   // 0 is no limit
	drop   func(slots.ID, slots.Ref)

	mu    sync.Mutex   // held while the zero Pool is made ready
	count atomic.Int64 // live values, those being built and reserved, if there is a limit
	_     [128]byte
	turn  atomic.Uint32 // number of inserts, if seeded
	_     [128]byte
}

// make makes c, which has no more than drop, ready for values of block, a nil *slots.Block[T]. The
// caller holds mu, or nobody else has c.
//
//go:noinline
func (c *core) make(block any, z sizes) {
	seed := origin.Seed(z.seed)
	bits := z.bits()
	c.salt, c.shift = seed*origin.Golden, 32-bits
	c.seeded = z.seed != 0
	c.limit = int64(z.limit)
	c.shards = make([]shard, 1<<bits)
	c.mask = 1<<bits - 1
	k := slots.KindOf(block)
	c.size = k.Size
	for i := range c.shards {
		s := &c.shards[i]
		s.salt = c.salt + uint32(i)<<c.shift
		s.pool.Kind = k
		s.pool.Made(slots.Config{Seed: 1, Truncate: slots.ModeOf(uint8(z.truncate))})
		s.pool.SetOrigin(s.salt, seed*origin.Silver<<1)
		s.pool.GrowBy((z.capacity + len(c.shards) - 1) >> bits)
	}
	c.made.Store(true)
}

// ready makes the zero c ready for values of block.
func (c *core) ready(block any) {
	if !c.made.Load() {
		c.makeZero(block)
	}
}

// makeZero is ready for a c that is not made.
//
//go:noinline
func (c *core) makeZero(block any) {
	if scheduled {
		pointLock("make", &c.mu)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.made.Load() {
		c.make(block, sizes{})
	}
}

// shardOf returns the shard of h. c must be made.
func (c *core) shardOf(h slots.ID) *shard {
	return &c.shards[uint64(h.Index-c.salt)>>(c.shift&63)]
}

// isForeign reports whether h, which s has just issued, is zero or has the index of another shard.
func (c *core) isForeign(s *shard, h slots.ID) bool {
	return slots.IsZero(h) || s.slot(h)>>c.shift != 0
}

// find locks the shard of h, and returns it and the value. If h is not live, it returns nils, and
// locks nothing.
//
//go:noinline
func (c *core) find(h slots.ID) (*shard, slots.Ref) {
	if !c.made.Load() {
		return nil, nil
	}
	s := c.shardOf(h)
	s.lock()
	if x := s.pool.Ptr(h); x != nil && !s.hides(h) {
		return s, x
	}
	s.mu.Unlock()
	return nil, nil
}

// contains reports whether h is live. It locks nothing if the block has words.
//
//go:noinline
func (c *core) contains(u uint64) bool {
	if !c.made.Load() {
		return false
	}
	h := idOf(u)
	s := c.shardOf(h)
	if b := s.wordsOf(s.slot(h)); b != nil {
		return b.finds(h, s.slot(h))
	}
	if s, _ = c.find(h); s != nil {
		s.mu.Unlock()
	}
	return s != nil
}

// claim counts a value that will be inserted, in a c with a limit. It reports false if c is full.
func (c *core) claim() bool {
	for {
		point("claim.load")
		n := c.count.Load()
		if n >= c.limit {
			return false
		}
		point("claim.swap")
		if c.count.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// unclaim counts a value less.
func (c *core) unclaim() {
	if c.limit != 0 {
		c.count.Add(-1)
	}
}

// insert makes a zero value live for Insert, and returns its shard, which is locked. It returns a
// nil shard if there is no slot. The caller sets the value and calls inserted.
//
//go:noinline
func (c *core) insert(block any) (*shard, slots.ID, slots.Ref) {
	s := c.open(block)
	if s == nil {
		return nil, slots.ID{}, nil
	}
	h, x := s.pool.Open()
	if c.isForeign(s, h) {
		c.exhausted(s, h)
		s.mu.Unlock()
		return nil, slots.ID{}, nil
	}
	return s, h, x
}

// inserted lets everybody find h, whose value is set, and unlocks s.
func (s *shard) inserted(h slots.ID) {
	if s.held != 0 {
		s.born(h)
	}
	s.mu.Unlock()
}

// open locks a shard for an insert, and returns it. It returns nil if c is full.
func (c *core) open(block any) *shard {
	c.ready(block)
	if c.limit != 0 && !c.claim() {
		return nil
	}
	i := rand.Uint32()
	if c.seeded {
		i = c.turn.Add(1) - 1
	}
	if s := &c.shards[i&c.mask]; !scheduled && s.mu.TryLock() {
		return s
	}
	return c.openOther(i)
}

// openOther is open if shard i is locked. It passes a few more that are locked.
func (c *core) openOther(i uint32) *shard {
	s := &c.shards[i&c.mask]
	for range 3 {
		if scheduled {
			break
		}
		i++
		if s = &c.shards[i&c.mask]; s.mu.TryLock() {
			return s
		}
	}
	s.lock()
	return s
}

// exhausted removes the value of h, which was just inserted into s and is foreign.
func (c *core) exhausted(s *shard, h slots.ID) {
	if s.pool.Delete(h) {
		s.unborn++
	}
	c.unclaim()
}

// begin hides h, which was just issued by s, which is locked and gets unlocked. It returns the zero
// handle if h is foreign. reserved says who ends that: Fill and Cancel, or InsertFunc.
func (c *core) begin(s *shard, h slots.ID, reserved bool) slots.ID {
	switch {
	case c.isForeign(s, h):
		c.exhausted(s, h)
		h = slots.ID{}
	case reserved:
		s.reserved++
		s.unborn++
		s.hide(h, kept)
	default:
		s.unborn++
		s.hide(h, hidden)
	}
	s.changed()
	s.mu.Unlock()
	return h
}

// insertFunc is InsertFunc. If f reports false, there is no value, and the handle is zero.
//
//go:noinline
func (c *core) insertFunc(block any, f func(uint64, slots.Ref) bool) uint64 {
	s := c.open(block)
	if s == nil {
		return 0
	}
	h, x := s.pool.New(block)
	if h = c.begin(s, h, false); slots.IsZero(h) {
		return 0
	}
	built := false
	defer func() {
		s.lock()
		if built {
			s.show(h, s.wordsOf(s.slot(h)))
		} else {
			s.vacate(h)
			c.unclaim()
		}
		s.mu.Unlock()
	}()
	if built = f(number(h), x); !built {
		return 0
	}
	return number(h)
}

// lease takes a lease of the value of h, and returns the words of its block, or nil if h is not
// live. It locks nothing if the block has words.
//
//go:noinline
func (c *core) lease(h slots.ID) *words {
	if !c.made.Load() {
		return nil
	}
	s := c.shardOf(h)
	slot := s.slot(h)
	b := s.wordsOf(slot)
	if b == nil {
		if b = s.placed(slot); b == nil {
			return nil
		}
	}
	if !b.lease(h, slot) {
		return nil
	}
	return b
}

// use is Use.
//
//go:noinline
func (c *core) use(u uint64, f func(slots.Ref)) bool {
	h := idOf(u)
	b := c.lease(h)
	if b == nil {
		return false
	}
	defer c.unlease(h, b)
	f(c.value(h, b))
	return true
}

// value returns the value of h, whose block has words b.
func (c *core) value(h slots.ID, b *words) slots.Ref {
	return slots.ValueIn(b.block, h.Index-c.salt, c.size)
}

// unlease ends a lease of the value of h, whose block has words b. If it was the last lease of a
// hidden value, a Take gets the value, or it is dropped. unlease panics if there is no lease.
//
//go:noinline
func (c *core) unlease(h slots.ID, b *words) {
	last, ok := b.unlease(h, h.Index-c.salt)
	if last {
		c.ended(h)
	} else if !ok {
		panicCopied(h)
	}
}

// ended ends the hidden value of h, whose last lease has ended.
func (c *core) ended(h slots.ID) {
	s := c.shardOf(h)
	s.lock()
	waiting := s.waiters[h]
	if waiting == nil && c.drop != nil {
		x := s.pool.Ptr(h)
		s.mu.Unlock()
		c.dropped(s, h, x)
		return
	}
	if waiting != nil {
		waiting.take()
		delete(s.waiters, h)
	}
	s.vacate(h)
	s.mu.Unlock()
	if waiting != nil {
		close(waiting.done)
	}
}

// dropped calls drop for the hidden value x of h, which nobody has a lease of, and then vacates the
// slot.
func (c *core) dropped(s *shard, h slots.ID, x slots.Ref) {
	defer func() {
		s.lock()
		s.vacate(h)
		s.mu.Unlock()
	}()
	c.drop(h, x)
}

// text is String.
//
//go:noinline
func (c *core) text(block any) string {
	c.ready(block)
	t, n := slots.TypeOf(slots.KindOf(block)), c.len()
	return fmt.Sprintf("concurrent.Pool[%v](%d in %d shards)", t, n, len(c.shards))
}

// len is Len.
//
//go:noinline
func (c *core) len() (n int) {
	if !c.made.Load() {
		return 0
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.lock()
		n += s.pool.N - int(s.hidden)
		s.mu.Unlock()
	}
	return n
}

// stats is Stats.
//
//go:noinline
func (c *core) stats(all *berth.Stats) {
	all.Bytes = int(unsafe.Sizeof(*c))
	if !c.made.Load() {
		return
	}
	all.Limit = int(c.limit)
	const beside = int(unsafe.Sizeof(shard{}) - unsafe.Sizeof(slots.Core{}))
	for i := range c.shards {
		s := &c.shards[i]
		s.lock()
		one := anyPool(s).Stats()
		all.Live += one.Live - int(s.hidden)
		all.Vacant += one.Vacant
		all.Retired += one.Retired
		all.Reserved += int(s.reserved)
		all.Chunks += one.Chunks
		all.Bytes += one.Bytes + beside + s.wordBytes()
		all.Removes += one.Removes + uint64(s.hidden) - s.unborn
		all.Grown += one.Grown
		all.Truncated += one.Truncated
		s.mu.Unlock()
	}
	all.Inserts = all.Removes + uint64(all.Live)
}

// anyPool returns the pool of s for methods to which the type of its values does not matter.
func anyPool(s *shard) *berth.Pool[struct{}] { return (*berth.Pool[struct{}])(slots.Ref(&s.pool)) }

// idOf returns the handle of which u is the number.
func idOf(u uint64) slots.ID {
	return slots.ID{Index: uint32(u), Gen: uint32(u >> 32 & math.MaxUint32)}
}

// number returns h as berth.HandleFromUint64 takes it.
func number(h slots.ID) uint64 { return uint64(h.Gen)<<32 | uint64(h.Index) }
