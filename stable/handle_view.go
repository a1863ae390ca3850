package stable

import (
	"iter"

	"github.com/seed505807e1/berth"
)

// HandleOf returns k as a [berth.Handle] of the same 8 bytes. Its generation is the ID of k, which
// may be even. The zero Key becomes the zero Handle. [KeyOf] is the inverse.
//
// Cost: O(1); never allocates.
func HandleOf[T any](k ListKey[T]) berth.Handle[T] {
	return berth.HandleFromUint64[T](uint64(k.id)<<32 | uint64(k.index))
}

// KeyOf returns the key of a handle that [HandleOf] or a [HandleView] has returned. The key of any
// other handle, such as one of a [berth.Pool], finds nothing or, by chance, an unrelated value.
//
// Cost: O(1); never allocates.
func KeyOf[T any](h berth.Handle[T]) ListKey[T] {
	u := h.Uint64()
	if u>>32 == 0 {
		return ListKey[T]{}
	}
	return ListKey[T]{index: uint32(u), id: Counter32(u >> 32)}
}

// HandleView is a [berth.View] of a [List], in which keys appear as handles. [ByHandle] returns
// one. It is small, may be copied and kept, and always shows the current state of the list. Its
// loops follow the rules of loops at [ListOf]. Its pointers are the list's: valid until the list
// grows or releases memory. The zero HandleView shows nothing.
//
// Only a List has one. A handle has 8 bytes, as the keys of a List have. A key with an index or an
// identifier of 64 bits does not fit, and a part of it does not tell whether it is stale.
type HandleView[T any] struct{ l *List[T] }

var _ berth.View[int] = HandleView[int]{}

// ByHandle returns a [berth.View] of l, for functions of a View and for the grid of package near.
// [KeyOf] converts its handles to keys of l, and [HandleOf] converts keys to handles. The view of a
// nil list shows nothing.
//
// Cost: O(1); never allocates.
//
//berth:shares r0 of l
func ByHandle[T any](l *List[T]) HandleView[T] { return HandleView[T]{l} }

// Len is [ListOf.Len].
//
// Cost: O(1).
func (v HandleView[T]) Len() int {
	if v.l == nil {
		return 0
	}
	return v.l.Len()
}

// Ptr is [ListOf.Ptr] for the key of h.
//
// Cost: O(1); never allocates.
//
//berth:lends r0 by h
func (v HandleView[T]) Ptr(h berth.Handle[T]) *T {
	if v.l == nil {
		return nil
	}
	return v.l.Ptr(KeyOf(h))
}

// Get is [ListOf.Get] for the key of h.
//
// Cost: O(1) and the copy; never allocates.
//
//berth:copies r0
func (v HandleView[T]) Get(h berth.Handle[T]) (x T, ok bool) {
	if p := v.Ptr(h); p != nil {
		return *p, true
	}
	return x, false
}

// Contains is [ListOf.Contains] for the key of h.
//
// Cost: O(1); never allocates.
func (v HandleView[T]) Contains(h berth.Handle[T]) bool { return v.Ptr(h) != nil }

// All is [ListOf.All] with handles.
//
// Cost: as ListOf.All.
//
//berth:lends y1 by y0
func (v HandleView[T]) All() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		if v.l == nil {
			return
		}
		for k, p := range v.l.All() {
			if !yield(HandleOf(k), p) {
				return
			}
		}
	}
}

// Values is [ListOf.Values].
//
// Cost: as ListOf.Values.
//
//berth:lends y0
func (v HandleView[T]) Values() iter.Seq[*T] { return ListOthers[T]{l: v.l}.Values() }

// Spans is [ListOf.Spans], with the handle of the first value of each span.
//
// Cost: as ListOf.Spans.
//
//berth:lends y1
func (v HandleView[T]) Spans() iter.Seq2[berth.Handle[T], []T] {
	return func(yield func(berth.Handle[T], []T) bool) {
		if v.l == nil {
			return
		}
		for k, vs := range v.l.Spans() {
			if !yield(HandleOf(k), vs) {
				return
			}
		}
	}
}
