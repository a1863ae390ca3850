package berth

// Ref is a pointer to a value of a [Dense] that finds it again when it has moved. It remembers the
// place where the value was, and looks there first: one comparison tells whether it still is. It is
// never wrong: once its value is gone it finds nothing, whoever has the place now. The zero Ref
// finds nothing.
//
// A Ref is for whoever asks for the same value many times; to store or send, keep the [Handle]. It
// may be copied, and must not be used by several goroutines at once.
type Ref[T any] struct {
	d     *Dense[T]
	h     Handle[T]
	place uint32
}

// Ref returns a Ref to the value that h names. If h is stale, zero or foreign, so is the Ref: it
// finds nothing.
// Cost: O(1); never allocates.
func (d *Dense[T]) Ref(h Handle[T]) Ref[T] {
	if h.gen&1 == 0 {
		return Ref[T]{}
	}
	r := Ref[T]{d: d, h: h}
	r.find()
	return r
}

// Ptr returns a pointer to the value; nil if it is gone. The pointer is good until the next change;
// see [Dense].
// Cost: O(1), one step where the value has not moved since, else as [Dense.Ptr]; never allocates.
func (r *Ref[T]) Ptr() *T {
	if d := r.d; d != nil {
		if i := int(r.place); i < len(d.owner) && d.owner[i] == r.h {
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
	i := r.d.index.Ptr(slot(r.h))
	if i == nil {
		return nil
	}
	r.place = *i
	return &r.d.vals[*i]
}

// Get returns a copy of the value; it reports false if it is gone.
// Cost: as Ptr, and the copy.
func (r *Ref[T]) Get() (v T, ok bool) {
	if x := r.Ptr(); x != nil {
		return *x, true
	}
	return v, false
}

// Handle returns the handle of the value, or the zero Handle for the zero Ref.
// Cost: O(1).
func (r *Ref[T]) Handle() Handle[T] { return r.h }
