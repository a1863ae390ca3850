package berth

import (
	"iter"
	"math/bits"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/slots"
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
//
// Cost: O(1).
func (o Others[T]) Len() int {
	switch {
	case o.p == nil:
		return 0
	case o.p.Contains(o.pivot):
		return o.p.state.N - 1
	}
	return o.p.state.N
}

// Ptr is like [Pool.Ptr], but returns nil for the pivot.
//
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
//
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
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (o Others[T]) Contains(h Handle[T]) bool { return o.Ptr(h) != nil }

// All is like [Pool.All], without the pivot.
//
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
//
// Cost: as Pool.Values.
//
//berth:lends y0
func (o Others[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		p := o.p
		if p == nil {
			return
		}
		pivot, rest := look(p).Place(o.pivot.id)
		end, given := len(p.dir), p.state.Supply != nil
		for k := 0; ; k++ {
			if !p.state.Live.Has(k) {
				k = p.state.Live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			w := b.Occ
			if k == pivot {
				w &= rest
			}
			for ; w != 0; w = (w & b.Occ) & (w - 1) {
				if !yield(&b.Vals[bits.TrailingZeros64(w)]) {
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
//
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
		pivot, rest := look(p).Place(o.pivot.id)
		end, given := len(p.dir), p.state.Supply != nil
		for k := 0; ; k++ {
			if !p.state.Live.Has(k) {
				k = p.state.Live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			w := b.Occ
			if k == pivot {
				w &= rest
			}
			for ; w != 0; w &= b.Occ {
				i, n := bitset.Run(w)
				w &= bitset.Beyond(i + n)
				first := Handle[T]{
					id: slots.ID{Index: p.state.Salt + uint32(k<<6+i), Gen: b.Gens[i&63]},
				}
				if !yield(first, b.Vals[i:i+n:i+n]) {
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
//
// Cost: as All; with a loop over the others inside, O(Len squared). It allocates nothing if
// inlined, and an object for each value in a very large function.
//
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
//
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
//
// Cost: O(Len squared), half the cost of Traverse; allocates nothing if inlined.
//
//berth:lends y0 of p
//berth:lends y1 of p
func Pairs[T any](p *Pool[T]) iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		end, given := len(p.dir), p.state.Supply != nil
	blocks:
		for k := 0; ; k++ {
			if !p.state.Live.Has(k) {
				k = p.state.Live.Next(k)
			}
			if uint(k) >= uint(end) {
				break
			}
			b := p.dir[k]
			for w := b.Occ; w != 0; w = (w & b.Occ) & (w - 1) {
				i := bits.TrailingZeros64(w)
				pivot := uint64(1) << i
				// u holds the values beyond the pivot, first in its own block, then in later ones.
				for l, c, u := k, b, w&(w-1); ; {
				runs:
					for u != 0 {
						// Runs are long in pools whose values are paired: see decision 2.
						j, n := bitset.Run(u)
						was := c.Occ
						for n += j; j < n && c.Occ == was && b.Occ&pivot != 0; j++ {
							if !yield(&b.Vals[i], &c.Vals[j&63]) {
								return
							}
							switch {
							case !given:
							case look(p).Left(k, &b.Head):
								continue blocks
							case look(p).Left(l, &c.Head):
								break runs
							}
						}
						if u &= c.Occ & bitset.Beyond(j); b.Occ&pivot == 0 {
							l, u = end, 0 // the pivot has been removed
						}
					}
					if l++; !p.state.Live.Has(l) {
						l = p.state.Live.Next(l)
					}
					if uint(l) >= uint(end) {
						break
					}
					c = p.dir[l]
					u = c.Occ
				}
			}
		}
	}
}

// ReadOnly is a [View] with copies in place of pointers: nothing can be changed through it, except
// data that a value itself points to, such as the elements of a slice in it. A ReadOnly is small,
// and may be copied and kept: it always shows the present state. The zero ReadOnly is empty.
type ReadOnly[T any] struct{ v View[T] }

// NewReadOnly returns what v shows, such as a [Pool], a [Dense] or an [Others], through which
// nothing can be changed. It is empty if v is nil. The methods panic if v is a nil *Pool or *Dense.
//
// Cost: O(1); never allocates for a Pool or a Dense, and allocates a copy of an Others.
//
//berth:shares r0 of v
func NewReadOnly[T any](v View[T]) ReadOnly[T] { return ReadOnly[T]{v} }

// Len returns the number of live values.
//
// Cost: O(1).
func (r ReadOnly[T]) Len() int {
	if r.v == nil {
		return 0
	}
	return r.v.Len()
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
func (r ReadOnly[T]) Get(h Handle[T]) (v T, ok bool) {
	if r.v == nil {
		return v, false
	}
	return r.v.Get(h)
}

// Contains reports whether h refers to a live value.
//
// Cost: O(1); never allocates.
//
//berth:asks h
func (r ReadOnly[T]) Contains(h Handle[T]) bool { return r.v != nil && r.v.Contains(h) }

// All returns an iterator over copies of the values, with their handles, by the rules of loops of
// the container.
//
// Cost: as All of a [View], which allocates, and the copies.
//
//berth:issues y0
func (r ReadOnly[T]) All() iter.Seq2[Handle[T], T] {
	return func(yield func(Handle[T], T) bool) {
		if r.v == nil {
			return
		}
		for h, v := range r.v.All() {
			if !yield(h, *v) {
				return
			}
		}
	}
}

// Values is like [ReadOnly.All], without the handles.
//
// Cost: as All; allocates.
func (r ReadOnly[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range r.All() {
			if !yield(v) {
				return
			}
		}
	}
}
