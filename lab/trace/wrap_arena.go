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
	book[H]
}

// WrapResources is [Wrap] for an *arena.Handles. It does not detect a rewind of the arena.
// Cost: a loop over c.
func WrapResources[T any, H comparable](t *Track, c Resources[T, H]) *WrappedResources[T, H] {
	w := &WrappedResources[T, H]{c: c, book: newBook[H](t)}
	for h := range c.All() {
		w.inserted(h)
	}
	return w
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
	if ok {
		w.removed(h)
	} else {
		w.looked(h, false)
	}
	return ok
}

// Get is the container's Get. It records a Get, or a Miss if h is stale.
func (w *WrappedResources[T, H]) Get(h H) (T, bool) {
	v, ok := w.c.Get(h)
	w.looked(h, ok)
	return v, ok
}

// Ptr is the container's Ptr. It records a Get, or a Miss if h is stale.
func (w *WrappedResources[T, H]) Ptr(h H) *T {
	p := w.c.Ptr(h)
	w.looked(h, p != nil)
	return p
}

// Contains is the container's Contains. It records a Get, or a Miss if h is stale.
func (w *WrappedResources[T, H]) Contains(h H) bool {
	ok := w.c.Contains(h)
	w.looked(h, ok)
	return ok
}

// Len is the container's Len. It records nothing.
func (w *WrappedResources[T, H]) Len() int { return w.c.Len() }

// Cap is the container's Cap. It records nothing.
func (w *WrappedResources[T, H]) Cap() int { return w.c.Cap() }

// Grow is the container's Grow. It records nothing.
func (w *WrappedResources[T, H]) Grow(n int) bool { return w.c.Grow(n) }

// Clear is the container's Clear. It records a Remove for each value, in the order of a loop.
func (w *WrappedResources[T, H]) Clear() {
	for h := range w.c.All() {
		w.removed(h)
	}
	w.c.Clear()
}

// All is the container's All. It records a Pass.
func (w *WrappedResources[T, H]) All() iter.Seq2[H, *T] { return passes2(&w.book, w.c.All()) }

// Values is the container's Values. It records a Pass.
func (w *WrappedResources[T, H]) Values() iter.Seq[*T] { return passes(&w.book, w.c.Values()) }

// Spans is the container's Spans. It records a Pass.
func (w *WrappedResources[T, H]) Spans() iter.Seq2[H, []T] { return passes2(&w.book, w.c.Spans()) }

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
	book[int]
}

// WrapIndexed is [Wrap] for an *arena.Pool. A lookup by an index that was reused is a Get, since an
// index has no generation. Only a lookup by a vacant index is a Miss. WrapIndexed does not detect a
// rewind of the arena.
// Cost: a loop over c.
func WrapIndexed[T any](t *Track, c Indexed[T]) *WrappedIndexed[T] {
	w := &WrappedIndexed[T]{c: c, book: newBook[int](t)}
	for i := range c.All() {
		w.insertedAt(i)
	}
	return w
}

// insertedAt is inserted for an index, where 0 is valid.
func (w *WrappedIndexed[T]) insertedAt(i int) {
	if !w.stopped() {
		w.add(i)
	}
}

// lookedAt is looked for an index.
func (w *WrappedIndexed[T]) lookedAt(i int, found bool) {
	if !w.stopped() {
		w.look(i, found)
	}
}

// Insert is the container's Insert. It records an Insert if it reports true.
func (w *WrappedIndexed[T]) Insert(v T) (int, bool) {
	i, ok := w.c.Insert(v)
	if ok {
		w.insertedAt(i)
	}
	return i, ok
}

// Remove is the container's Remove. It records a Remove, or a Miss if i is vacant.
func (w *WrappedIndexed[T]) Remove(i int) (T, bool) {
	v, ok := w.c.Remove(i)
	if ok {
		w.removed(i)
	} else {
		w.lookedAt(i, false)
	}
	return v, ok
}

// Get is the container's Get. It records a Get, or a Miss if i is vacant.
func (w *WrappedIndexed[T]) Get(i int) (T, bool) {
	v, ok := w.c.Get(i)
	w.lookedAt(i, ok)
	return v, ok
}

// Ptr is the container's Ptr. It records a Get, or a Miss if i is vacant.
func (w *WrappedIndexed[T]) Ptr(i int) *T {
	p := w.c.Ptr(i)
	w.lookedAt(i, p != nil)
	return p
}

// Contains is the container's Contains. It records a Get, or a Miss if i is vacant.
func (w *WrappedIndexed[T]) Contains(i int) bool {
	ok := w.c.Contains(i)
	w.lookedAt(i, ok)
	return ok
}

// Len is the container's Len. It records nothing.
func (w *WrappedIndexed[T]) Len() int { return w.c.Len() }

// Cap is the container's Cap. It records nothing.
func (w *WrappedIndexed[T]) Cap() int { return w.c.Cap() }

// Grow is the container's Grow. It records nothing.
func (w *WrappedIndexed[T]) Grow(n int) bool { return w.c.Grow(n) }

// Clear is the container's Clear. It records a Remove for each value, in the order of a loop.
func (w *WrappedIndexed[T]) Clear() {
	for i := range w.c.All() {
		w.removed(i)
	}
	w.c.Clear()
}

// All is the container's All. It records a Pass.
func (w *WrappedIndexed[T]) All() iter.Seq2[int, *T] { return passes2(&w.book, w.c.All()) }

// Values is the container's Values. It records a Pass.
func (w *WrappedIndexed[T]) Values() iter.Seq[*T] { return passes(&w.book, w.c.Values()) }

// Spans is the container's Spans. It records a Pass.
func (w *WrappedIndexed[T]) Spans() iter.Seq2[int, []T] { return passes2(&w.book, w.c.Spans()) }
