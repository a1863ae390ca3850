package berth

import "iter"

// InsertSeq inserts the values of seq, in its order, and returns how many. It stops when d is full,
// and asks seq for no value that Limit has no room for; one that Memory refuses a place is lost.
// seq may use d in any way: a loop over d itself ends, by the rules of loops.
// Cost: Insert for each value, and a loop over seq, which allocates 3 small objects.
// Ends: as Insert.
func (d *Dense[T]) InsertSeq(seq iter.Seq[T]) (n int) {
	d.index.ready(0)
	if d.index.n >= d.index.max {
		return 0
	}
	for v := range seq {
		if d.Insert(v).IsZero() {
			break
		}
		if n++; d.index.n >= d.index.max {
			break
		}
	}
	return n
}

// InsertFunc lets f build a value, inserts it, and returns its handle. f gets a pointer to a zero
// T, which is moved into the Dense when f returns, and the handle that the value is going to have;
// until then, that handle finds nothing. If d is full, or Memory refuses, f is not called, and the
// zero Handle returned.
//
// f may use d in any way; its pointer is good until it returns. If f panics, nothing is inserted,
// and the handle that f was given stays stale. So it is if f has filled d up by inserts of its own,
// and Memory refuses to let it grow once more: then the zero Handle is returned after all.
// Cost: amortised O(1) and f, with a copy of the value: without f about three times Insert, since a
// panic in f is undone. It allocates where Insert would, and the first time, or where calls are
// nested, room for the value that f builds.
// Ends: as Insert.
func (d *Dense[T]) InsertFunc(f func(Handle[T], *T)) Handle[T] {
	if !d.makeRoom() {
		return Handle[T]{}
	}
	put := false
	s := d.index.InsertFunc(func(s Handle[uint32], place *uint32) {
		r := d.rarely()
		v := r.borrow()
		defer r.giveBack(v)
		h := Handle[T]{index: s.index, gen: s.gen}
		f(h, v)
		d.checkLeft()
		if put = d.makePlace(); put {
			*place = d.vacant()
			*d.put(h) = *v
		}
	})
	if s.IsZero() {
		return Handle[T]{}
	}
	if !put {
		d.index.Delete(s)
		return Handle[T]{}
	}
	h := Handle[T]{index: s.index, gen: s.gen}
	d.changed()
	d.inserted(h)
	return h
}
