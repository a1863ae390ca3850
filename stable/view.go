package stable

import (
	"iter"
	"math"
	"math/bits"
)

// View is read-only access to the set of values. The values themselves may be changed through their
// pointers. A list is a View of itself, and [Others] is a View of all values but one, so a function
// of a View accepts both. Each loop through a View allocates; see [ListOf].
type View[T any, I Index, D Identifier[D]] interface {
	Len() int
	Contains(k Key[T, I, D]) bool
	Get(k Key[T, I, D]) (T, bool)
	Ptr(k Key[T, I, D]) *T
	All() iter.Seq2[Key[T, I, D], *T]
	Values() iter.Seq[*T]
	Spans() iter.Seq2[Key[T, I, D], []T]
}

// ListView is the View of a [List].
type ListView[T any] = View[T, uint32, Counter32]

var (
	_ ListView[int] = (*List[int])(nil)
	_ ListView[int] = ListOthers[int]{}
)

// Entry is a value and its key, as returned by [Traverse].
type Entry[T any, I Index, D Identifier[D]] struct {
	Key   Key[T, I, D]
	Value *T
}

// Others is a [View] of all values of a list but one, the pivot. It is small, may be copied and
// kept, and always shows the current state of the list. Once the pivot is removed, it shows all
// values. Its loops follow the rules of loops at [ListOf]. The zero Others shows nothing.
type Others[T any, I Index, D Identifier[D]] struct {
	l     *ListOf[T, I, D]
	pivot Key[T, I, D]
}

// ListOthers is the Others of a [List].
type ListOthers[T any] = Others[T, uint32, Counter32]

// Len returns the number of live values that are not the pivot.
//
// Cost: O(1).
func (o Others[T, I, D]) Len() int {
	switch {
	case o.l == nil:
		return 0
	case o.l.Contains(o.pivot):
		return o.l.n - 1
	}
	return o.l.n
}

// Ptr is [ListOf.Ptr], but returns nil for the pivot.
//
// Cost: O(1); never allocates.
//
//berth:asks k
//berth:lends r0 by k
func (o Others[T, I, D]) Ptr(k Key[T, I, D]) *T {
	if o.l == nil || k == o.pivot {
		return nil
	}
	return o.l.Ptr(k)
}

// Get is [ListOf.Get], but returns false for the pivot.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:asks k
//berth:copies r0
func (o Others[T, I, D]) Get(k Key[T, I, D]) (v T, ok bool) {
	if x := o.Ptr(k); x != nil {
		return *x, true
	}
	return v, false
}

// Contains is [ListOf.Contains], but returns false for the pivot.
//
// Cost: O(1); never allocates.
//
//berth:asks k
func (o Others[T, I, D]) Contains(k Key[T, I, D]) bool { return o.Ptr(k) != nil }

// All is [ListOf.All] without the pivot.
//
// Cost: as ListOf.All.
//
//berth:issues y0
//berth:lends y1 by y0
func (o Others[T, I, D]) All() iter.Seq2[Key[T, I, D], *T] {
	return func(yield func(Key[T, I, D], *T) bool) {
		if o.l == nil {
			return
		}
		for k, v := range o.l.All() {
			if k != o.pivot && !yield(k, v) {
				return
			}
		}
	}
}

// Values is [ListOf.Values] without the pivot.
//
// Cost: as ListOf.Values.
//
//berth:lends y0
func (o Others[T, I, D]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		l := o.l
		if l == nil {
			return
		}
		var zero D
		i, stop, base, end, w := listFirst(look(l))
		skip, rest := listSlotOf(l, o.pivot), 0
		if skip >= 0 && stop > 0 { // all slots, but in two runs
			stop, rest = skip, end
		}
		for {
			for ; i < stop && i < len(l.ids); i++ {
				if l.ids[i] == zero {
					if l.place == FirstFreeHeap {
						i = listSkip(look(l), i)
					}
					continue
				}
				if !yield(&l.vals[i]) {
					return
				}
			}
			if rest > 0 {
				i, stop, rest = max(i, skip+1), rest, 0
				continue
			}
			if w == 0 {
				if base, w = listNextWord(look(l), base, end); w == 0 {
					return
				}
				w &^= bitOf(skip, base)
				continue
			}
			i, stop, w = firstRun(base, w)
		}
	}
}

// Spans is [ListOf.Spans] without the pivot, which splits a run in two if it lies inside.
//
// Cost: as ListOf.Spans.
//
//berth:issues y0
//berth:lends y1
func (o Others[T, I, D]) Spans() iter.Seq2[Key[T, I, D], []T] {
	return func(yield func(Key[T, I, D], []T) bool) {
		l := o.l
		if l == nil {
			return
		}
		base, end, skip, w := -64, len(l.ids), listSlotOf(l, o.pivot), uint64(0)
		for {
			if w == 0 {
				if base, w = listNextWord(look(l), base, end); w == 0 {
					return
				}
				if w &^= bitOf(skip, base); w == 0 {
					continue
				}
			}
			b := bits.TrailingZeros64(w)
			n := bits.TrailingZeros64(^(w >> b))
			first, stop := base+b, base+b+n
			if w &= math.MaxUint64 << (b + n); stop == base+64 {
				base, stop, w = listExtend(look(l), base, end, skip)
			}
			was := l.changes
			k := Key[T, I, D]{index: I(first), id: l.ids[first]}
			if !yield(k, l.vals[first:stop:stop]) {
				return
			}
			if l.changes != was {
				w = listWordFrom(look(l), stop, base, end, skip)
			}
		}
	}
}
