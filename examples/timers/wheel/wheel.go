// Package wheel implements a hierarchical timing wheel whose timers live in a berth.Pool.
//
// A wheel has levels of 64 buckets. A bucket of level 0 is one tick, a bucket of level 1 is 64
// ticks, and so on. A timer waits in the level of the highest digit, in base 64, in which its due
// tick differs from the present one. When that digit of the present tick becomes equal, the timers
// of the bucket move to lower levels, so a timer moves at most once for each level.
//
// The timers of a bucket form a chain of handles. With a T that has no Go pointers, the garbage
// collector does not visit the timers at all.
//
// A Wheel has no clock: each call of [Wheel.Tick] is one tick. Like a map, a Wheel must not be used
// by several goroutines at the same time. [Timers] is for many goroutines, and calls functions.
//
// Source: G. Varghese and T. Lauck, Hashed and Hierarchical Timing Wheels, 1987; the choice of the
// level is that of the timer wheel of tokio.
package wheel

import (
	"math"
	"math/bits"

	"github.com/seed505807e1/berth"
)

const (
	slotBits = 6
	slots    = 1 << slotBits
	levels   = (64 + slotBits - 1) / slotBits
)

// Handle refers to a timer. Once the timer has fired or has been stopped, it finds nothing.
type Handle[T any] struct{ berth.Handle[timer[T]] }

type timer[T any] struct {
	due        uint64
	prev, next berth.Handle[timer[T]] // in the bucket
	data       T
}

// bucket is a chain of timers, in the order in which they were started.
type bucket[T any] struct{ first, last berth.Handle[timer[T]] }

// Wheel is a set of timers that carry values of type T. The zero Wheel is ready to use, at tick 0.
//
// Invariants:
//  1. a pending timer is in bucketOf(due)
//  2. outside Tick, each due tick lies after now, unless a call of fire panicked
type Wheel[T any] struct {
	timers  berth.Pool[timer[T]]
	now     uint64
	buckets [levels][slots]bucket[T]
}

// Now returns the number of ticks so far.
func (w *Wheel[T]) Now() uint64 { return w.now }

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return w.timers.Len() }

// Start starts a timer that fires after delay ticks, or after one if delay is 0.
// A timer due after tick 2^64-1 fires at that tick.
func (w *Wheel[T]) Start(delay uint64, data T) Handle[T] {
	h, t := w.timers.New()
	t.due = w.now + max(min(delay, math.MaxUint64-w.now), 1)
	t.data = data
	w.link(h, t)
	return Handle[T]{h}
}

// Stop removes a timer and returns its data. It reports false if the timer has fired or has been
// stopped already, even if another timer has its slot by now.
func (w *Wheel[T]) Stop(h Handle[T]) (data T, ok bool) {
	t, ok := w.timers.Remove(h.Handle)
	if !ok {
		return data, false
	}
	b := w.bucketOf(t.due)
	if prev := w.timers.Ptr(t.prev); prev != nil {
		prev.next = t.next
	} else {
		b.first = t.next
	}
	if next := w.timers.Ptr(t.next); next != nil {
		next.prev = t.prev
	} else {
		b.last = t.prev
	}
	return t.data, true
}

// DeleteFunc stops each timer for whose data del returns true. del must not use the wheel.
func (w *Wheel[T]) DeleteFunc(del func(T) bool) {
	for h, t := range w.timers.All() {
		if del(t.data) {
			w.Stop(Handle[T]{h})
		}
	}
}

// Tick advances the wheel by one tick, removes each timer that is due, and calls fire with its
// data. Timers that are due at the same tick fire in the order in which they were started.
//
// fire may start and stop timers. If it panics, the remaining timers of this tick fire at the
// beginning of the next call of Tick.
func (w *Wheel[T]) Tick(fire func(T)) {
	w.fireDue(fire)
	w.now++
	// A level begins a bucket when all lower digits of now are 0. Only on the highest such level
	// can that bucket have timers: on the levels below it is bucket 0, in which no timer waits.
	if level := bits.TrailingZeros64(w.now) / slotBits; level > 0 {
		b := &w.buckets[level][w.now>>(level*slotBits)%slots]
		h := b.first
		*b = bucket[T]{}
		for !h.IsZero() {
			t := w.timers.Ptr(h)
			next := t.next
			w.link(h, t)
			h = next
		}
	}
	w.fireDue(fire)
}

// fireDue fires the timers that are due now.
func (w *Wheel[T]) fireDue(fire func(T)) {
	for {
		data, ok := w.Stop(Handle[T]{w.buckets[0][w.now%slots].first})
		if !ok {
			return
		}
		fire(data)
	}
}

// bucketOf returns the bucket of the timers that are due at a tick.
func (w *Wheel[T]) bucketOf(due uint64) *bucket[T] {
	level := (bits.Len64((due^w.now)|1) - 1) / slotBits
	return &w.buckets[level][due>>(level*slotBits)%slots]
}

// link appends t to its bucket.
func (w *Wheel[T]) link(h berth.Handle[timer[T]], t *timer[T]) {
	b := w.bucketOf(t.due)
	t.prev, t.next = b.last, berth.Handle[timer[T]]{}
	if last := w.timers.Ptr(b.last); last != nil {
		last.next = h
	} else {
		b.first = h
	}
	b.last = h
}
