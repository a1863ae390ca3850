package berth

import "iter"

// DenseReadOnly is [ReadOnly] for a [Dense]. It is a type of its own so that a program with a Pool
// does not compile Dense.
type DenseReadOnly[T any] struct{ d *Dense[T] }

// NewDenseReadOnly returns a view of d through which nothing can be changed. If d is nil, it is
// empty. A loop over it may move values, like every loop over a Dense.
// Cost: O(1); never allocates.
//
//berth:shares r0 of d
func NewDenseReadOnly[T any](d *Dense[T]) DenseReadOnly[T] { return DenseReadOnly[T]{d} }

// Len returns the number of live values.
// Cost: O(1).
func (r DenseReadOnly[T]) Len() int {
	if r.d == nil {
		return 0
	}
	return r.d.Len()
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
func (r DenseReadOnly[T]) Get(h Handle[T]) (v T, ok bool) {
	if r.d == nil {
		return v, false
	}
	return r.d.Get(h)
}

// Contains reports whether h refers to a live value.
// Cost: O(1); never allocates.
//
//berth:asks h
func (r DenseReadOnly[T]) Contains(h Handle[T]) bool { return r.d != nil && r.d.Contains(h) }

// All returns an iterator over copies of the values, with their handles, by the rules of loops at
// [Dense].
// Cost: as [Dense.All], and the copies.
//
//berth:issues y0
func (r DenseReadOnly[T]) All() iter.Seq2[Handle[T], T] {
	return func(yield func(Handle[T], T) bool) {
		if r.d == nil {
			return
		}
		for h, v := range r.d.All() {
			if !yield(h, *v) {
				return
			}
		}
	}
}

// Values is like [DenseReadOnly.All], without the handles.
// Cost: as All.
func (r DenseReadOnly[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range r.All() {
			if !yield(v) {
				return
			}
		}
	}
}
