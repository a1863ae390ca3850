package berth

import (
	"iter"

	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/slots"
)

// Order is an order that the program gives to values of one [Pool], by their handles: least
// recently used, a queue that values can leave in the middle, a z-order, a list to undo. It is a
// doubly linked list beside the Pool. [NewOrder] makes one. The zero Order is like a closed one: it
// holds nothing, and values cannot enter it.
//
// When a value is removed from the Pool, by whatever means, it leaves the Order at once, before
// OnRemove is called. So an Order never has a handle of a removed value. A Pool may have any number
// of Orders, and a value may be in some of them.
//
// A slice of values with links does the same for a cache, without handles, if the cache's map
// always has the index of the live entry. An Order is for programs that also keep handles
// elsewhere: those of an entry that was evicted find nothing.
//
// # What happens to the Pool
//
// An Order takes 8 bytes for each slot of the Pool, up to the highest that was in it. That memory
// is cut when the Pool cuts its directory, and by [Pool.Clip]. [Pool.Clear] empties the Order, as
// do [Pool.CopyFrom], UnmarshalBinary and the other methods that replace the contents of the Pool.
// A [Pool.Clone] has no Orders. An Order is not saved: save the values in its order.
//
// A [History] does not record it. [History.Rewind] keeps the order of the values that stay live,
// and leaves out those that come back. It then takes O(1) for each 64 slots of the Pool, too.
//
// While a Pool has an Order, a removal takes about three times as long.
//
// # Loops
//
//  1. A loop visits each value that stays in its place exactly once, and none that leaves the Order
//     before its turn.
//  2. The body may remove or move the value of its turn, and all others. It does not visit a value
//     that moves to the front or the back, or enters there, unless it stays in its place by that.
//  3. A value that InsertBefore or InsertAfter put among those to come may be visited. If they are
//     more than Len was when the loop began, the loop may end before it has visited all: it makes
//     at most twice as many steps as Len was. So each loop ends, whatever its body does.
//  4. Loops may be nested. break, return, a panic and Goexit end a loop properly.
//
// A loop allocates nothing, except when more loops over the Order are nested than ever before.
//
// # Use by several goroutines
//
// An Order counts as a part of its Pool, and a loop over it as a change. An Order must not be
// copied.
type Order[T any] struct {
	_ nocopy.NoCopy

	// Invariants (checkInvariants):
	//  1. from the root on, each link leads to the next one and back, and n of them to the root
	//  2. the slots of these are live in the Pool
	//  3. all other links are zero, and there are none beyond the directory of the Pool
	//  4. the Pool has the Order in its list exactly until Close
	//  5. the places that a loop has yet to visit follow each other

	p    *Pool[T] // nil for the zero and the closed Order
	ring slots.Order
}

// NewOrder returns an empty Order of values of p. It panics if p is nil. p keeps the Order until it
// is closed.
//
// Cost: allocates the Order.
//
//berth:shares r0 of p
func NewOrder[T any](p *Pool[T]) *Order[T] {
	if p == nil {
		panic("berth: NewOrder: the Pool must not be nil")
	}
	o := &Order[T]{p: p}
	o.ring.Open(coreOf(p))
	return o
}

// Close empties o for good. The Pool forgets it, and is as fast as before once it has no Order and
// no [Column] left. A second Close does nothing.
//
// Cost: O(highest slot), as Clear.
func (o *Order[T]) Close() {
	o.ring.Close()
	o.p = nil
}

// Len returns the number of values in o.
//
// Cost: O(1).
func (o *Order[T]) Len() int { return o.ring.Len() }

// Contains reports whether the value of h is in o.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (o *Order[T]) Contains(h Handle[T]) bool { return o.ring.Contains(h.id) }

// Front returns the handle of the first value, or the zero Handle if o is empty.
//
// Cost: O(1); never allocates.
//
//berth:issues r0
func (o *Order[T]) Front() Handle[T] { return Handle[T]{id: o.ring.Front()} }

// Back returns the handle of the last value, or the zero Handle if o is empty.
//
// Cost: O(1); never allocates.
//
//berth:issues r0
func (o *Order[T]) Back() Handle[T] { return Handle[T]{id: o.ring.Back()} }

// Next returns the handle of the value after that of h. It returns the zero Handle if that is the
// last one, or not in o.
//
// Cost: O(1); never allocates.
//
//berth:asks h
//berth:issues r0
func (o *Order[T]) Next(h Handle[T]) Handle[T] { return Handle[T]{id: o.ring.Next(h.id)} }

// Prev returns the handle of the value before that of h. It returns the zero Handle if that is the
// first one, or not in o.
//
// Cost: O(1); never allocates.
//
//berth:asks h
//berth:issues r0
func (o *Order[T]) Prev(h Handle[T]) Handle[T] { return Handle[T]{id: o.ring.Prev(h.id)} }

// MoveToFront makes the value of h the first, whether or not it was in o, and returns a pointer to
// it. It returns nil, and changes nothing, if h is stale, zero or foreign, or if its value is still
// under construction by InsertFunc.
//
// Cost: O(1), and as [Pool.Ptr] if the value is the first already. It allocates when a slot beyond
// all others enters.
//
//berth:asks h
//berth:lends r0 by h
func (o *Order[T]) MoveToFront(h Handle[T]) *T { return (*T)(o.ring.ToFront(h.id)) }

// MoveToBack is like [Order.MoveToFront], for the last place.
//
// Cost: O(1); allocates as MoveToFront.
//
//berth:asks h
//berth:lends r0 by h
func (o *Order[T]) MoveToBack(h Handle[T]) *T { return (*T)(o.ring.ToBack(h.id)) }

// InsertBefore moves the value of h to the place before that of mark, whether or not it was in o.
// It reports false, and changes nothing, if h is not live or mark not in o. If both are the same
// value, it stays where it is.
//
// Cost: O(1); allocates as MoveToFront.
//
//berth:asks h
func (o *Order[T]) InsertBefore(h, mark Handle[T]) bool { return o.ring.Before(h.id, mark.id) }

// InsertAfter is like [Order.InsertBefore], for the place after that of mark.
//
// Cost: O(1); allocates as MoveToFront.
//
//berth:asks h
func (o *Order[T]) InsertAfter(h, mark Handle[T]) bool { return o.ring.After(h.id, mark.id) }

// Leave takes the value of h out of o, and leaves it in the Pool. It reports false if the value is
// not in o.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (o *Order[T]) Leave(h Handle[T]) bool { return o.ring.LeaveID(h.id) }

// PopFront removes the first value from o and from the Pool, and returns it. It reports false if o
// is empty.
//
// Cost: as [Pool.Remove].
//
// Ends: the handle of the value, and pointers to it.
//
//berth:ends some
func (o *Order[T]) PopFront() (v T, ok bool) {
	if h := o.Front(); !h.IsZero() {
		return o.p.Remove(h)
	}
	return v, false
}

// PopBack is like [Order.PopFront], for the last value.
//
// Cost: as [Pool.Remove].
//
// Ends: the handle of the value, and pointers to it.
//
//berth:ends some
func (o *Order[T]) PopBack() (v T, ok bool) {
	if h := o.Back(); !h.IsZero() {
		return o.p.Remove(h)
	}
	return v, false
}

// Recycle removes the last value from the Pool, and inserts another one in its slot, which becomes
// the first. It returns the new handle, and a pointer to the new value, which is a copy of the old
// one: read what you need, and overwrite it. If o is empty, Recycle returns the zero Handle and
// nil.
//
// It is a removal and an insert for everything else: the old handle is stale, the value loses its
// Vs in each [Column], leaves all other Orders, and is in no other afterwards, a [History] records
// both, and [Stats] counts both. OnRemove is called first, with the old handle and a copy; the slot
// is then under construction as in [Pool.InsertFunc]. After it comes OnInsert, with the new handle
// and what the pointer points to, the old contents. An OnInsert that reads them needs PopBack and
// Insert instead. If OnInsert removes the value, the handle is stale and the pointer nil.
//
// If the slot is used up, the new value gets the lowest vacant slot, as an insert does. If there is
// none, since Config.Memory refuses, Recycle returns the zero Handle and nil, and changes nothing.
// Limit does not matter, as the number of values is the same afterwards.
//
// Cost: O(1), and less than PopBack and Insert; allocates as an insert if the slot is used up.
//
// Ends: the handle of the last value, and pointers to it.
//
//berth:ends some
//berth:issues r0
//berth:lends r1 by r0
func (o *Order[T]) Recycle() (Handle[T], *T) {
	h, x := o.ring.Recycle()
	return Handle[T]{id: h}, (*T)(x)
}

// Clear takes all values out of o, and leaves them in the Pool. It keeps the memory.
//
// Cost: O(highest slot); never allocates.
func (o *Order[T]) Clear() { o.ring.Clear() }

// All returns an iterator over the values in o with their handles, from the first to the last. The
// loop may write through the pointers. See the rules of loops at [Order].
//
// Cost: O(Len); allocates nothing if inlined, see Loops at [Order].
//
//berth:issues y0
//berth:lends y1 by y0
func (o *Order[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) { walk(o, false, yield) }
}

// Backward is like [Order.All], from the last to the first.
//
// Cost: as All.
//
//berth:issues y0
//berth:lends y1 by y0
func (o *Order[T]) Backward() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) { walk(o, true, yield) }
}

// walk is a loop over o. It counts as running until it returns, also by a panic.
func walk[T any](o *Order[T], back bool, yield func(Handle[T], *T) bool) {
	at := o.ring.Begin(back)
	defer o.ring.End(at)
	for {
		h, x := o.ring.Step(at)
		if x == nil || !yield(Handle[T]{id: h}, (*T)(x)) {
			return
		}
	}
}
