package stable

import (
	"iter"
	"math"
	"math/bits"
)

// The loops below have one form for all placements: a run of slots to look at, which is one slot or
// 64 of a word of bits, or all slots if that is faster; see first. A slot's identifier is read just
// before the value is handed out, so the loop sees all changes of its body, and has nothing to undo
// when the body breaks or panics. An iterator's body is inlined only if it is called in one place.
// A test for the pivot in Values would slow it from 0.55 to 0.7 ns a value.

// All returns an iterator over the live values and their keys, in slot order. The pointers may be
// written through. See the rules of loops at [ListOf].
//
// Cost: O(Touched), or under FirstFree and FirstFreeHeap O(Len); never allocates where inlined, see
// [ListOf].
//
//berth:issues y0
//berth:lends y1 by y0
func (l *ListOf[T, I, D]) All() iter.Seq2[Key[T, I, D], *T] {
	return func(yield func(Key[T, I, D], *T) bool) {
		var zero D
		i, stop, base, end, w := listFirst(look(l))
		for {
			for ; i < stop && i < len(l.ids); i++ {
				id := l.ids[i]
				if id == zero {
					if l.place == FirstFreeHeap {
						i = listSkip(look(l), i)
					}
					continue
				}
				if !yield(Key[T, I, D]{index: I(i), id: id}, &l.vals[i]) {
					return
				}
			}
			if w == 0 {
				if base, w = listNextWord(look(l), base, end); w == 0 {
					return
				}
			}
			i, stop, w = firstRun(base, w)
		}
	}
}

// listFirst returns the state in which a loop begins. The slots from i to stop are looked at first;
// w is the rest of the word of bits that begins at slot base, and the loop must not pass end. The
// loop looks at all slots if all of them are live or if it can skip runs of vacant ones. Otherwise
// it looks only at those with a bit set.
func listFirst[I Index, D Identifier[D]](
	l *core[I, D],
) (i, stop, base, end int, w uint64) {
	end = len(l.ids)
	if l.n == end || l.place == FirstFreeHeap {
		return 0, end, end, end, 0
	}
	return 0, 0, -64, end, 0
}

// firstRun returns the slots to look at next by the word w, whose first bit is slot base, and the
// rest of the word. The run is all 64 slots or one.
func firstRun(base int, w uint64) (i, stop int, rest uint64) { // inlined
	if ^w == 0 {
		return base, base + 64, 0
	}
	i = base + bits.TrailingZeros64(w)
	return i, i + 1, w & (w - 1)
}

// listNextWord returns the first slot and the bits of the next 64 slots behind base with a live
// one. The word is 0 if none is live before end.
func listNextWord[I Index, D Identifier[D]](
	l *core[I, D], base, end int,
) (next int, w uint64) {
	for base += 64; base < end; base += 64 {
		if w = listWord(l, base, end); w != 0 {
			return base, w
		}
		switch l.place {
		case FirstFree:
			i, ok := l.low.NextTaken(base)
			if !ok {
				return end, 0
			}
			base = max(base, i&^63-64)
		case FirstFreeHeap:
			base = max(base, listRunEnd(l, base)&^63-64)
		}
	}
	return end, 0
}

// listRunEnd returns a slot behind base up to which all slots are vacant, if it finds one in a few
// steps. base and the 63 slots behind it must be vacant.
func listRunEnd[I Index, D Identifier[D]](l *core[I, D], base int) int {
	if base >= len(l.ids) {
		return base
	}
	first := base
	for first > max(0, base-64) && vacant(l.ids, first-1) {
		first--
	}
	return max(listLastVacant(l, first), listLastVacant(l, base)) + 1
}

// listWord returns the bits of the live slots among the 64 from base on, without those from end on.
func listWord[I Index, D Identifier[D]](l *core[I, D], base, end int) (w uint64) {
	end = min(end, base+64, len(l.ids))
	if base >= end {
		return 0
	}
	switch {
	case l.n == len(l.ids):
		w = math.MaxUint64
	case l.place == FirstFree:
		w = l.low.Word(base >> 6)
	default:
		var zero D
		for i, id := range l.ids[base:end] {
			b := uint64(0)
			if id != zero { // no branch: live slots are unpredictable
				b = 1
			}
			w |= b << (i & 63)
		}
		return w
	}
	return w & (math.MaxUint64 >> (base + 64 - end))
}

// Values is [ListOf.All] without the keys.
//
// Cost: as All.
//
//berth:lends y0
func (l *ListOf[T, I, D]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		var zero D
		i, stop, base, end, w := listFirst(look(l))
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
			if w == 0 {
				if base, w = listNextWord(look(l), base, end); w == 0 {
					return
				}
			}
			i, stop, w = firstRun(base, w)
		}
	}
}

// Backward is [ListOf.All] from the last slot to the first.
//
// Cost: O(Touched); never allocates where inlined, see [ListOf].
//
//berth:issues y0 of l
//berth:lends y1 by y0 of l
func Backward[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) iter.Seq2[Key[T, I, D], *T] {
	return func(yield func(Key[T, I, D], *T) bool) {
		var zero D
		for i := len(l.ids) - 1; i >= 0; i-- {
			if i >= len(l.ids) {
				i = len(l.ids) // the list was cut
				continue
			}
			id := l.ids[i]
			if id != zero && !yield(Key[T, I, D]{index: I(i), id: id}, &l.vals[i]) {
				return
			}
		}
	}
}

// Spans returns an iterator over runs of live values without a vacant slot between them, each with
// the key of its first value. While no slot is vacant, all values are one run. [ListOf.At]
// returns the keys of the other values, whose slots follow the first. See rule 7 of loops at
// [ListOf].
//
// Cost: O(1) while no slot is vacant; else as All. Never allocates where inlined, see [ListOf].
//
// Ends: appending to a span copies it.
//
//berth:issues y0
//berth:lends y1
//berth:ends other
func (l *ListOf[T, I, D]) Spans() iter.Seq2[Key[T, I, D], []T] {
	return func(yield func(Key[T, I, D], []T) bool) {
		base, end, w := -64, len(l.ids), uint64(0)
		for {
			if w == 0 {
				if base, w = listNextWord(look(l), base, end); w == 0 {
					return
				}
			}
			b := bits.TrailingZeros64(w)
			n := bits.TrailingZeros64(^(w >> b))
			first, stop := base+b, base+b+n
			if w &= math.MaxUint64 << (b + n); stop == base+64 {
				base, stop, w = listExtend(look(l), base, end, -1)
			}
			was := l.changes
			k := Key[T, I, D]{index: I(first), id: l.ids[first]}
			if !yield(k, l.vals[first:stop:stop]) {
				return
			}
			if l.changes != was {
				w = listWordFrom(look(l), stop, base, end, -1)
			}
		}
	}
}

// Span returns the first run of live values at a slot or after it, and the slot from which to go
// on. It returns nil and 0 if there is none. While no slot is vacant, all values are one run. See
// [berth.Pool.Span] for the loop, and [ListOf.At] for the keys.
//
// Cost: O(1) and the slots that it passes, O(1) while none is vacant; never allocates.
//
//berth:lends r0
func (l *ListOf[T, I, D]) Span(slot int) (span []T, next int) {
	i, n := listSpan(look(l), slot)
	if n == 0 {
		return nil, 0
	}
	return l.vals[i : i+n : i+n], i + n
}

// listSpan returns the first slot and the length of the first run from slot i on.
func listSpan[I Index, D Identifier[D]](l *core[I, D], i int) (first, n int) {
	end := len(l.ids)
	if i < 0 || i >= end {
		return 0, 0
	}
	if l.n == end {
		return i, end - i
	}
	first = listSeek(l, i, end)
	for first+n < end && !vacant(l.ids, first+n) {
		n++
	}
	return first, n
}

// listWordFrom is word without the slots before i and without slot skip.
func listWordFrom[I Index, D Identifier[D]](
	l *core[I, D], i, base, end, skip int,
) uint64 {
	return listWord(l, base, end) &^ bitOf(skip, base) & (math.MaxUint64 << (i - base))
}

// bitOf returns the bit of slot i in the word that begins at slot base, or 0 if it is in another.
func bitOf(i, base int) uint64 { return 1 << uint(i-base) }

// listExtend follows a run that has reached the end of the word at base. It returns the end of the
// run and the rest of the word in which it ends.
func listExtend[I Index, D Identifier[D]](
	l *core[I, D], base, end, skip int,
) (next, stop int, w uint64) {
	if end = min(end, len(l.ids)); l.n == len(l.ids) && base+64 < end { // all live
		if stop = end; skip >= base+64 {
			stop = min(stop, skip)
		}
		base = stop &^ 63
		return base, stop, listWordFrom(l, stop, base, end, skip)
	}
	for stop = base + 64; stop == base+64 && stop < end; {
		w = listWordFrom(l, stop, stop, end, skip)
		if w&1 == 0 {
			return base, stop, 0 // nextWord finds it
		}
		base = stop
		n := bits.TrailingZeros64(^w)
		stop += n
		w &= math.MaxUint64 << n
	}
	return base, stop, w
}

// listSlotOf returns the slot of the value that k refers to, or -1.
func listSlotOf[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], k Key[T, I, D]) int {
	if l.Contains(k) {
		return int(k.index)
	}
	return -1
}

// listSeek returns the first live slot from i on that is less than end, or end.
func listSeek[I Index, D Identifier[D]](l *core[I, D], i, end int) int {
	if i >= end || l.n == len(l.ids) {
		return min(i, end)
	}
	if l.place == FirstFree {
		if k, ok := l.low.NextTaken(i); ok {
			return min(k, end)
		}
		return end
	}
	for ; i < end && vacant(l.ids, i); i++ {
		if l.place == FirstFreeHeap {
			i = listSkip(l, i)
		}
	}
	return min(i, end)
}

// RemoveFunc calls f for each value in slot order, and removes those for which f returns true. It
// returns how many it removed. The rules of loops at [ListOf] apply: a value that f itself has
// removed or replaced is not removed again.
//
// Cost: a loop over the live values, and [ListOf.Delete] for each one removed. If the compiler
// inlines the call, it inlines a function literal f too.
//
// Ends: the keys of the values it removes; pointers to values, if memory is released.
//
//berth:ends all
func (l *ListOf[T, I, D]) RemoveFunc(f func(Key[T, I, D], *T) bool) int {
	// This repeats the loop of All, since f would escape to the heap from a range over All.
	return callInt(func() (removed int) {
		var zero D
		i, stop, base, end, w := listFirst(look(l))
		for {
			for ; i < stop && i < len(l.ids); i++ {
				id := l.ids[i]
				if id == zero {
					if l.place == FirstFreeHeap {
						i = listSkip(look(l), i)
					}
					continue
				}
				k := Key[T, I, D]{index: I(i), id: id}
				if f(k, &l.vals[i]) && l.Delete(k) {
					removed++
				}
			}
			if w == 0 {
				if base, w = listNextWord(look(l), base, end); w == 0 {
					return removed
				}
			}
			i, stop, w = firstRun(base, w)
		}
	})
}

// callInt returns f(). See package inline, whose functions would be compiled anew for each type of
// lists.
func callInt(f func() int) int { return f() }

// Traverse returns an iterator over the live values in slot order, each with a view of all the
// others: cross-iteration. The body may change both through their pointers, and may remove any
// value, the pivot included, by the rules of loops at [ListOf].
//
// Cost: as All. With a loop over the others inside, O(Len squared) and the cost of these loops.
// Never allocates where inlined, see [ListOf].
//
// Source: F. Saukko, StableList, University of Turku 2025, sections 2.3 and 4.4.
//
//berth:lends y0 by y0 of l
//berth:shares y1 of l
func Traverse[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D],
) iter.Seq2[Entry[T, I, D], Others[T, I, D]] {
	return func(yield func(Entry[T, I, D], Others[T, I, D]) bool) {
		for k, v := range l.All() {
			if !yield(Entry[T, I, D]{k, v}, Others[T, I, D]{l, k}) {
				return
			}
		}
	}
}

// Apply calls f with a pointer to the value that k refers to and a view of all the others. It
// reports false, and does not call f, if k is stale, zero or foreign. f may change l in any way.
// The pointer is valid until f makes l grow or release memory.
//
// Cost: O(1) and f; never allocates.
func Apply[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], k Key[T, I, D], f func(*T, Others[T, I, D]),
) bool {
	v := l.Ptr(k)
	if v == nil {
		return false
	}
	f(v, Others[T, I, D]{l, k})
	return true
}

// Pairs returns an iterator over all unordered pairs of live values: each pair once, the value of
// the lower slot first. By the rules of loops at [ListOf], a pair is visited once if both its
// values live throughout the loop, and never after either has been removed.
//
// Cost: O(Len squared) and the vacant slots; half of the cost of Traverse. Never allocates where
// inlined, see [ListOf].
//
//berth:lends y0 of l
//berth:lends y1 of l
func Pairs[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		var zero D
		end := len(l.ids)
		for i := 0; i < end && i < len(l.ids); i++ {
			id := l.ids[i]
			if id == zero {
				i = listSeek(look(l), i, min(end, len(l.ids))) - 1
				continue
			}
			for j := i + 1; j < end && j < len(l.ids) && l.ids[i] == id; j++ {
				if l.ids[j] == zero {
					j = listSeek(look(l), j, min(end, len(l.ids))) - 1
					continue
				}
				if !yield(&l.vals[i], &l.vals[j]) {
					return
				}
			}
		}
	}
}
