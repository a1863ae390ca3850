package berth

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
)

// View is read-only access to a set of values. The set cannot be changed through it, but the values
// can, through their pointers. [ReadOnly] has copies instead. A [Pool] and a [Dense] are Views of
// all their values, and [Others] is a View of all but one, so a function with a View parameter
// serves both.
//
// A loop through a View cannot be inlined. It allocates 3 small objects (6 for All of an Others),
// and calls its body for each value. If that matters, loop over the container itself.
type View[T any] interface {
	Len() int
	//berth:asks h
	Contains(h Handle[T]) bool
	//berth:asks h
	//berth:copies r0
	Get(h Handle[T]) (T, bool)
	//berth:asks h
	//berth:lends r0 by h
	Ptr(h Handle[T]) *T
	//berth:issues y0
	//berth:lends y1 by y0
	All() iter.Seq2[Handle[T], *T]
	//berth:lends y0
	Values() iter.Seq[*T]
}

var (
	_ View[int] = (*Pool[int])(nil)
	_ View[int] = Others[int]{}
)

// Entry is a value and its handle, as [Traverse] and the loops of package near yield them. A
// slice of entries marshals to JSON with the handles.
type Entry[T any] struct {
	Handle Handle[T]
	Value  *T
}

// Others is a [View] of all values of a container except one, the pivot. It is small, and may be
// copied and kept: it always shows the present state of the container. Once the pivot is removed,
// it shows all values.
//
// Its loops follow the rules of loops at [Pool]. The zero Others is empty.
type Others[T any] struct {
	p     *Pool[T]
	pivot Handle[T]
}

// Len returns the number of live values without the pivot.
// Cost: O(1).
func (o Others[T]) Len() int {
	switch {
	case o.p == nil:
		return 0
	case o.p.Contains(o.pivot):
		return o.p.n - 1
	}
	return o.p.n
}

// Ptr is like [Pool.Ptr], but returns nil for the pivot.
// Cost: O(1); never allocates.
//
//berth:asks h
//berth:lends r0 by h
func (o Others[T]) Ptr(h Handle[T]) *T {
	if o.p == nil || h == o.pivot {
		return nil
	}
	return o.p.Ptr(h)
}

// Get is like [Pool.Get], but reports false for the pivot.
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
//berth:copies r0
func (o Others[T]) Get(h Handle[T]) (v T, ok bool) {
	if x := o.Ptr(h); x != nil {
		return *x, true
	}
	return v, false
}

// Contains is like [Pool.Contains], but reports false for the pivot.
// Cost: O(1); never allocates.
//
//berth:asks h
func (o Others[T]) Contains(h Handle[T]) bool { return o.Ptr(h) != nil }

// All is like [Pool.All], without the pivot.
// Cost: as Pool.All.
//
//berth:issues y0
//berth:lends y1 by y0
func (o Others[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		if o.p == nil {
			return
		}
		for h, v := range o.p.All() {
			if h != o.pivot && !yield(h, v) {
				return
			}
		}
	}
}

// Values is like [Pool.Values], without the pivot.
// Cost: as Pool.Values.
//
//berth:lends y0
func (o Others[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		p := o.p
		if p == nil {
			return
		}
		pivot, rest := look(p).place(o.pivot.id)
		end, given := len(p.dir), p.supply != nil
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			w := b.occ
			if k == pivot {
				w &= rest
			}
			for ; w != 0; w = (w & b.occ) & (w - 1) {
				if !yield(&b.vals[bits.TrailingZeros64(w)]) {
					return
				}
				if given && (uint(k) >= uint(len(p.dir)) || p.dir[k] != b) {
					break
				}
			}
		}
	}
}

// Spans is like [Pool.Spans], without the pivot. A run that contains the pivot is split in two.
// Cost: as Pool.Spans.
//
//berth:issues y0
//berth:lends y1
func (o Others[T]) Spans() iter.Seq2[Handle[T], []T] {
	return func(yield func(Handle[T], []T) bool) {
		p := o.p
		if p == nil {
			return
		}
		pivot, rest := look(p).place(o.pivot.id)
		end, given := len(p.dir), p.supply != nil
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			w := b.occ
			if k == pivot {
				w &= rest
			}
			for ; w != 0; w &= b.occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				first := Handle[T]{id: id{p.salt + uint32(k<<6+i), b.gens[i&63]}}
				if !yield(first, b.vals[i:i+n:i+n]) {
					return
				}
				if given && (uint(k) >= uint(len(p.dir)) || p.dir[k] != b) {
					break
				}
			}
		}
	}
}

// Traverse returns an iterator over the live values in slot order, each with a view of all the
// others, for cross-iteration. The loop may change both sides through their pointers, and may
// remove any value, including the pivot, by the rules of loops at [Pool].
// Cost: as All; with a loop over the others inside, O(Len squared). It allocates nothing if
// inlined, and an object for each value in a very large function.
// Source: F. Saukko, StableList, University of Turku 2025, sections 2.3 and 4.4.
//
//berth:lends y0 by y0 of p
//berth:shares y1 of p
func Traverse[T any](p *Pool[T]) iter.Seq2[Entry[T], Others[T]] {
	return func(yield func(Entry[T], Others[T]) bool) {
		for h, v := range p.All() {
			if !yield(Entry[T]{h, v}, Others[T]{p, h}) {
				return
			}
		}
	}
}

// Apply calls f with the value of h and a view of all the others. It reports false, and does not
// call f, if h is stale, zero or foreign. f may change p in any way.
// Cost: O(1) and f; never allocates.
func Apply[T any](p *Pool[T], h Handle[T], f func(*T, Others[T])) bool {
	v := p.Ptr(h)
	if v == nil {
		return false
	}
	f(v, Others[T]{p, h})
	return true
}

// Pairs returns an iterator over all unordered pairs of live values. It yields each pair once, with
// the value of the lower slot first. By the rules of loops at [Pool], a pair is visited once if
// both its values live throughout the loop, and never after either has been removed.
// Cost: O(Len squared), half the cost of Traverse; allocates nothing if inlined.
//
//berth:lends y0 of p
//berth:lends y1 of p
func Pairs[T any](p *Pool[T]) iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		end, given := len(p.dir), p.supply != nil
	blocks:
		for k := 0; ; k++ {
			if !p.live.Has(k) {
				k = p.live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			for w := b.occ; w != 0; w = (w & b.occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				pivot := uint64(1) << i
				// u holds the values beyond the pivot, first in its own block, then in later ones.
				for l, c, u := k, b, w&(w-1); ; {
				runs:
					for u != 0 {
						// Runs are long in pools whose values are paired: see decision 2.
						j, n := bitset.Run(u)
						was := c.occ
						for n += j; j < n && c.occ == was && b.occ&pivot != 0; j++ {
							if !yield(&b.vals[i], &c.vals[j&63]) {
								return
							}
							switch {
							case !given:
							case look(p).left(k, &b.head):
								continue blocks
							case look(p).left(l, &c.head):
								break runs
							}
						}
						if u &= c.occ & bitset.Beyond(j); b.occ&pivot == 0 {
							l, u = end, 0 // the pivot has been removed
						}
					}
					if l++; !p.live.Has(l) {
						l = p.live.Next(l)
					}
					if uint(l) >= uint(end) {
						break
					}
					c = p.dir[l]
					u = c.occ
				}
			}
		}
	}
}
