package trace

import (
	"fmt"
	"iter"
)

// Container is a container that [Wrap] can record: *berth.Pool, *berth.Dense, *stable.ListOf, or
// any type with these methods. H is the type of its handles or keys. *Wrapped implements Container,
// so a program can keep its containers in variables of this type, wrapped or not.
type Container[T any, H comparable] interface {
	Insert(v T) H
	TryInsert(v T) (H, error)
	New() (H, *T)
	Remove(h H) (T, bool)
	Delete(h H) bool
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
	Values() iter.Seq[*T]
	Spans() iter.Seq2[H, []T]
	String() string
}

// Wrapped is a [Container] that records its use. It adds a map entry or two per live value to the
// memory of the container, and the time of a map access to most calls: see [Wrap].
type Wrapped[T any, H comparable] struct {
	c Container[T, H]
	wrapper[T, H]
}

// Wrap returns c with its use recorded in t. Operations on the result act on c. Changes to c that
// bypass the result are recorded when a lookup through it meets them. The values in c are recorded
// as inserts.
//
// Wrapped has the methods that *berth.Pool, *berth.Dense and *stable.ListOf share, InsertFunc and
// InsertAt, and those that save and load. If the container has no such method, InsertFunc panics,
// and the others return an error that wraps [errors.ErrUnsupported].
// Call the container's own methods (Clone, Stats, Slots, Sort and others), and functions such as
// berth.DenseTraverse, on c; Pass and Track record them by hand. [Pool] has all methods of a
// berth.Pool.
//
// Get, Ptr and Contains are Gets and Misses; for the zero handle nothing is recorded. Each loop is
// a Pass when it begins, even if its body breaks. A stale handle whose name has had two more values
// since is recorded as a Miss of the value removed last.
//
// The hooks of a container may use the result. An insert or a removal that calls a hook is recorded
// when the hook returns, or looks up the value, whichever comes first.
//
// Cost: a loop over c.
func Wrap[T any, H comparable](t *Track, c Container[T, H]) *Wrapped[T, H] {
	return &Wrapped[T, H]{c, newWrapper(newBook[H](t), c)}
}

// Insert is the container's Insert. It records an Insert, unless the container is full.
func (w *Wrapped[T, H]) Insert(v T) H {
	last := w.last
	h := w.c.Insert(v)
	w.insertedSince(last, h)
	return h
}

// TryInsert is the container's TryInsert. It records an Insert, unless there is an error.
func (w *Wrapped[T, H]) TryInsert(v T) (H, error) {
	last := w.last
	h, err := w.c.TryInsert(v)
	if err == nil {
		w.insertedSince(last, h)
	}
	return h, err
}

// New is the container's New. It records an Insert, unless the container is full.
func (w *Wrapped[T, H]) New() (H, *T) {
	last := w.last
	h, v := w.c.New()
	w.insertedSince(last, h)
	return h, v
}

// InsertFunc is the container's InsertFunc. It records an Insert after f returns, unless the
// container is full. It panics if the container has no InsertFunc, as *stable.ListOf.
func (w *Wrapped[T, H]) InsertFunc(f func(H, *T)) H {
	c, ok := w.c.(interface{ InsertFunc(func(H, *T)) H })
	if !ok {
		panic(fmt.Sprintf("trace: Wrapped.InsertFunc: %T has no InsertFunc", w.c))
	}
	last := w.last
	h := c.InsertFunc(f)
	w.insertedSince(last, h)
	return h
}

// Remove is the container's Remove. It records a Remove, or a Miss if h is stale.
func (w *Wrapped[T, H]) Remove(h H) (T, bool) {
	last := w.last
	v, ok := w.c.Remove(h)
	w.takenSince(last, h, ok)
	return v, ok
}

// Delete is the container's Delete. It records a Remove, or a Miss if h is stale.
func (w *Wrapped[T, H]) Delete(h H) bool {
	last := w.last
	ok := w.c.Delete(h)
	w.takenSince(last, h, ok)
	return ok
}

// String is the container's String. It records nothing.
func (w *Wrapped[T, H]) String() string { return w.c.String() }

// Grow is the container's Grow. It records nothing.
func (w *Wrapped[T, H]) Grow(n int) { w.c.Grow(n) }

// Clip is the container's Clip. It records nothing.
func (w *Wrapped[T, H]) Clip() { w.c.Clip() }

// RemoveFunc is the container's RemoveFunc. It records a Pass, and a Remove for each removed value.
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
