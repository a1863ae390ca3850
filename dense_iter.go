package berth

import (
	"iter"

	"github.com/seed505807e1/berth/internal/slots"
)

// All returns an iterator over the live values in the order of the slice, with their handles. The
// loop may write through the pointers. See the rules of loops at [Dense].
//
// Cost: O(Len + Holes); allocates nothing if inlined, see Loops at [Pool].
//
//berth:issues y0
//berth:lends y1 by y0
func (d *Dense[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		moves, c := slots.DenseOf(&d.state).BeginLoop(), slots.Course{Era: d.state.Era}
	loop:
		for ; c.Next >= 0; slots.DenseOf(&d.state).Follow("Dense.All", &c, moves, 1) {
			for i, end := c.Next, len(d.vals); i < end && i < len(d.vals); i++ {
				h := d.state.Owner[i]
				if h.Gen&1 == 0 {
					continue
				}
				if !yield(Handle[T]{id: h}, &d.vals[i]) {
					break loop
				}
				if d.state.Moves != moves {
					c.Next = i
					continue loop
				}
			}
			break
		}
		slots.DenseOf(&d.state).EndLoop(moves)
	}
}

// Values is like [Dense.All], without the handles.
//
// Cost: as All, and less.
//
//berth:lends y0
func (d *Dense[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		moves, c := slots.DenseOf(&d.state).BeginLoop(), slots.Course{Era: d.state.Era}
	loop:
		for ; c.Next >= 0; slots.DenseOf(&d.state).Follow("Dense.Values", &c, moves, 1) {
			for i, end := c.Next, len(d.vals); i < end && i < len(d.vals); i++ {
				if d.state.Holes != 0 && d.state.Owner[i].Gen&1 == 0 {
					continue
				}
				if !yield(&d.vals[i]) {
					break loop
				}
				if d.state.Moves != moves {
					c.Next = i
					continue loop
				}
			}
			break
		}
		slots.DenseOf(&d.state).EndLoop(moves)
	}
}

// DenseBackward is like [Dense.All], from the last value to the first.
//
// Cost: as All.
//
//berth:issues y0 of d
//berth:lends y1 by y0 of d
func DenseBackward[T any](d *Dense[T]) iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		moves, c := slots.DenseOf(&d.state).BeginLoop(), slots.Course{Era: d.state.Era}
		c.Next = len(d.vals) - 1
	loop:
		for ; c.Next >= 0; slots.DenseOf(&d.state).Follow("DenseBackward", &c, moves, -1) {
			for i := c.Next; i >= 0; i-- {
				if i >= len(d.vals) || d.state.Owner[i].Gen&1 == 0 {
					continue
				}
				if !yield(Handle[T]{id: d.state.Owner[i]}, &d.vals[i]) {
					break loop
				}
				if d.state.Moves != moves {
					c.Next = i
					continue loop
				}
			}
			break
		}
		slots.DenseOf(&d.state).EndLoop(moves)
	}
}

// Spans returns an iterator over runs of live values without a hole between them, each with the
// handle of its first value. Without holes, all values are one run. See rule 7 of loops at [Dense].
// A span has no spare capacity, so appending to it copies it.
//
// Cost: O(1) without holes, else O(Len + Holes); allocates nothing if inlined.
//
//berth:issues y0
//berth:lends y1
func (d *Dense[T]) Spans() iter.Seq2[Handle[T], []T] { return denseSpans(d, slots.ID{}) }

// denseSpans is Spans without the value of pivot.
func denseSpans[T any](d *Dense[T], pivot slots.ID) iter.Seq2[Handle[T], []T] {
	return func(yield func(Handle[T], []T) bool) {
		if d == nil {
			return
		}
		r := slots.Runs{Pivot: pivot}
		for slots.DenseOf(&d.state).NextRun(&r) {
			if !yield(Handle[T]{id: r.ID}, d.vals[r.First:r.Last:r.Last]) {
				slots.DenseOf(&d.state).EndRuns(&r)
				return
			}
		}
	}
}

// Control is the result of the body of [Each]: LoopContinue, or LoopBreak, LoopRemove or
// both.
type Control uint8

const (
	// LoopBreak ends the loop.
	LoopBreak Control = 1 << iota
	// LoopRemove removes the value, if the body has not done so.
	LoopRemove
	// LoopContinue continues with the next value.
	LoopContinue Control = 0
)

// Each calls f for each live value of d in the order of the slice and acts on the [Control] that f
// returns. It returns the number of values it removed. The rules of loops at [Dense] hold.
//
// Cost: a loop over the live values, and [Dense.Delete] for each one removed; allocates nothing in
// any function. In contrast to the body of a range loop, f is not inlined.
//
// Ends: the handles of the removed values, and pointers to values.
//
//berth:ends all of d
func Each[T any](d *Dense[T], f func(Handle[T], *T) Control) (removed int) {
	moves, c := slots.DenseOf(&d.state).BeginLoop(), slots.Course{Era: d.state.Era}
	defer slots.DenseOf(&d.state).EndLoop(moves)
	for i, end := 0, len(d.vals); i < end && i < len(d.vals); i++ {
		h := d.state.Owner[i]
		if h.Gen&1 == 0 {
			continue
		}
		want := f(Handle[T]{id: h}, &d.vals[i])
		if want&LoopRemove != 0 {
			if d.Delete(Handle[T]{id: h}) {
				removed++
			}
		}
		if want&LoopBreak != 0 {
			break
		}
		if d.state.Moves != moves {
			c.Next = i
			if slots.DenseOf(&d.state).Follow("Each", &c, moves, 1); c.Next < 0 {
				break
			}
			i, end = c.Next-1, c.Next+1
		}
	}
	return removed
}

// RemoveFunc is like [Pool.RemoveFunc], in the order of the slice. The rules of loops at [Dense]
// hold.
//
// Cost: as Pool.RemoveFunc.
//
// Ends: the handles of the removed values, and pointers to values. If f panics, holes stay open
// until Clip, by rule 5 of loops at [Dense].
//
//berth:ends all
func (d *Dense[T]) RemoveFunc(f func(Handle[T], *T) bool) int {
	// This repeats the loop of All, since f would escape to the heap from a range over All.
	return callInt(func() (removed int) {
		moves, c := slots.DenseOf(&d.state).BeginLoop(), slots.Course{Era: d.state.Era}
	loop:
		for ; c.Next >= 0; slots.DenseOf(&d.state).Follow("Dense.RemoveFunc", &c, moves, 1) {
			for i, end := c.Next, len(d.vals); i < end && i < len(d.vals); i++ {
				h := Handle[T]{id: d.state.Owner[i]}
				if h.id.Gen&1 == 0 {
					continue
				}
				if f(h, &d.vals[i]) && d.Delete(h) {
					removed++
				}
				if d.state.Moves != moves {
					c.Next = i
					continue loop
				}
			}
			break
		}
		slots.DenseOf(&d.state).EndLoop(moves)
		return removed
	})
}

// DenseTraverse is [Traverse] for a [Dense]. It returns an iterator over the live values in the
// order of the slice, each with a view of all the others, for cross-iteration. The loop may change
// both sides through their pointers, and may remove any value, including the pivot, by the rules of
// loops at [Dense].
//
// Cost: as All; with a loop over the others inside, O(Len squared). It allocates nothing if
// inlined, and an object for each value in a very large function.
//
// Source: F. Saukko, StableList, University of Turku 2025, sections 2.3 and 4.4.
//
//berth:lends y0 by y0 of d
//berth:shares y1 of d
func DenseTraverse[T any](d *Dense[T]) iter.Seq2[Entry[T], DenseOthers[T]] {
	return func(yield func(Entry[T], DenseOthers[T]) bool) {
		for h, v := range d.All() {
			if !yield(Entry[T]{h, v}, DenseOthers[T]{d, h}) {
				return
			}
		}
	}
}

// DenseApply is [Apply] for a [Dense]. It calls f with the value of h and a view of all the others.
// It reports false, and does not call f, if h is stale, zero or foreign. It counts as a loop: loops
// in f move nothing, and the pointer is valid until f changes d.
//
// Cost: O(1) and f; never allocates.
func DenseApply[T any](d *Dense[T], h Handle[T], f func(*T, DenseOthers[T])) bool {
	if !d.Contains(h) {
		return false
	}
	// Otherwise the first loop in f would move the value.
	defer slots.DenseOf(&d.state).EndLoop(slots.DenseOf(&d.state).BeginLoop())
	f(d.Ptr(h), DenseOthers[T]{d, h})
	return true
}

// DensePairs is [Pairs] for a [Dense]. It returns an iterator over all unordered pairs of live
// values. It yields each pair once, with the value that comes first in the slice first. By the
// rules of loops at [Dense], a pair is visited once if both its values live throughout the loop,
// and never after either has been removed.
//
// Cost: O(Len squared), half the cost of DenseTraverse; allocates nothing if inlined.
//
//berth:lends y0 of d
//berth:lends y1 of d
func DensePairs[T any](d *Dense[T]) iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		moves, c := slots.DenseOf(&d.state).BeginLoop(), slots.Course{Era: d.state.Era, Next2: 1}
	loop:
		for ; c.Next >= 0; slots.DenseOf(&d.state).FollowPair(&c, moves) {
			k := c.Next2
			for i, end := c.Next, len(d.vals); i < end && i < len(d.vals); i, k = i+1, i+2 {
				h := d.state.Owner[i]
				if h.Gen&1 == 0 {
					continue
				}
				for ; k < end && k < len(d.vals) && d.state.Owner[i] == h; k++ {
					if d.state.Holes != 0 && d.state.Owner[k].Gen&1 == 0 {
						continue
					}
					if !yield(&d.vals[i], &d.vals[k]) {
						break loop
					}
					if d.state.Moves != moves {
						c.Next, c.Next2 = i, k
						continue loop
					}
				}
			}
			break
		}
		slots.DenseOf(&d.state).EndLoop(moves)
	}
}

// DenseOthers is a [View] of all values of a [Dense] except one, the pivot. It is like [Others],
// and the zero DenseOthers is empty.
type DenseOthers[T any] struct {
	d     *Dense[T]
	pivot Handle[T]
}

var (
	_ View[int] = (*Dense[int])(nil)
	_ View[int] = DenseOthers[int]{}
)

// Len returns the number of live values without the pivot.
//
// Cost: O(1).
func (o DenseOthers[T]) Len() int {
	switch {
	case o.d == nil:
		return 0
	case o.d.Contains(o.pivot):
		return o.d.Len() - 1
	}
	return o.d.Len()
}

// Ptr is like [Dense.Ptr], but returns nil for the pivot.
//
// Cost: O(1); never allocates.
//
//berth:asks h
//berth:lends r0 by h
func (o DenseOthers[T]) Ptr(h Handle[T]) *T {
	if o.d == nil || h == o.pivot {
		return nil
	}
	return o.d.Ptr(h)
}

// Get is like [Dense.Get], but reports false for the pivot.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
//berth:copies r0
func (o DenseOthers[T]) Get(h Handle[T]) (v T, ok bool) {
	if x := o.Ptr(h); x != nil {
		return *x, true
	}
	return v, false
}

// Contains is like [Dense.Contains], but reports false for the pivot.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (o DenseOthers[T]) Contains(h Handle[T]) bool { return o.Ptr(h) != nil }

// All is like [Dense.All], without the pivot.
//
// Cost: as Dense.All.
//
//berth:issues y0
//berth:lends y1 by y0
func (o DenseOthers[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		if o.d == nil {
			return
		}
		for h, v := range o.d.All() {
			if h != o.pivot && !yield(h, v) {
				return
			}
		}
	}
}

// Values is like [Dense.Values], without the pivot.
//
// Cost: as Dense.Values.
//
//berth:lends y0
func (o DenseOthers[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		d := o.d
		if d == nil {
			return
		}
		moves := slots.DenseOf(&d.state).BeginLoop()
		c := slots.Course{Era: d.state.Era, Pivot: o.pivot.id}
		skip := slots.DenseOf(&d.state).PlaceOf(o.pivot.id)
	loop:
		for ; c.Next >= 0; slots.DenseOf(&d.state).Follow("Dense.Values", &c, moves, 1) {
			for i, end := c.Next, len(d.vals); i < end && i < len(d.vals); i++ {
				if i == skip || d.state.Holes != 0 && d.state.Owner[i].Gen&1 == 0 {
					continue
				}
				if !yield(&d.vals[i]) {
					break loop
				}
				if d.state.Moves != moves {
					c.Next, skip = i, -1
					continue loop
				}
			}
			break
		}
		slots.DenseOf(&d.state).EndLoop(moves)
	}
}

// Spans is like [Dense.Spans], without the pivot. Without holes, there are at most two runs.
//
// Cost: as Dense.Spans.
//
//berth:issues y0
//berth:lends y1
func (o DenseOthers[T]) Spans() iter.Seq2[Handle[T], []T] { return denseSpans(o.d, o.pivot.id) }

// DenseInsertSeq inserts the values of seq in order, and returns how many. It stops when d is full,
// and takes no value from seq beyond Limit. If Memory refuses, the value just taken is lost. seq
// may use d in any way. A loop over d itself ends, by the rules of loops.
//
// Cost: Insert for each value, and a loop over seq, which allocates 3 small objects.
//
// Ends: as [Dense.Insert].
//
//berth:ends all of d
func DenseInsertSeq[T any](d *Dense[T], seq iter.Seq[T]) (n int) {
	d.state.Index.Core().Ready(0)
	if d.state.Index.N >= d.state.Index.Max {
		return 0
	}
	for v := range seq {
		if d.Insert(v).IsZero() {
			break
		}
		if n++; d.state.Index.N >= d.state.Index.Max {
			break
		}
	}
	return n
}
