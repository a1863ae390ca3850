package trace

import "iter"

// Entry is a value and its handle, as returned by [Wrapped.Traverse].
type Entry[T any, H comparable] struct {
	Handle H
	Value  *T
}

// Others is a view of all values of a [Wrapped] except one, the pivot. After the removal of the
// pivot it shows all values. Lookups through it are recorded. Its loops are not, since the Pass of
// Traverse stands for them.
type Others[T any, H comparable] struct {
	w     *Wrapped[T, H]
	pivot H
}

// Traverse returns an iterator over the live values, each with a view of all others. It records one
// Pass, so the stream does not show that the loop is quadratic.
func (w *Wrapped[T, H]) Traverse() iter.Seq2[Entry[T, H], Others[T, H]] {
	return func(yield func(Entry[T, H], Others[T, H]) bool) {
		for h, v := range w.All() {
			if !yield(Entry[T, H]{h, v}, Others[T, H]{w, h}) {
				return
			}
		}
	}
}

// Apply calls f with the value of h and a view of all others, and records a Get. If h is stale, it
// returns false and records a Miss.
func (w *Wrapped[T, H]) Apply(h H, f func(*T, Others[T, H])) bool {
	v := w.Ptr(h)
	if v == nil {
		return false
	}
	f(v, Others[T, H]{w, h})
	return true
}

// Len returns the number of live values without the pivot. It records nothing.
func (o Others[T, H]) Len() int {
	if o.w.c.Contains(o.pivot) {
		return o.w.Len() - 1
	}
	return o.w.Len()
}

// Ptr is [Wrapped.Ptr], but returns nil for the pivot.
func (o Others[T, H]) Ptr(h H) *T {
	if h == o.pivot {
		return nil
	}
	return o.w.Ptr(h)
}

// Get is [Wrapped.Get], but returns false for the pivot.
func (o Others[T, H]) Get(h H) (v T, ok bool) {
	if h == o.pivot {
		return v, false
	}
	return o.w.Get(h)
}

// Contains is [Wrapped.Contains], but returns false for the pivot.
func (o Others[T, H]) Contains(h H) bool { return h != o.pivot && o.w.Contains(h) }

// All is [Wrapped.All] without the pivot. It records nothing.
func (o Others[T, H]) All() iter.Seq2[H, *T] {
	return func(yield func(H, *T) bool) {
		for h, v := range o.w.c.All() {
			if h != o.pivot && !yield(h, v) {
				return
			}
		}
	}
}

// Values is [Others.All] without the handles.
func (o Others[T, H]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, v := range o.All() {
			if !yield(v) {
				return
			}
		}
	}
}
