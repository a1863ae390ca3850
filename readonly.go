package berth

import "iter"

// ReadOnly is a [View] with copies in place of pointers: nothing can be changed through it, except
// data that a value itself points to, such as the elements of a slice in it. A ReadOnly is small,
// and may be copied and kept: it always shows the present state. The zero ReadOnly is empty.
type ReadOnly[T any] struct{ v View[T] }

// NewReadOnly returns what v shows, such as a [Pool], a [Dense] or an [Others], through which
// nothing can be changed. It is empty if v is nil. The methods panic if v is a nil *Pool or *Dense.
// Cost: O(1); never allocates for a Pool or a Dense, and allocates a copy of an Others.
//
//berth:shares r0 of v
func NewReadOnly[T any](v View[T]) ReadOnly[T] { return ReadOnly[T]{v} }

// Len returns the number of live values.
// Cost: O(1).
func (r ReadOnly[T]) Len() int {
	if r.v == nil {
		return 0
	}
	return r.v.Len()
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
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
// Cost: O(1); never allocates.
//
//berth:asks h
func (r ReadOnly[T]) Contains(h Handle[T]) bool { return r.v != nil && r.v.Contains(h) }

// All returns an iterator over copies of the values, with their handles, by the rules of loops of
// the container.
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
