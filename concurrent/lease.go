package concurrent

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/slots"
)

// Lease keeps a value of a [Pool] whole and in its place until [Lease.Release]. [Pool.Acquire]
// returns one. It belongs to one goroutine at a time, and must not be copied. The zero Lease holds
// nothing.
type Lease[T any] struct {
	_ nocopy.NoCopy
	c *core
	x *T // nil if l holds nothing
	h berth.Handle[T]
}

// Acquire takes a lease of the value of h. It reports false if h is stale, zero or foreign.
// Every lease must be released, or its value never ends.
// Cost: O(1), and a lock of one shard; never allocates.
//
//berth:asks h
func (p *Pool[T]) Acquire(h berth.Handle[T]) (Lease[T], bool) {
	b, slot := p.core.lease(idOf(h))
	if b == nil {
		return Lease[T]{}, false
	}
	return Lease[T]{c: &p.core, x: valueOf[T](b, slot), h: h}, true
}

// Use calls f with a pointer to the value of h, and holds a lease meanwhile. It reports false, and
// does not call f, if h is stale, zero or foreign. No lock is held while f runs, so it may use p in
// any way. It must not wait in [Take] for its own lease. The pointer is valid until f returns.
// The lease also ends if f panics or calls Goexit.
// Cost: [Pool.Acquire], [Lease.Release] and f; never allocates.
//
//berth:asks h
func (p *Pool[T]) Use(h berth.Handle[T], f func(v *T)) bool {
	l, ok := p.Acquire(h)
	if !ok {
		return false
	}
	defer l.Release()
	f(l.Value())
	return true
}

// Value returns a pointer to the value, which is valid until [Lease.Release]. It panics if l holds
// nothing.
// Cost: O(1); never allocates.
//
//berth:lends r0
func (l *Lease[T]) Value() *T {
	if l.x == nil {
		panicReleased(idOf(l.h), "Value")
	}
	return l.x
}

// Handle returns the handle of the value, also after [Lease.Release]. It is stale if the value has
// been removed since l was taken.
// Cost: O(1); never allocates.
func (l *Lease[T]) Handle() berth.Handle[T] { return l.h }

// Release ends the lease. If the value has been removed and this was its last lease, Release ends
// the value: it calls Config.Drop, and vacates the slot. Release panics if l holds nothing, so it
// must be called once.
// Cost: O(1); never allocates. The end of a value costs a lock, and what Drop does.
// Ends: the pointers that l has returned.
//
//berth:ends lent
func (l *Lease[T]) Release() {
	x := l.x
	if x == nil {
		panicReleased(idOf(l.h), "Release")
	}
	l.x = nil
	if !l.c.unlease(idOf(l.h), slots.Ref(x)) {
		panicCopied(idOf(l.h))
	}
}

// panicCopied panics in Release if the value has no lease left.
//
//go:noinline
func panicCopied(h slots.ID) {
	panic("concurrent: Lease.Release: the value has no lease left, so a Lease was copied" +
		" (handle " + slots.TextOf(h) + ")")
}

// panicReleased panics in a method of a Lease that holds nothing.
//
//go:noinline
func panicReleased(h slots.ID, method string) {
	panic("concurrent: Lease." + method + ": the Lease is released, or was never acquired" +
		" (handle " + slots.TextOf(h) + ")")
}
