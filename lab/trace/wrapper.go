package trace

import "iter"

// shared has the methods that all containers share.
type shared[T any, H comparable] interface {
	Get(h H) (T, bool)
	Ptr(h H) *T
	Contains(h H) bool
	Len() int
	Cap() int
	Clear()
	All() iter.Seq2[H, *T]
	Values() iter.Seq[*T]
	Spans() iter.Seq2[H, []T]
}

// wrapper records these methods of a container.
type wrapper[T any, H comparable] struct {
	in shared[T, H]
	book[H]
}

// newWrapper records the values in c as inserts.
func newWrapper[T any, H comparable](b book[H], c shared[T, H]) wrapper[T, H] {
	w := wrapper[T, H]{c, b}
	for h := range c.All() {
		w.inserted(h)
	}
	return w
}

// Get is the container's Get. It records a Get, or a Miss if h is stale.
func (w *wrapper[T, H]) Get(h H) (T, bool) {
	v, ok := w.in.Get(h)
	w.looked(h, ok)
	return v, ok
}

// Ptr is the container's Ptr. It records a Get, or a Miss if h is stale.
func (w *wrapper[T, H]) Ptr(h H) *T {
	p := w.in.Ptr(h)
	w.looked(h, p != nil)
	return p
}

// Contains is the container's Contains. It records a Get, or a Miss if h is stale.
func (w *wrapper[T, H]) Contains(h H) bool {
	ok := w.in.Contains(h)
	w.looked(h, ok)
	return ok
}

// Len is the container's Len. It records nothing.
func (w *wrapper[T, H]) Len() int { return w.in.Len() }

// Cap is the container's Cap. It records nothing.
func (w *wrapper[T, H]) Cap() int { return w.in.Cap() }

// Clear is the container's Clear. It records a Remove for each value, in the order of a loop.
func (w *wrapper[T, H]) Clear() {
	if w.stopped() {
		w.in.Clear()
		return
	}
	hs := handles(w.in)
	w.in.Clear()
	for _, h := range hs {
		w.removed(h) // nothing, if a hook has looked it up
	}
}

// All is the container's All. It records a Pass.
func (w *wrapper[T, H]) All() iter.Seq2[H, *T] { return passes2(&w.book, w.in.All()) }

// Spans is the container's Spans. It records a Pass.
func (w *wrapper[T, H]) Spans() iter.Seq2[H, []T] { return passes2(&w.book, w.in.Spans()) }

// Values is the container's Values. It records a Pass.
func (w *wrapper[T, H]) Values() iter.Seq[*T] { return passes(&w.book, w.in.Values()) }
