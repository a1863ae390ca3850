package main

import "math/bits"

// pointerWheel is the wheel of package wheel with pointers in place of handles: a timer is a value
// on the heap, and the timers of a bucket are linked through it.
type pointerWheel[T any] struct {
	now     uint64
	n       int
	buckets [levels][slots]*pointerTimer[T]
}

type pointerTimer[T any] struct {
	due        uint64
	prev, next *pointerTimer[T] // a ring
	data       T
}

func newPointerWheel[T any]() *pointerWheel[T] { return new(pointerWheel[T]) }

func (w *pointerWheel[T]) Len() int { return w.n }

func (w *pointerWheel[T]) Start(delay uint64, data T) *pointerTimer[T] {
	t := &pointerTimer[T]{due: dueAfter(w.now, delay), data: data}
	w.link(t)
	w.n++
	return t
}

// Stop reports false if t has fired or has been stopped: such a timer is in no ring.
func (w *pointerWheel[T]) Stop(t *pointerTimer[T]) (data T, ok bool) {
	if t.next == nil {
		return data, false
	}
	b := w.bucketOf(t.due)
	if t.next == t {
		*b = nil
	} else {
		t.prev.next, t.next.prev = t.next, t.prev
		if *b == t {
			*b = t.next
		}
	}
	t.prev, t.next = nil, nil
	w.n--
	return t.data, true
}

func (w *pointerWheel[T]) Tick(fire func(T)) {
	w.now++
	if level := bits.TrailingZeros64(w.now) / slotBits; level > 0 {
		b := &w.buckets[level][w.now>>(level*slotBits)%slots]
		first := *b
		*b = nil
		for t := first; t != nil; {
			next := t.next
			w.link(t)
			if t = next; t == first {
				break
			}
		}
	}
	for b := &w.buckets[0][w.now%slots]; *b != nil; {
		data, _ := w.Stop(*b)
		fire(data)
	}
}

func (w *pointerWheel[T]) bucketOf(due uint64) **pointerTimer[T] {
	level := levelOf(due, w.now)
	return &w.buckets[level][due>>(level*slotBits)%slots]
}

// link puts t at the end of the ring of its bucket.
func (w *pointerWheel[T]) link(t *pointerTimer[T]) {
	b := w.bucketOf(t.due)
	if *b == nil {
		*b, t.prev, t.next = t, t, t
		return
	}
	first := *b
	t.prev, t.next = first.prev, first
	t.prev.next, first.prev = t, t
}
