package berth

import (
	"iter"

	"github.com/seed505807e1/berth/internal/poison"
)

// The loops below walk the places and skip the holes. beginLoop counts a loop as running, so that
// no value moves during it, and endLoop ends that. There is no defer between them, because a
// function with one is not inlined, and its loop is three to five times slower. So a panic in a
// loop leaves the count too high, and holes open until Clip. When values have moved, a loop cannot
// continue unless Clip has moved them: see follow. When all values have been removed since it
// began, it ends. Values and Others.Values do not share a loop either: a test for the pivot at each
// step slows Values from 0.6 to 1.0 ns.

// movedInLoop is the end of a loop's panic, after the loop's name.
const movedInLoop = ": Slice, Defrag or Sort has moved values inside the loop"

// era is the time between two calls of Clip that found loops counted as running. Clip cannot know
// whether these run or have been ended by a panic. So it leaves them the handles in their order,
// with which they can continue without the Dense. Only loops of that era refer to it, so it is
// collected when they are, however they ended.
type era struct {
	owner []id   // at the end of the era
	moves uint64 // Dense.moves at the end of the era
}

// course is the state of a loop after a step in which Dense.moves has changed: see follow. The
// inner loops, which do the work, have no calls and none of these variables, so they compile to the
// same code as without.
type course struct {
	era   *era // the era in which the loop began
	next  int  // place of the current value, then of the next one; -1 if there is none
	at    int  // 1 + the current value's place in era.owner; 0 before the end of era
	with  int  // the same for the second value of a pair; next2 is its place
	next2 int
	pivot id // value to skip
}

// beginLoop begins a loop. The outermost loop closes the holes, if the mode allows it. It returns
// the argument of endLoop.
func (d *dense) beginLoop() (moves uint64) {
	if d.holes != 0 {
		d.tidy()
	}
	d.loops++
	return d.moves
}

// tidy closes the holes if no loop is counted and the mode allows it.
//
//go:noinline
func (d *dense) tidy() {
	if d.loops == 0 && d.defrag != DefragManual {
		d.defragment()
	}
}

// endLoop ends a loop.
func (d *dense) endLoop(moves uint64) {
	if d.moves == moves && d.loops > 0 {
		d.loops--
	}
	if d.holes != 0 && d.loops == 0 && d.defrag == DefragImmediate {
		d.defragment()
	}
}

// follow is called after a step of a loop at place c.next in which Dense.moves has changed, and
// sets c.next. Since Dense.moves does not change back, it is called after each later step. by is 1
// for loops towards higher places, and -1 for others.
//
//go:noinline
func (d *dense) follow(fn string, c *course, moves uint64, by int) {
	i := c.next
	if c.next = -1; !d.endures(fn, c.era, moves) {
		return
	}
	if c.at == 0 {
		c.at = i + 1
	}
	last := len(c.era.owner) // the current value may have been cut off beyond it
	for k := min(c.at-1, last) + by; uint(k) < uint(last); k += by {
		if h := c.era.owner[k]; h != c.pivot {
			if i := d.index.place(h); i != nil {
				c.next, c.at = int(*i), k+1
				return
			}
		}
	}
}

// followPair is follow for Pairs, at places c.next and c.next2.
//
//go:noinline
func (d *dense) followPair(c *course, moves uint64) {
	i := c.next
	if c.next = -1; !d.endures("DensePairs", c.era, moves) {
		return
	}
	if c.at == 0 {
		c.at, c.with = i+1, c.next2+1
	}
	for owner := c.era.owner; c.at <= len(owner); c.at, c.with = c.at+1, c.at+1 {
		i := d.index.place(owner[c.at-1])
		for i != nil && c.with < len(owner) {
			k := d.index.place(owner[c.with])
			if c.with++; k != nil {
				c.next, c.next2 = int(*i), int(*k)
				return
			}
		}
	}
}

// endures reports whether a loop of era e can continue after Dense.moves has changed. It can only
// by the handles that Clip has left, which find each value wherever it moves. So the loop is no
// longer counted, and holes are closed before its next value is yielded. Otherwise that value would
// move when the next loop begins.
func (d *dense) endures(fn string, e *era, moves uint64) bool {
	if e.owner == nil || e.moves != moves {
		if d.emptied > moves {
			return false
		}
		panic("berth: " + fn + movedInLoop)
	}
	d.tidy()
	return true
}

// All returns an iterator over the live values in the order of the slice, with their handles. The
// loop may write through the pointers. See the rules of loops at [Dense].
// Cost: O(Len + Holes); allocates nothing if inlined, see Loops at [Pool].
//
//berth:issues y0
//berth:lends y1 by y0
func (d *Dense[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		moves, c := lookDense(d).beginLoop(), course{era: d.era}
	loop:
		for ; c.next >= 0; lookDense(d).follow("Dense.All", &c, moves, 1) {
			for i, end := c.next, len(d.vals); i < end && i < len(d.vals); i++ {
				h := d.owner[i]
				if h.gen&1 == 0 {
					continue
				}
				if !yield(Handle[T]{id: h}, &d.vals[i]) {
					break loop
				}
				if d.moves != moves {
					c.next = i
					continue loop
				}
			}
			break
		}
		lookDense(d).endLoop(moves)
	}
}

// Values is like [Dense.All], without the handles.
// Cost: as All, and less.
//
//berth:lends y0
func (d *Dense[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		moves, c := lookDense(d).beginLoop(), course{era: d.era}
	loop:
		for ; c.next >= 0; lookDense(d).follow("Dense.Values", &c, moves, 1) {
			for i, end := c.next, len(d.vals); i < end && i < len(d.vals); i++ {
				if d.holes != 0 && d.owner[i].gen&1 == 0 {
					continue
				}
				if !yield(&d.vals[i]) {
					break loop
				}
				if d.moves != moves {
					c.next = i
					continue loop
				}
			}
			break
		}
		lookDense(d).endLoop(moves)
	}
}

// DenseBackward is like [Dense.All], from the last value to the first.
// Cost: as All.
//
//berth:issues y0 of d
//berth:lends y1 by y0 of d
func DenseBackward[T any](d *Dense[T]) iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		moves, c := lookDense(d).beginLoop(), course{era: d.era}
		c.next = len(d.vals) - 1
	loop:
		for ; c.next >= 0; lookDense(d).follow("DenseBackward", &c, moves, -1) {
			for i := c.next; i >= 0; i-- {
				if i >= len(d.vals) || d.owner[i].gen&1 == 0 {
					continue
				}
				if !yield(Handle[T]{id: d.owner[i]}, &d.vals[i]) {
					break loop
				}
				if d.moves != moves {
					c.next = i
					continue loop
				}
			}
			break
		}
		lookDense(d).endLoop(moves)
	}
}

// Spans returns an iterator over runs of live values without a hole between them, each with the
// handle of its first value. Without holes, all values are one run. See rule 7 of loops at [Dense].
// A span has no spare capacity, so appending to it copies it.
// Cost: O(1) without holes, else O(Len + Holes); allocates nothing if inlined.
//
//berth:issues y0
//berth:lends y1
func (d *Dense[T]) Spans() iter.Seq2[Handle[T], []T] { return denseSpans(d, id{}) }

// denseSpans is Spans without the value of pivot.
func denseSpans[T any](d *Dense[T], pivot id) iter.Seq2[Handle[T], []T] {
	return func(yield func(Handle[T], []T) bool) {
		if d == nil {
			return
		}
		if poison.On {
			lookDense(d).lateness().spans++
		}
		moves, c := lookDense(d).beginLoop(), course{era: d.era, pivot: pivot}
		for i, end, skip := 0, len(d.vals), lookDense(d).placeOf(pivot); ; {
			first, last := lookDense(d).run(i, min(end, len(d.vals)), skip)
			if first == last || !yield(Handle[T]{id: d.owner[first]}, d.vals[first:last:last]) {
				break
			}
			if i = last; d.moves != moves {
				c.next = last - 1
				if lookDense(d).follow("Dense.Spans", &c, moves, 1); c.next < 0 {
					break
				}
				i, end, skip = c.next, c.next+1, -1 // from now on one by one
			}
		}
		if poison.On {
			d.late.spans--
		}
		lookDense(d).endLoop(moves)
	}
}

// run returns the next run of live values from place i to end, without place skip. It is empty if
// there is none.
//
//go:noinline
func (d *dense) run(i, end, skip int) (first, last int) {
	for i < end && (i == skip || d.owner[i].gen&1 == 0) {
		i++
	}
	if i >= end {
		return 0, 0
	}
	first = i
	if i < skip {
		end = min(end, skip)
	}
	if d.holes == 0 {
		return first, end
	}
	for i < end && d.owner[i].gen&1 != 0 {
		i++
	}
	return first, i
}

// Control is the result of the body of [Dense.Each]: LoopContinue, or LoopBreak, LoopRemove or
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

// Each calls f for each live value in the order of the slice and acts on the [Control] that f
// returns. It returns the number of values it removed. The rules of loops at [Dense] hold.
// Cost: a loop over the live values, and [Dense.Remove] for each one removed. In contrast to the
// body of a range loop, f is not inlined.
// Ends: the handles of the removed values, and pointers to values.
//
//berth:ends all
func (d *Dense[T]) Each(f func(Handle[T], *T) Control) (removed int) {
	moves, c := lookDense(d).beginLoop(), course{era: d.era}
	defer lookDense(d).endLoop(moves)
	for i, end := 0, len(d.vals); i < end && i < len(d.vals); i++ {
		h := d.owner[i]
		if h.gen&1 == 0 {
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
		if d.moves != moves {
			c.next = i
			if lookDense(d).follow("Dense.Each", &c, moves, 1); c.next < 0 {
				break
			}
			i, end = c.next-1, c.next+1
		}
	}
	return removed
}

// RemoveFunc calls f for each value in the order of the slice, removes the values for which f
// returns true, and returns how many it removed. The rules of loops at [Dense] hold, with f as the
// loop's body. A value that f itself has removed or replaced is not removed again.
// Cost: a loop over the live values, and [Dense.Delete] for each one removed. If the compiler
// inlines the call, it also inlines f where f is a function literal.
// Ends: the handles of the removed values, and pointers to values. If f panics, holes stay open
// until Clip, by rule 5 of loops at [Dense].
//
//berth:ends all
func (d *Dense[T]) RemoveFunc(f func(Handle[T], *T) bool) int {
	// This repeats the loop of All, since f would escape to the heap from a range over All.
	return callInt(func() (removed int) {
		moves, c := lookDense(d).beginLoop(), course{era: d.era}
	loop:
		for ; c.next >= 0; lookDense(d).follow("Dense.RemoveFunc", &c, moves, 1) {
			for i, end := c.next, len(d.vals); i < end && i < len(d.vals); i++ {
				h := Handle[T]{id: d.owner[i]}
				if h.gen&1 == 0 {
					continue
				}
				if f(h, &d.vals[i]) && d.Delete(h) {
					removed++
				}
				if d.moves != moves {
					c.next = i
					continue loop
				}
			}
			break
		}
		lookDense(d).endLoop(moves)
		return removed
	})
}

// DenseTraverse is [Traverse] for a [Dense]. It returns an iterator over the live values in the
// order of the slice, each with a view of all the others, for cross-iteration. The loop may change
// both sides through their pointers, and may remove any value, including the pivot, by the rules of
// loops at [Dense].
// Cost: as All; with a loop over the others inside, O(Len squared). It allocates nothing if
// inlined, and an object for each value in a very large function.
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
// Cost: O(1) and f; never allocates.
func DenseApply[T any](d *Dense[T], h Handle[T], f func(*T, DenseOthers[T])) bool {
	if !d.Contains(h) {
		return false
	}
	// Otherwise the first loop in f would move the value.
	defer lookDense(d).endLoop(lookDense(d).beginLoop())
	f(d.Ptr(h), DenseOthers[T]{d, h})
	return true
}

// DensePairs is [Pairs] for a [Dense]. It returns an iterator over all unordered pairs of live
// values. It yields each pair once, with the value that comes first in the slice first. By the
// rules of loops at [Dense], a pair is visited once if both its values live throughout the loop,
// and never after either has been removed.
// Cost: O(Len squared), half the cost of DenseTraverse; allocates nothing if inlined.
//
//berth:lends y0 of d
//berth:lends y1 of d
func DensePairs[T any](d *Dense[T]) iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		moves, c := lookDense(d).beginLoop(), course{era: d.era, next2: 1}
	loop:
		for ; c.next >= 0; lookDense(d).followPair(&c, moves) {
			k := c.next2
			for i, end := c.next, len(d.vals); i < end && i < len(d.vals); i, k = i+1, i+2 {
				h := d.owner[i]
				if h.gen&1 == 0 {
					continue
				}
				for ; k < end && k < len(d.vals) && d.owner[i] == h; k++ {
					if d.holes != 0 && d.owner[k].gen&1 == 0 {
						continue
					}
					if !yield(&d.vals[i], &d.vals[k]) {
						break loop
					}
					if d.moves != moves {
						c.next, c.next2 = i, k
						continue loop
					}
				}
			}
			break
		}
		lookDense(d).endLoop(moves)
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
// Cost: O(1); never allocates.
//
//berth:asks h
func (o DenseOthers[T]) Contains(h Handle[T]) bool { return o.Ptr(h) != nil }

// All is like [Dense.All], without the pivot.
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
// Cost: as Dense.Values.
//
//berth:lends y0
func (o DenseOthers[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		d := o.d
		if d == nil {
			return
		}
		moves, c := lookDense(d).beginLoop(), course{era: d.era, pivot: o.pivot.id}
		skip := lookDense(d).placeOf(o.pivot.id)
	loop:
		for ; c.next >= 0; lookDense(d).follow("Dense.Values", &c, moves, 1) {
			for i, end := c.next, len(d.vals); i < end && i < len(d.vals); i++ {
				if i == skip || d.holes != 0 && d.owner[i].gen&1 == 0 {
					continue
				}
				if !yield(&d.vals[i]) {
					break loop
				}
				if d.moves != moves {
					c.next, skip = i, -1
					continue loop
				}
			}
			break
		}
		lookDense(d).endLoop(moves)
	}
}

// Spans is like [Dense.Spans], without the pivot. Without holes, there are at most two runs.
// Cost: as Dense.Spans.
//
//berth:issues y0
//berth:lends y1
func (o DenseOthers[T]) Spans() iter.Seq2[Handle[T], []T] { return denseSpans(o.d, o.pivot.id) }
