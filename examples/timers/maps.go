package main

import (
	"math"
	"math/bits"
)

const (
	slotBits = 6
	slots    = 1 << slotBits
	levels   = (64 + slotBits - 1) / slotBits
)

// levelOf returns the level at which a timer due at a tick waits, at the tick now.
func levelOf(due, now uint64) int { return (bits.Len64((due^now)|1) - 1) / slotBits }

// dueAfter returns the tick at which a timer is due.
func dueAfter(now, delay uint64) uint64 { return now + max(min(delay, math.MaxUint64-now), 1) }

// mapWheel is the wheel of package wheel with maps in place of the pool: the timers of a bucket are
// in a map, and a second map leads from the number of a timer to its bucket.
type mapWheel[T any] struct {
	now     uint64
	last    uint64 // number of the timer started last
	buckets []map[uint64]*mapTimer[T]
	where   map[uint64]int
}

type mapTimer[T any] struct {
	due  uint64
	data T
}

func newMapWheel[T any]() *mapWheel[T] {
	return &mapWheel[T]{
		buckets: make([]map[uint64]*mapTimer[T], levels*slots),
		where:   make(map[uint64]int),
	}
}

func (w *mapWheel[T]) Len() int { return len(w.where) }

func (w *mapWheel[T]) Start(delay uint64, data T) (number uint64) {
	w.last++
	w.put(w.last, &mapTimer[T]{due: dueAfter(w.now, delay), data: data})
	return w.last
}

func (w *mapWheel[T]) Stop(number uint64) (data T, ok bool) {
	i, ok := w.where[number]
	if !ok {
		return data, false
	}
	data = w.buckets[i][number].data
	delete(w.buckets[i], number)
	delete(w.where, number)
	return data, true
}

func (w *mapWheel[T]) Tick(fire func(T)) {
	w.now++
	if level := bits.TrailingZeros64(w.now) / slotBits; level > 0 {
		i := level*slots + int(w.now>>(level*slotBits)%slots)
		moved := w.buckets[i]
		w.buckets[i] = nil // gives the memory of the map back
		for number, t := range moved {
			w.put(number, t)
		}
	}
	i := int(w.now % slots)
	for number, t := range w.buckets[i] {
		delete(w.buckets[i], number)
		delete(w.where, number)
		fire(t.data)
	}
	w.buckets[i] = nil
}

// put puts a timer into its bucket.
func (w *mapWheel[T]) put(number uint64, t *mapTimer[T]) {
	level := levelOf(t.due, w.now)
	i := level*slots + int(t.due>>(level*slotBits)%slots)
	if w.buckets[i] == nil {
		w.buckets[i] = make(map[uint64]*mapTimer[T])
	}
	w.buckets[i][number] = t
	w.where[number] = i
}
