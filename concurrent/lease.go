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
	// A blank field would make the compiler compare two Leases by a function.
	noCopy nocopy.NoCopy //nolint:unused // see above

	c *core
	b *words // of the value's block; nil if l holds nothing
	h berth.Handle[T]
}

// Acquire takes a lease of the value of h. It reports false if h is stale, zero or foreign.
// Every lease must be released, or its value never ends. Acquire panics if the value has 2^31-2
// leases.
//
// Cost: amortised O(1); locks nothing. The first lease in a block of 64 slots locks its shard, and
// allocates 576 bytes, which stay as long as the block.
//
//berth:asks h
func (p *Pool[T]) Acquire(h berth.Handle[T]) (Lease[T], bool) {
	b := p.core.lease(idOf(h.Uint64()))
	if b == nil {
		return Lease[T]{}, false
	}
	return Lease[T]{c: &p.core, b: b, h: h}, true
}

// Use calls f with a pointer to the value of h, and holds a lease meanwhile. It reports false, and
// does not call f, if h is stale, zero or foreign. No lock is held while f runs, so it may use p in
// any way. It must not wait in [Take] for its own lease. The pointer is valid until f returns.
// The lease also ends if f panics or calls Goexit.
//
// Cost: [Pool.Acquire], [Lease.Release] and f.
//
//berth:asks h
func (p *Pool[T]) Use(h berth.Handle[T], f func(v *T)) bool {
	return p.core.use(h.Uint64(), untyped(f))
}

// Value returns a pointer to the value, which is valid until [Lease.Release]. It panics if l holds
// nothing.
//
// Cost: O(1); never allocates.
//
//berth:lends r0
func (l *Lease[T]) Value() *T {
	return (*T)(l.c.leased(l.h.Uint64(), l.b))
}

// Handle returns the handle of the value, also after [Lease.Release]. It is stale if the value has
// been removed since l was taken.
//
// Cost: O(1); never allocates.
func (l *Lease[T]) Handle() berth.Handle[T] { return l.h }

// Release ends the lease. If the value has been removed and this was its last lease, Release ends
// the value: it calls Config.Drop, and vacates the slot. Release panics if l holds nothing, so it
// must be called once.
//
// Cost: O(1); never allocates. The end of a value costs a lock, and what Drop does.
//
// Ends: the pointers that l has returned.
//
//berth:ends lent
func (l *Lease[T]) Release() {
	l.c.release(l.h.Uint64(), &l.b)
}

// untyped returns f for code that does not know T.
func untyped[T any](f func(*T)) func(slots.Ref) { return func(x slots.Ref) { f((*T)(x)) } }

// leased is Lease.Value.
//
//go:noinline
func (c *core) leased(u uint64, b *words) slots.Ref {
	h := idOf(u)
	if b == nil {
		panicReleased(h, "Value")
	}
	return c.value(h, b)
}

// release is Lease.Release.
//
//go:noinline
func (c *core) release(u uint64, leased **words) {
	h, b := idOf(u), *leased
	if b == nil {
		panicReleased(h, "Release")
	}
	*leased = nil
	c.unlease(h, b)
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
