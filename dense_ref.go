package berth

// Ref is a pointer to a value of a [Dense] that finds the value again when it has moved. It caches
// the place of the value, and verifies it with one comparison. It is always exact: once its value
// is removed it finds nothing, even if another value has taken the place. The zero Ref finds
// nothing.
//
// Use a Ref to look up the same value many times. To store or send a reference, use the [Handle]. A
// Ref may be copied, but must not be used by several goroutines at once.
type Ref[T any] struct {
	d     *Dense[T]
	h     Handle[T]
	place uint32
}

// NewRef returns a Ref to the value of h in d. If h is stale, zero or foreign, the Ref finds
// nothing.
//
// Cost: O(1); never allocates.
func NewRef[T any](d *Dense[T], h Handle[T]) Ref[T] {
	if h.id.Gen&1 == 0 {
		return Ref[T]{}
	}
	r := Ref[T]{d: d, h: h}
	r.find()
	return r
}

// Ptr returns a pointer to the value, or nil if it has been removed. The pointer is valid until the
// next change; see [Dense].
//
// Cost: O(1), one step if the value has not moved since, else as [Dense.Ptr]; never allocates.
func (r *Ref[T]) Ptr() *T {
	if d := r.d; d != nil {
		if i := int(r.place); i < len(d.state.Owner) && d.state.Owner[i] == r.h.id {
			return &d.vals[i]
		}
	}
	return r.find()
}

// find looks up the place.
func (r *Ref[T]) find() *T {
	if r.d == nil {
		return nil
	}
	i := r.d.state.Index.Place(r.h.id)
	if i == nil {
		return nil
	}
	r.place = *i
	return &r.d.vals[*i]
}

// Get returns a copy of the value. It reports false if the value has been removed.
//
// Cost: as Ptr, and the copy.
func (r *Ref[T]) Get() (v T, ok bool) {
	if x := r.Ptr(); x != nil {
		return *x, true
	}
	return v, false
}

// Handle returns the handle of the value, or the zero Handle for the zero Ref.
//
// Cost: O(1).
func (r *Ref[T]) Handle() Handle[T] { return r.h }
