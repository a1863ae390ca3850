package concurrent

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/slots"
)

// Pool is a slot map for many goroutines. Its methods may be called by any number of goroutines at
// once. It holds values in slots that never move, and issues a [berth.Handle] for each. The zero
// Pool is ready to use; [New] makes one with other settings. A Pool must not be copied.
//
// A Pool has several shards, each a [berth.Pool] behind a mutex. A handle's index names the shard.
// Inserts are spread over the shards. A shard's memory follows its live values as that of a
// berth.Pool does. A slot has 2^31 lives. Then it is retired. Leases are counted in a word beside
// the slot, without a lock.
//
// # Leases
//
// A lease keeps a value whole and in its place. [Pool.Acquire] takes one, [Pool.Use] takes one for
// a call, and [Pool.All] for each step. Removing a value under a lease makes its handle stale at
// once, also for the holder of the lease. The value ends when its last lease does: Drop is called,
// the slot is zeroed, and it can be used again. A value that is not leased ends in Delete.
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

	core core
}

// New returns a Pool configured by c. It panics if c has a negative size, an unknown Truncate, more
// than 4096 Shards, or a Capacity beyond 2^32 slots or 1 TiB. The panic names the rule and the
// value.
//
// Cost: allocates the shards, and c.Capacity slots, rounded up to chunks in each shard.
func New[T any](c Config[T]) *Pool[T] {
	z := sizesOf(&c)
	z.check(plain.SizeOf((*T)(nil)))
	p := new(Pool[T])
	if c.Drop != nil {
		p.core.drop = func(h slots.ID, v slots.Ref) {
			c.Drop(berth.HandleFromUint64[T](number(h)), (*T)(v))
		}
	}
	p.core.make((*slots.Block[T])(nil), z)
	return p
}

// Insert inserts v and returns its handle. It returns the zero Handle if p is full.
//
// Cost: O(1), and a lock of one shard; allocates a chunk when no slot in the shard's memory is
// vacant.
//
//berth:issues r0
func (p *Pool[T]) Insert(v T) berth.Handle[T] {
	s, h, x := p.core.insert((*slots.Block[T])(nil))
	if s != nil {
		*(*T)(x) = v
		s.inserted(h)
	}
	return berth.HandleFromUint64[T](number(h))
}

// TryInsert is like [Pool.Insert], but returns [berth.ErrFull] in place of the zero Handle. That is
// if p holds Limit values, or if all indices of the chosen shard are in use or retired: they are
// 2^32, divided by the number of shards.
//
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
//
// Cost: Insert, another lock, and f.
//
//berth:issues r0
func (p *Pool[T]) InsertFunc(f func(berth.Handle[T], *T)) berth.Handle[T] {
	build := func(h uint64, x slots.Ref) bool {
		f(berth.HandleFromUint64[T](h), (*T)(x))
		return true
	}
	return berth.HandleFromUint64[T](p.core.insertFunc((*slots.Block[T])(nil), build))
}

// InsertErr is [Pool.InsertFunc] for an f that can fail. If f returns an error, the slot is vacant
// again, Drop is not called, and InsertErr returns the zero Handle and that error. If p is full,
// the error is [berth.ErrFull].
//
// Cost: as InsertFunc.
//
//berth:issues r0 of p
//berth:must r1 of p
func InsertErr[T any](
	p *Pool[T], f func(berth.Handle[T], *T) error,
) (_ berth.Handle[T], err error) {
	h := p.core.insertFunc((*slots.Block[T])(nil), func(h uint64, x slots.Ref) bool {
		err = f(berth.HandleFromUint64[T](h), (*T)(x))
		return err == nil
	})
	if err == nil && h == 0 {
		err = berth.ErrFull
	}
	return berth.HandleFromUint64[T](h), err
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign. It reads
// the value without a lease, so a goroutine that writes to the value must not run at the same time:
// see Pointers at [Pool].
//
// Cost: O(1), the copy, and a lock of one shard; never allocates.
//
//berth:asks h
//berth:copies r0
func (p *Pool[T]) Get(h berth.Handle[T]) (v T, ok bool) {
	if s, x := p.core.find(idOf(h.Uint64())); s != nil {
		v, ok = *(*T)(x), true
		s.mu.Unlock()
	}
	return v, ok
}

// Contains reports whether h refers to a live value of p. Another goroutine may remove it before
// Contains returns.
//
// Cost: O(1), and a lock of one shard, unless values nearby were leased; never allocates.
//
//berth:asks h
func (p *Pool[T]) Contains(h berth.Handle[T]) bool { return p.core.contains(h.Uint64()) }

// Len returns the number of live values. It counts neither values that only leases keep nor values
// that are being built or to come.
//
// Cost: a lock of each shard; never allocates.
func (p *Pool[T]) Len() int { return p.core.len() }

// Stats returns the counts of all shards. Slots whose values are leased and removed, being built,
// or to come, are neither live nor vacant. A value is counted in Removes when its handle becomes
// stale.
//
// Cost: a lock of each shard; never allocates.
func (p *Pool[T]) Stats() (all berth.Stats) {
	p.core.stats(&all)
	return all
}

// String returns the type of the values, their number and the number of shards, as in
// "concurrent.Pool[int](3 in 8 shards)".
//
// Cost: as Len; allocates the string.
func (p *Pool[T]) String() string {
	return p.core.text((*slots.Block[T])(nil))
}
