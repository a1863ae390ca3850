package near

import (
	"iter"
	"math"

	"github.com/seed505807e1/berth"
)

// inquiry is a search for the values within r of a place, except one. The zero inquiry has no
// results.
type inquiry[T any] struct {
	g       *Grid[T]
	but     berth.Handle[T]
	x, y, z float64
	r       float64
	shape   Shape
	none    bool // there was no result when it was made, which holds until the grid changes
}

// has reports whether item i, whose value is p, is within r.
func (d *inquiry[T]) has(i int, p *T) bool {
	if d.shape == Box {
		return d.distance(i, p) < d.r
	}
	return d.distance(i, p) <= d.r*d.r
}

// distance returns the distance of item i, whose value is p: in a Box the largest difference of a
// coordinate, in a Circle the square of the distance. The conversions keep processors from fusing a
// product with a sum, which rounds once instead of twice.
func (d *inquiry[T]) distance(i int, p *T) float64 {
	x, y, z := d.g.found(i, p)
	x, y, z = x-d.x, y-d.y, z-d.z
	if d.shape == Box {
		return max(math.Abs(x), math.Abs(y), math.Abs(z))
	}
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// nowhere reports whether a coordinate of the place is NaN or infinite.
func (d *inquiry[T]) nowhere() bool { return (d.x-d.x)+(d.y-d.y)+(d.z-d.z) != 0 }

// each calls hit for the items within r, until it returns false.
func (d *inquiry[T]) each(hit func(i int, e berth.Entry[T]) bool) { d.search(nil, hit) }

// search is each with an optional limit on steps. If it gives up at the limit, it returns false.
// With a limit, hit must return true.
func (d *inquiry[T]) search(limit *int, hit func(i int, e berth.Entry[T]) bool) bool {
	if d.g == nil || d.nowhere() {
		return true
	}
	g, changes, but := d.g, d.g.changes, d.but.Uint64()
	found := func(i int) bool {
		if g.cells.items[i].h == but { // the pivot or, without one, a vacant item: both are 0
			return true
		}
		e := g.entry(i)
		if e.Value == nil || !d.has(i, e.Value) {
			return true
		}
		if !hit(i, e) {
			return false
		}
		g.unchanged(changes)
		return true
	}
	a := areaOf(d.r, d.shape)
	if limit != nil {
		return g.cells.attempt(d.x, d.y, d.z, &a, limit, found)
	}
	return g.cells.within(d.x, d.y, d.z, &a, found)
}

// Others is a [berth.View] of the values near a place, except one, the pivot. It is small, and may
// be copied and kept. The place stays the same, and each call searches it anew. The zero Others has
// no values.
type Others[T any] struct {
	d     inquiry[T]
	since uint // the changes of the grid when it was made
}

// lone reports whether there are no others, without a search.
func (o *Others[T]) lone() bool { return o.d.none && o.since == o.d.g.changes }

// each calls hit for the others, until it returns false.
func (o *Others[T]) each(hit func(i int, e berth.Entry[T]) bool) {
	if !o.lone() {
		o.d.each(hit)
	}
}

var _ berth.View[int] = Others[int]{}

// Len returns the number of others.
// Cost: that of a loop over them.
func (o Others[T]) Len() (n int) {
	o.each(func(int, berth.Entry[T]) bool { n++; return true })
	return n
}

// Ptr returns a pointer to the value that h refers to. It returns nil if h is stale, zero or
// foreign, or if the value is the pivot or not near. The pointer is good as long as one of the
// container.
// Cost: that of a loop over the others.
func (o Others[T]) Ptr(h berth.Handle[T]) (p *T) {
	o.each(func(_ int, e berth.Entry[T]) bool {
		if e.Handle == h {
			p = e.Value
		}
		return p == nil
	})
	return p
}

// Get returns a copy of the value that h refers to. It reports false if [Others.Ptr] would return
// nil.
// Cost: that of a loop over the others.
func (o Others[T]) Get(h berth.Handle[T]) (v T, ok bool) {
	if p := o.Ptr(h); p != nil {
		return *p, true
	}
	return v, false
}

// Contains reports whether h refers to one of the others.
// Cost: that of a loop over the others.
func (o Others[T]) Contains(h berth.Handle[T]) bool { return o.Ptr(h) != nil }

// All returns an iterator over the others and their handles.
// Cost: that of [Grid.Within]. Never allocates.
func (o Others[T]) All() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		if !o.lone() {
			o.all(yield)
		}
	}
}

func (o *Others[T]) all(yield func(berth.Handle[T], *T) bool) {
	o.d.each(func(_ int, e berth.Entry[T]) bool { return yield(e.Handle, e.Value) })
}

// Values returns an iterator over the others.
// Cost: that of All; never allocates.
func (o Others[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		if !o.lone() {
			o.values(yield)
		}
	}
}

func (o *Others[T]) values(yield func(*T) bool) {
	o.d.each(func(_ int, e berth.Entry[T]) bool { return yield(e.Value) })
}
