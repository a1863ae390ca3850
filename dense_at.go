package berth

import "fmt"

// InsertAt inserts v under the handle h, into a hole or else after the last value. The conditions
// and the errors are those of [Pool.InsertAt]. It calls OnInsert.
// Cost: amortised O(1); allocates as Insert, and the slot's chunk if that is not in memory.
// Ends: pointers to values, if it grows.
//
//berth:ends all
//berth:clones
func (d *Dense[T]) InsertAt(h Handle[T], v T) error {
	c := denseOf(d)
	at, err := c.openAt(h.id)
	if err == nil {
		*(*T)(at) = v
		c.openedAt(h.id, at)
	}
	return err
}

// openAt makes the slot of h live, and returns its place, which is zero.
//
//go:noinline
func (d *dense) openAt(h id) (ref, error) {
	const fn = "Dense.InsertAt"
	p := d.index.core()
	if p.max == 0 && p.n == 0 && len(p.rare.building()) == 0 {
		p.init(Config{})
	}
	if err := p.mayInsertAt(h); err != nil {
		return nil, fmt.Errorf("%w: %s: %s", err, fn, textOf(h))
	}
	d.checkVacant()
	if s := h.index - p.salt; !p.bring(int(s>>6)) || !d.makePlace() {
		return nil, fmt.Errorf("berth: %s: %w", fn, p.supply.why())
	}
	x, err := p.openAt(fn, h)
	if err != nil {
		return nil, err // impossible: all was checked
	}
	*(*uint32)(x) = d.vacant()
	return d.put(h), nil
}

// openedAt is called when the value v of h is in the place that openAt has returned.
//
//go:noinline
func (d *dense) openedAt(h id, v ref) {
	if l := d.rare.placeRecorder(); l != nil {
		l.markEdited(h) // if h was live when the frame began
	}
	d.changed()
	d.inserted(h, v)
}

// PlaceOf returns the place of the value of h, or -1 if h is stale, zero or foreign. It is the
// inverse of [Dense.HandleAt].
// Cost: O(1); never allocates.
//
//berth:asks h
func (d *Dense[T]) PlaceOf(h Handle[T]) int {
	return lookDense(d).placeOf(h.id)
}

// placeOf is PlaceOf.
func (d *dense) placeOf(h id) int {
	if i := d.index.place(h); i != nil {
		return int(*i)
	}
	return -1
}

// CopyFrom makes d a copy of q, as [Dense.Clone] would return it, in the memory that d has. It
// takes the values in their order, the handles, and the settings of q. Memory and hooks stay those
// of d, and no hook is called. CopyFrom panics if InsertFunc is building a value in d, or if Memory
// refuses; the values of d are then unchanged.
// Cost: O(Cap); copies all slots and places, and allocates the memory that d lacks: nothing in a
// steady state.
// Ends: all handles and pointers of d, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) CopyFrom(q *Dense[T]) {
	if d != q {
		denseOf(d).copyFrom(denseOf(q))
	}
}

//go:noinline
func (d *dense) copyFrom(q *dense) {
	const fn = "Dense.CopyFrom"
	d.checkPlaces()
	n := q.vals.n
	if q.reserve > 0 {
		n = q.vals.cap
	}
	if n > d.vals.cap && !d.setCap(n) {
		d.index.supply.fail(fn)
	}
	d.index.core().copyFrom(fn, q.index.core())
	n = q.vals.n
	d.clearPlaces(n)
	d.vals.n, d.owner = n, d.owner[:n]
	if n > 0 {
		d.kind.copy(d.vals.first, q.vals.first, n)
	}
	copy(d.owner, q.owner)
	d.hole, d.holes = q.hole, q.holes
	d.defrag, d.shrinkAbove = q.defrag, q.shrinkAbove
	d.grown, d.released = q.grown, q.released
	d.copyWho(q)
	d.loaded(q.reserve)
}
