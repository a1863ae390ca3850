package trace

import "iter"

// Resources is a container that [WrapResources] can record: *arena.Handles. H is the type of its
// handles.
type Resources[T any, H comparable] interface {
	Insert(v T) (H, error)
	Delete(h H) bool
	Get(h H) (T, bool)
	Ptr(h H) *T
	Contains(h H) bool
	Len() int
	Cap() int
	Grow(n int) bool
	Clear()
	All() iter.Seq2[H, *T]
	Values() iter.Seq[*T]
	Spans() iter.Seq2[H, []T]
}

// WrappedResources is a [Resources] that records its use, as [Wrapped] does.
type WrappedResources[T any, H comparable] struct {
	c Resources[T, H]
	wrapper[T, H]
}

// WrapResources is [Wrap] for an *arena.Handles. It does not detect a rewind of the arena.
//
// Cost: a loop over c.
func WrapResources[T any, H comparable](t *Track, c Resources[T, H]) *WrappedResources[T, H] {
	return &WrappedResources[T, H]{c, newWrapper(newBook[H](t), c)}
}

// Insert is the container's Insert. It records an Insert, unless there is an error.
func (w *WrappedResources[T, H]) Insert(v T) (H, error) {
	h, err := w.c.Insert(v)
	if err == nil {
		w.inserted(h)
	}
	return h, err
}

// Delete is the container's Delete. It records a Remove, or a Miss if h is stale.
func (w *WrappedResources[T, H]) Delete(h H) bool {
	ok := w.c.Delete(h)
	w.takenSince(w.last, h, ok)
	return ok
}

// Grow is the container's Grow. It records nothing.
func (w *WrappedResources[T, H]) Grow(n int) bool { return w.c.Grow(n) }

// Indexed is a container that [WrapIndexed] can record: *arena.Pool, whose handles are bare
// indices.
type Indexed[T any] interface {
	Insert(v T) (i int, ok bool)
	Remove(i int) (T, bool)
	Get(i int) (T, bool)
	Ptr(i int) *T
	Contains(i int) bool
	Len() int
	Cap() int
	Grow(n int) bool
	Clear()
	All() iter.Seq2[int, *T]
	Values() iter.Seq[*T]
	Spans() iter.Seq2[int, []T]
}

// WrappedIndexed is an [Indexed] that records its use, as [Wrapped] does.
type WrappedIndexed[T any] struct {
	c Indexed[T]
	wrapper[T, int]
}

// WrapIndexed is [Wrap] for an *arena.Pool. A lookup by an index that was reused is a Get, since an
// index has no generation. Only a lookup by a vacant index is a Miss. WrapIndexed does not detect a
// rewind of the arena.
//
// Cost: a loop over c.
func WrapIndexed[T any](t *Track, c Indexed[T]) *WrappedIndexed[T] {
	b := newBook[int](t)
	b.bare = true
	return &WrappedIndexed[T]{c, newWrapper(b, c)}
}

// Insert is the container's Insert. It records an Insert if it reports true.
func (w *WrappedIndexed[T]) Insert(v T) (int, bool) {
	i, ok := w.c.Insert(v)
	if ok {
		w.inserted(i)
	}
	return i, ok
}

// Remove is the container's Remove. It records a Remove, or a Miss if i is vacant.
func (w *WrappedIndexed[T]) Remove(i int) (T, bool) {
	v, ok := w.c.Remove(i)
	w.takenSince(w.last, i, ok)
	return v, ok
}

// Grow is the container's Grow. It records nothing.
func (w *WrappedIndexed[T]) Grow(n int) bool { return w.c.Grow(n) }
