package trace

import "iter"

// Container is what can be wrapped: *berth.Pool, *berth.Dense, *stable.ListOf, and whatever else
// has these verbs. H is the type of its handles, or keys. *Wrapped is one too, so a program may
// keep its containers in variables of this type, and wrap them or not.
type Container[T any, H comparable] interface {
	Insert(v T) H
	TryInsert(v T) (H, error)
	Remove(h H) (T, bool)
	Get(h H) (T, bool)
	Ptr(h H) *T
	Contains(h H) bool
	Len() int
	Cap() int
	Grow(n int)
	Clip()
	Clear()
	RemoveFunc(f func(H, *T) bool) int
	All() iter.Seq2[H, *T]
	Backward() iter.Seq2[H, *T]
	Values() iter.Seq[*T]
	Spans() iter.Seq2[H, []T]
	Drain() iter.Seq2[H, T]
}

// Wrapped is a [Container] that records what is done with it, and else does and costs what the
// container does, and a map entry or two per living value: see [Wrap].
type Wrapped[T any, H comparable] struct {
	c Container[T, H]
	book[H]
}

// Wrap returns c, recorded in t. What is done with the result is done with c, and recorded; what is
// done with c by another way, such as a verb that Wrapped has not, is not. The values that c has
// already are recorded as inserts.
//
// Get, Ptr and Contains are Gets and Misses; of the zero handle they are nothing. Each loop is a
// Pass when it begins, also if its body breaks. A stale handle whose slot, or rather name, has had
// two more values since is recorded as a Miss of the value that was removed last.
// Cost: a loop over c.
func Wrap[T any, H comparable](t *Track, c Container[T, H]) *Wrapped[T, H] {
	w := &Wrapped[T, H]{c: c, book: newBook[H](t)}
	for h := range c.All() {
		w.inserted(h)
	}
	return w
}

// Insert is the container's, and an Insert unless the container is full.
func (w *Wrapped[T, H]) Insert(v T) H {
	h := w.c.Insert(v)
	w.inserted(h)
	return h
}

// TryInsert is the container's, and an Insert if there is no error.
func (w *Wrapped[T, H]) TryInsert(v T) (H, error) {
	h, err := w.c.TryInsert(v)
	if err == nil {
		w.inserted(h)
	}
	return h, err
}

// Remove is the container's, and a Remove if it reports true; else a Miss, since the container had
// to look.
func (w *Wrapped[T, H]) Remove(h H) (T, bool) {
	v, ok := w.c.Remove(h)
	if ok {
		w.removed(h)
	} else {
		w.looked(h, false)
	}
	return v, ok
}

// Get is the container's, and a Get or a Miss.
func (w *Wrapped[T, H]) Get(h H) (T, bool) {
	v, ok := w.c.Get(h)
	w.looked(h, ok)
	return v, ok
}

// Ptr is the container's, and a Get or a Miss.
func (w *Wrapped[T, H]) Ptr(h H) *T {
	p := w.c.Ptr(h)
	w.looked(h, p != nil)
	return p
}

// Contains is the container's, and a Get or a Miss.
func (w *Wrapped[T, H]) Contains(h H) bool {
	ok := w.c.Contains(h)
	w.looked(h, ok)
	return ok
}

// Len is the container's, and nothing in the stream.
func (w *Wrapped[T, H]) Len() int { return w.c.Len() }

// Cap is the container's, and nothing in the stream.
func (w *Wrapped[T, H]) Cap() int { return w.c.Cap() }

// Grow is the container's, and nothing in the stream.
func (w *Wrapped[T, H]) Grow(n int) { w.c.Grow(n) }

// Clip is the container's, and nothing in the stream.
func (w *Wrapped[T, H]) Clip() { w.c.Clip() }

// Clear is the container's, and a Remove for each value, in the order of a loop.
func (w *Wrapped[T, H]) Clear() {
	for h := range w.c.All() {
		w.removed(h)
	}
	w.c.Clear()
}

// RemoveFunc is the container's, and a Pass, and a Remove for each value that goes.
func (w *Wrapped[T, H]) RemoveFunc(f func(H, *T) bool) int {
	w.Pass()
	return w.c.RemoveFunc(func(h H, v *T) bool {
		goes := f(h, v)
		if goes {
			w.removed(h) // nothing, if f has removed it itself
		}
		return goes
	})
}

// All is the container's, and a Pass.
func (w *Wrapped[T, H]) All() iter.Seq2[H, *T] { return passes2(&w.book, w.c.All()) }

// Backward is the container's, and a Pass.
func (w *Wrapped[T, H]) Backward() iter.Seq2[H, *T] { return passes2(&w.book, w.c.Backward()) }

// Spans is the container's, and a Pass.
func (w *Wrapped[T, H]) Spans() iter.Seq2[H, []T] { return passes2(&w.book, w.c.Spans()) }

// Values is the container's, and a Pass.
func (w *Wrapped[T, H]) Values() iter.Seq[*T] { return passes(&w.book, w.c.Values()) }

// Drain is the container's, and a Pass, and a Remove for each value that goes.
func (w *Wrapped[T, H]) Drain() iter.Seq2[H, T] {
	return func(yield func(H, T) bool) {
		w.Pass()
		for h, v := range w.c.Drain() {
			w.removed(h)
			if !yield(h, v) {
				return
			}
		}
	}
}
