package berth

import "iter"

// ReadOnly is a view of a [Pool] that returns copies instead of pointers. Nothing can be changed
// through it, except data that a value itself points to, such as the elements of a slice in it. A
// ReadOnly is small, and may be copied and kept: it always shows the present state of the Pool. The
// zero ReadOnly is empty. A ReadOnly does not implement [View], which has pointers.
type ReadOnly[T any] struct{ p *Pool[T] }

// NewReadOnly returns a view of p through which nothing can be changed. If p is nil, it is empty.
// Cost: O(1); never allocates.
//
//berth:shares r0 of p
func NewReadOnly[T any](p *Pool[T]) ReadOnly[T] { return ReadOnly[T]{p} }

// Len returns the number of live values.
// Cost: O(1).
func (r ReadOnly[T]) Len() int {
	if r.p == nil {
		return 0
	}
	return r.p.Len()
}

// Get returns a copy of the value of h. It reports false if h is stale, zero or foreign.
// Cost: O(1) and the copy; never allocates.
//
//berth:asks h
func (r ReadOnly[T]) Get(h Handle[T]) (v T, ok bool) {
	if r.p == nil {
		return v, false
	}
	return r.p.Get(h)
}

// Contains reports whether h refers to a live value.
// Cost: O(1); never allocates.
//
//berth:asks h
func (r ReadOnly[T]) Contains(h Handle[T]) bool { return r.p != nil && r.p.Contains(h) }

// All returns an iterator over copies of the values, with their handles, by the rules of loops at
// [Pool].
// Cost: as [Pool.All], and the copies.
//
//berth:issues y0
func (r ReadOnly[T]) All() iter.Seq2[Handle[T], T] {
	return func(yield func(Handle[T], T) bool) {
		if r.p == nil {
			return
		}
		for h, v := range r.p.All() {
			if !yield(h, *v) {
				return
			}
		}
	}
}

// Values is like [ReadOnly.All], without the handles.
// Cost: as All.
func (r ReadOnly[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range r.All() {
			if !yield(v) {
				return
			}
		}
	}
}
