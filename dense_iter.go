package berth

import "iter"

// The loops below walk the places and skip the holes. enter counts a loop as running, so that
// nothing is moved behind its back, and leave ends that. There is no defer between them, because a
// function with one is not inlined, and its loop three to five times slower: a panic that passes
// through leaves the count too high, and holes open longer. When values have been moved, a loop
// cannot go on; when all have gone since it began, it just ends.
// Nor do Values and Others.Values share a loop: to ask for the pivot at each step takes Values from
// 0.6 to 1.0 ns.

// movedInLoop is what a loop panics with behind its name.
const movedInLoop = ": Slice, Defrag or Sort has moved values inside the loop"

// enter begins a loop: the outermost one closes the holes, if that is the mode. It returns what to
// pass to leave.
func (d *Dense[T]) enter() (moves uint64) {
	if d.holes != 0 && d.loops == 0 && d.defrag != DefragManual {
		d.Defrag()
	}
	d.loops++
	return d.moves
}

// leave ends a loop.
func (d *Dense[T]) leave(moves uint64) {
	if d.moves == moves && d.loops > 0 {
		d.loops--
	}
	if d.holes != 0 && d.loops == 0 && d.defrag == DefragImmediate {
		d.Defrag()
	}
}

// All returns an iterator over the live values in the order of the slice, with their handles. The
// pointers may be written through. See the rules of loops at [Dense].
// Cost: O(Len), and O(Holes) in any case; never allocates.
func (d *Dense[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		moves, end := d.enter(), len(d.vals)
		for i := 0; i < end && i < len(d.vals); i++ {
			h := d.owner[i]
			if h.gen&1 == 0 {
				continue
			}
			if !yield(h, &d.vals[i]) {
				break
			}
			if d.moves != moves {
				if d.emptied <= moves {
					panic("berth: Dense.All" + movedInLoop)
				}
				break
			}
		}
		d.leave(moves)
	}
}

// Values is [Dense.All] without the handles.
// Cost: as All, and less.
func (d *Dense[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		moves, end := d.enter(), len(d.vals)
		for i := 0; i < end && i < len(d.vals); i++ {
			if d.holes != 0 && d.owner[i].gen&1 == 0 {
				continue
			}
			if !yield(&d.vals[i]) {
				break
			}
			if d.moves != moves {
				if d.emptied <= moves {
					panic("berth: Dense.Values" + movedInLoop)
				}
				break
			}
		}
		d.leave(moves)
	}
}

// Handles is [Dense.All] without the values.
// Cost: as All.
func (d *Dense[T]) Handles() iter.Seq[Handle[T]] {
	return func(yield func(Handle[T]) bool) {
		for h := range d.All() {
			if !yield(h) {
				return
			}
		}
	}
}

// Backward is [Dense.All] from the last value to the first.
// Cost: as All.
func (d *Dense[T]) Backward() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		moves := d.enter()
		for i := len(d.vals) - 1; i >= 0; i-- {
			if i >= len(d.vals) || d.owner[i].gen&1 == 0 {
				continue
			}
			if !yield(d.owner[i], &d.vals[i]) {
				break
			}
			if d.moves != moves {
				if d.emptied <= moves {
					panic("berth: Dense.Backward" + movedInLoop)
				}
				break
			}
		}
		d.leave(moves)
	}
}

// Spans returns an iterator over runs of live values without a hole between them, each with the
// handle of its first. Without holes, all values are one run. See rule 7 of loops at [Dense].
// Cost: O(1) without holes; else O(Len + Holes). Never allocates.
// Ends: appending to a span copies it.
func (d *Dense[T]) Spans() iter.Seq2[Handle[T], []T] { return d.spansBut(Handle[T]{}) }

func (d *Dense[T]) spansBut(pivot Handle[T]) iter.Seq2[Handle[T], []T] {
	return func(yield func(Handle[T], []T) bool) {
		if d == nil {
			return
		}
		at := d.index.supply.enter() // a span is good while the loop runs
		moves, end, skip := d.enter(), len(d.vals), d.PlaceOf(pivot)
		for i := 0; ; {
			first, last := d.run(i, min(end, len(d.vals)), skip)
			if first == last || !yield(d.owner[first], d.vals[first:last:last]) {
				break
			}
			if d.moves != moves {
				if d.emptied <= moves {
					panic("berth: Dense.Spans" + movedInLoop)
				}
				break
			}
			i = last
		}
		d.leave(moves)
		d.index.supply.leave(at)
	}
}

// run returns the next run of live values from place i to end, but for place skip; it is empty if
// there is none.
func (d *Dense[T]) run(i, end, skip int) (first, last int) {
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

// Drain returns an iterator that removes each value before it hands it out, with OnRemove. After an
// early break the value just handed out is gone, and those not yet reached are as they were. What
// the body inserts may stay behind, by rule 3 of loops.
// Cost: a loop over the live values, and [Dense.Remove] for each.
// Ends: the handles of what it removes, and pointers to values.
func (d *Dense[T]) Drain() iter.Seq2[Handle[T], T] {
	return func(yield func(Handle[T], T) bool) {
		for h := range d.All() {
			if v, _ := d.Remove(h); !yield(h, v) {
				return
			}
		}
	}
}

// Control is what the body of [Dense.Each] wants: Continue, or Break, Remove or both.
type Control uint8

const (
	// Break ends the loop.
	Break Control = 1 << iota
	// Remove removes the value, if the body has not done so.
	Remove
	// Continue goes on with the next value.
	Continue Control = 0
)

// Each calls f for each live value in the order of the slice, does what f returns, and returns how
// many values it has removed. The rules of loops at [Dense] hold for it.
// Cost: a loop over the live values, and [Dense.Remove] for each that goes. A call of f is not
// inlined, as the body of a range loop is.
// Ends: the handles of what it removes, and pointers to values.
func (d *Dense[T]) Each(f func(Handle[T], *T) Control) (removed int) {
	moves := d.enter()
	defer d.leave(moves)
	for i, end := 0, len(d.vals); i < end && i < len(d.vals); i++ {
		h := d.owner[i]
		if h.gen&1 == 0 {
			continue
		}
		c := f(h, &d.vals[i])
		if c&Remove != 0 {
			if _, ok := d.Remove(h); ok {
				removed++
			}
		}
		if c&Break != 0 {
			break
		}
		if d.moves != moves {
			if d.emptied <= moves {
				panic("berth: Dense.Each" + movedInLoop)
			}
			break
		}
	}
	return removed
}

// RemoveFunc calls f for each value in the order of the slice, and removes those for which it is
// true. It returns how many it removed. The rules of loops at [Dense] hold for it: a value that f
// has removed by itself, or replaced, is not removed again.
// Cost: as [Dense.Each].
// Ends: the handles of what it removes, and pointers to values.
func (d *Dense[T]) RemoveFunc(f func(Handle[T], *T) bool) (removed int) {
	// By way of Each, a second function would be called for each value.
	moves := d.enter()
	defer d.leave(moves)
	for i, end := 0, len(d.vals); i < end && i < len(d.vals); i++ {
		h := d.owner[i]
		if h.gen&1 != 0 && f(h, &d.vals[i]) {
			if _, ok := d.Remove(h); ok {
				removed++
			}
		}
		if d.moves != moves {
			if d.emptied <= moves {
				panic("berth: Dense.RemoveFunc" + movedInLoop)
			}
			break
		}
	}
	return removed
}

// Traverse returns an iterator over the live values in the order of the slice, each with a view of
// all the others: cross-iteration. Both sides may be changed through their pointers, and any value
// be removed, the pivot too, by the rules of loops at [Dense].
// Cost: as All; with a loop over the others inside, O(Len squared). Never allocates.
// Source: F. Saukko, StableList, University of Turku 2025, sections 2.3 and 4.4.
func (d *Dense[T]) Traverse() iter.Seq2[Entry[T], DenseOthers[T]] {
	return func(yield func(Entry[T], DenseOthers[T]) bool) {
		for h, v := range d.All() {
			if !yield(Entry[T]{h, v}, DenseOthers[T]{d, h}) {
				return
			}
		}
	}
}

// Apply calls f with the value that h names and a view of all the others. It reports false, and
// does not call f, if h is stale, zero or foreign. It counts as a loop: loops in f move nothing,
// and the pointer is good until f changes d.
// Cost: O(1) and f; never allocates.
func (d *Dense[T]) Apply(h Handle[T], f func(*T, DenseOthers[T])) bool {
	if !d.Contains(h) {
		return false
	}
	defer d.leave(d.enter()) // else the first loop in f would move the value
	f(d.Ptr(h), DenseOthers[T]{d, h})
	return true
}

// Pairs returns an iterator over all unordered pairs of live values: each pair once, the value that
// comes first in the slice first. By the rules of loops at [Dense], a pair is visited once if both
// its values live throughout the loop, and never after either has been removed.
// Cost: O(Len squared), half of what Traverse costs; never allocates.
func (d *Dense[T]) Pairs() iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		moves, end := d.enter(), len(d.vals)
	loop:
		for i := 0; i < end && i < len(d.vals); i++ {
			h := d.owner[i]
			if h.gen&1 == 0 {
				continue
			}
			for k := i + 1; k < end && k < len(d.vals) && d.owner[i] == h; k++ {
				if d.holes != 0 && d.owner[k].gen&1 == 0 {
					continue
				}
				if !yield(&d.vals[i], &d.vals[k]) {
					break loop
				}
				if d.moves != moves {
					if d.emptied <= moves {
						panic("berth: Dense.Pairs" + movedInLoop)
					}
					break loop
				}
			}
		}
		d.leave(moves)
	}
}

// DenseOthers is [Others] for a [Dense]: a [View] of all its values but one, the pivot. The zero
// DenseOthers shows nothing.
type DenseOthers[T any] struct {
	d     *Dense[T]
	pivot Handle[T]
}

var (
	_ View[int] = (*Dense[int])(nil)
	_ View[int] = DenseOthers[int]{}
)

// Len returns the number of live values that are not the pivot.
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

// Ptr is [Dense.Ptr], with nil for the pivot.
// Cost: O(1); never allocates.
func (o DenseOthers[T]) Ptr(h Handle[T]) *T {
	if o.d == nil || h == o.pivot {
		return nil
	}
	return o.d.Ptr(h)
}

// Get is [Dense.Get], with false for the pivot.
// Cost: O(1) and the copy; never allocates.
func (o DenseOthers[T]) Get(h Handle[T]) (v T, ok bool) {
	if x := o.Ptr(h); x != nil {
		return *x, true
	}
	return v, false
}

// Contains is [Dense.Contains], with false for the pivot.
// Cost: O(1); never allocates.
func (o DenseOthers[T]) Contains(h Handle[T]) bool { return o.Ptr(h) != nil }

// All is [Dense.All] without the pivot.
// Cost: as Dense.All.
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

// Values is [Dense.Values] without the pivot.
// Cost: as Dense.Values.
func (o DenseOthers[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		d := o.d
		if d == nil {
			return
		}
		moves, end, skip := d.enter(), len(d.vals), d.PlaceOf(o.pivot)
		for i := 0; i < end && i < len(d.vals); i++ {
			if i == skip || d.holes != 0 && d.owner[i].gen&1 == 0 {
				continue
			}
			if !yield(&d.vals[i]) {
				break
			}
			if d.moves != moves {
				if d.emptied <= moves {
					panic("berth: Dense.Values" + movedInLoop)
				}
				break
			}
		}
		d.leave(moves)
	}
}

// Spans is [Dense.Spans] without the pivot: without holes, at most two runs.
// Cost: as Dense.Spans.
func (o DenseOthers[T]) Spans() iter.Seq2[Handle[T], []T] { return o.d.spansBut(o.pivot) }
