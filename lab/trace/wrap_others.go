package trace

import "iter"

// Entry is a value and its handle, as [Wrapped.Traverse] hands them out.
type Entry[T any, H comparable] struct {
	Handle H
	Value  *T
}

// Others shows all values of a [Wrapped] but one, the pivot: what the container's own Others does.
// Once the pivot is removed, it shows all values. Lookups through it are recorded. Its loops are
// not: the Pass of Traverse stands for them.
type Others[T any, H comparable] struct {
	w     *Wrapped[T, H]
	pivot H
}

// Traverse returns an iterator over the living values, each with a view of all the others. It is
// one Pass: the stream does not say that the loop is quadratic.
func (w *Wrapped[T, H]) Traverse() iter.Seq2[Entry[T, H], Others[T, H]] {
	return func(yield func(Entry[T, H], Others[T, H]) bool) {
		for h, v := range w.All() {
			if !yield(Entry[T, H]{h, v}, Others[T, H]{w, h}) {
				return
			}
		}
	}
}

// Apply calls f with the value that h names and a view of all the others, and is a Get; or it
// reports false, and is a Miss.
func (w *Wrapped[T, H]) Apply(h H, f func(*T, Others[T, H])) bool {
	v := w.Ptr(h)
	if v == nil {
		return false
	}
	f(v, Others[T, H]{w, h})
	return true
}

// Len is the number of living values that are not the pivot, and nothing in the stream.
func (o Others[T, H]) Len() int {
	if o.w.c.Contains(o.pivot) {
		return o.w.Len() - 1
	}
	return o.w.Len()
}

// Ptr is [Wrapped.Ptr], with nil for the pivot.
func (o Others[T, H]) Ptr(h H) *T {
	if h == o.pivot {
		return nil
	}
	return o.w.Ptr(h)
}

// Get is [Wrapped.Get], with false for the pivot.
func (o Others[T, H]) Get(h H) (v T, ok bool) {
	if h == o.pivot {
		return v, false
	}
	return o.w.Get(h)
}

// Contains is [Wrapped.Contains], with false for the pivot.
func (o Others[T, H]) Contains(h H) bool { return h != o.pivot && o.w.Contains(h) }

// All is the container's without the pivot.
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
