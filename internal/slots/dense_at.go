package slots

import "fmt"

// OpenAt makes the slot of h live, and returns its place, which is zero.
//
//go:noinline
func (d *Dense) OpenAt(h ID) (Ref, error) {
	const fn = "DenseInsertAt"
	p := d.Index.Core()
	if p.Max == 0 && p.N == 0 && len(p.Rare.Building()) == 0 {
		p.init(Config{})
	}
	if err := p.mayInsertAt(h); err != nil {
		return nil, fmt.Errorf("%w: %s: %s", err, fn, TextOf(h))
	}
	d.checkVacant()
	if s := h.Index - p.Salt; !p.bring(int(s>>6)) || !d.makePlace() {
		return nil, fmt.Errorf("berth: %s: %w", fn, p.Supply.Why())
	}
	x, err := p.OpenAt(fn, h)
	if err != nil {
		return nil, err // impossible: all was checked
	}
	*(*uint32)(x) = d.vacant()
	return d.put(h), nil
}

// OpenedAt is called when the value v of h is in the place that openAt has returned.
//
//go:noinline
func (d *Dense) OpenedAt(h ID, v Ref) {
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.MarkEdited(h) // if h was live when the frame began
	}
	d.Changed()
	d.Inserted(h, v)
}

// PlaceOf is PlaceOf.
func (d *Dense) PlaceOf(h ID) int {
	if i := d.Index.Place(h); i != nil {
		return int(*i)
	}
	return -1
}

// CopyFrom is that of a Dense.
//
//go:noinline
func (s *DenseState) CopyFrom(block any, from *DenseState) {
	if s == from {
		return
	}
	const fn = "Dense.CopyFrom"
	d, q := DenseAt(s, block), DenseAt(from, block)
	d.checkPlaces()
	n := q.Vals.N
	if q.Reserve > 0 {
		n = q.Vals.Cap
	}
	if n > d.Vals.Cap && !d.SetCap(n) {
		d.Index.Supply.fail(fn)
	}
	d.Index.Core().CopyFrom(fn, q.Index.Core())
	n = q.Vals.N
	d.clearPlaces(n)
	d.Vals.N, d.Owner = n, d.Owner[:n]
	if n > 0 {
		d.Kind.copy(d.Vals.First, q.Vals.First, n)
	}
	copy(d.Owner, q.Owner)
	d.Hole, d.Holes = q.Hole, q.Holes
	d.Defrag, d.ShrinkAbove = q.Defrag, q.ShrinkAbove
	d.Grown, d.Released = q.Grown, q.Released
	d.copyWho(q)
	d.loaded(q.Reserve)
}

// InsertFunc is that of a Dense. If f reports false, there is no value, and the handle is zero.
//
//go:noinline
func (s *DenseState) InsertFunc(block any, f func(ID, Ref) bool) ID {
	d := DenseAt(s, block)
	if !d.makeRoom() {
		return ID{}
	}
	var at Ref
	h := d.Index.InsertFunc((*Block[uint32])(nil), func(h ID, place Ref) bool {
		r := d.Rarely()
		x := r.borrow(d.Kind)
		if d.Kind.Flat {
			d.Kind.clear(x, 1)
		}
		ok := f(h, x)
		d.CheckLeft()
		if ok && d.makePlace() {
			*(*uint32)(place) = d.vacant()
			at = d.put(h)
			d.Kind.copy(at, x, 1)
		}
		r.giveBack(d.Kind, x)
		return ok
	})
	if IsZero(h) {
		return h
	}
	if at == nil {
		d.Index.Core().Delete(h)
		return ID{}
	}
	d.Changed()
	if d.Index.Hooked {
		d.Inserted(h, at)
	}
	return h
}
