package berth

import (
	"iter"
)

// DenseInsertSeq inserts the values of seq in order, and returns how many. It stops when d is full,
// and takes no value from seq beyond Limit. If Memory refuses, the value just taken is lost. seq
// may use d in any way. A loop over d itself ends, by the rules of loops.
// Cost: Insert for each value, and a loop over seq, which allocates 3 small objects.
// Ends: as [Dense.Insert].
//
//berth:ends all of d
func DenseInsertSeq[T any](d *Dense[T], seq iter.Seq[T]) (n int) {
	d.index.core().ready(0)
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
// T, which is moved into the Dense when f returns, and the handle that the value will have. Until
// then, that handle finds nothing. If d is full or Memory refuses, InsertFunc does not call f, and
// returns the zero Handle.
//
// f may use d in any way. Its pointer is valid until it returns. If f panics, nothing is inserted,
// and the handle that f was given stays stale. The same happens if f itself fills d up, and Memory
// refuses to let it grow again: InsertFunc then returns the zero Handle.
// Cost: amortised O(1) and f, with a copy of the value; without f about three times Insert, because
// a panic in f is undone. It allocates when Insert would, and memory for the value that f builds:
// the first time, after a panic of f or a Clip, and when calls are nested.
// Ends: as Insert.
//
//berth:issues r0
//berth:ends all
func (d *Dense[T]) InsertFunc(f func(Handle[T], *T)) Handle[T] {
	h := denseOf(d).insertFunc(func(h id, v ref) {
		f(Handle[T]{id: h}, (*T)(v))
	})
	return Handle[T]{id: h}
}

//go:noinline
func (d *dense) insertFunc(f func(id, ref)) id {
	if !d.makeRoom() {
		return id{}
	}
	var at ref
	h := d.index.core().insertFunc(func(h id, place ref) {
		r := d.rarely()
		x := r.borrow(d.kind)
		if d.kind.flat {
			d.kind.clear(x, 1)
		}
		f(h, x)
		d.checkLeft()
		if d.makePlace() {
			*(*uint32)(place) = d.vacant()
			at = d.put(h)
			d.kind.copy(at, x, 1)
		}
		r.giveBack(d.kind, x)
	})
	if isZero(h) {
		return h
	}
	if at == nil {
		d.index.core().delete(h)
		return id{}
	}
	d.changed()
	if d.index.hooked {
		d.inserted(h, at)
	}
	return h
}
