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

// inquiryHas reports whether item i, whose value is p, is within r.
func inquiryHas[T any](d *inquiry[T], i int, p *T) bool {
	if d.shape == Box {
		return inquiryDistance(d, i, p) < d.r
	}
	return inquiryDistance(d, i, p) <= d.r*d.r
}

// inquiryDistance returns the distance of item i, whose value is p: in a Box the largest difference
// of a coordinate, in a Circle the square of the distance. The conversions keep processors from
// fusing a product with a sum, which rounds once instead of twice.
func inquiryDistance[T any](d *inquiry[T], i int, p *T) float64 {
	x, y, z := gridFound(d.g, i, p)
	x, y, z = x-d.x, y-d.y, z-d.z
	if d.shape == Box {
		return max(math.Abs(x), math.Abs(y), math.Abs(z))
	}
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// inquiryNowhere reports whether a coordinate of the place is NaN or infinite.
func inquiryNowhere[T any](d *inquiry[T]) bool { return (d.x-d.x)+(d.y-d.y)+(d.z-d.z) != 0 }

// inquiryEach calls hit for the items within r, until it returns false.
func inquiryEach[T any](d *inquiry[T], hit func(i int, e berth.Entry[T]) bool) {
	inquirySearch(d, nil, hit)
}

// inquirySearch is each with an optional limit on steps. If it gives up at the limit, it returns
// false. With a limit, hit must return true.
func inquirySearch[T any](d *inquiry[T], limit *int, hit func(i int, e berth.Entry[T]) bool) bool {
	if d.g == nil || inquiryNowhere(d) {
		return true
	}
	g, changes, but := d.g, d.g.cells.changes, d.but.Uint64()
	found := func(i int) bool {
		if g.cells.items[i].h == but { // the pivot or, without one, a vacant item: both are 0
			return true
		}
		e := gridEntry(g, i)
		if e.Value == nil || !inquiryHas(d, i, e.Value) {
			return true
		}
		if !hit(i, e) {
			return false
		}
		g.cells.unchanged(changes)
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

// othersLone reports whether there are no others, without a search.
func othersLone[T any](o *Others[T]) bool { return o.d.none && o.since == o.d.g.cells.changes }

// othersEach calls hit for the others, until it returns false.
func othersEach[T any](o *Others[T], hit func(i int, e berth.Entry[T]) bool) {
	if !othersLone(o) {
		inquiryEach(&o.d, hit)
	}
}

var _ berth.View[int] = Others[int]{}

// Len returns the number of others.
//
// Cost: that of a loop over them.
func (o Others[T]) Len() (n int) {
	othersEach(&o, func(int, berth.Entry[T]) bool { n++; return true })
	return n
}

// Ptr returns a pointer to the value that h refers to. It returns nil if h is stale, zero or
// foreign, or if the value is the pivot or not near. The pointer is good as long as one of the
// container.
//
// Cost: that of a loop over the others.
func (o Others[T]) Ptr(h berth.Handle[T]) (p *T) {
	othersEach(&o, func(_ int, e berth.Entry[T]) bool {
		if e.Handle == h {
			p = e.Value
		}
		return p == nil
	})
	return p
}

// Get returns a copy of the value that h refers to. It reports false if [Others.Ptr] would return
// nil.
//
// Cost: that of a loop over the others.
func (o Others[T]) Get(h berth.Handle[T]) (v T, ok bool) {
	if p := o.Ptr(h); p != nil {
		return *p, true
	}
	return v, false
}

// Contains reports whether h refers to one of the others.
//
// Cost: that of a loop over the others.
func (o Others[T]) Contains(h berth.Handle[T]) bool { return o.Ptr(h) != nil }

// All returns an iterator over the others and their handles.
//
// Cost: that of [Grid.Within]. Never allocates.
func (o Others[T]) All() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		if !othersLone(&o) {
			othersAll(&o, yield)
		}
	}
}

func othersAll[T any](o *Others[T], yield func(berth.Handle[T], *T) bool) {
	inquiryEach(&o.d, func(_ int, e berth.Entry[T]) bool { return yield(e.Handle, e.Value) })
}

// Values returns an iterator over the others.
//
// Cost: that of All; never allocates.
func (o Others[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		if !othersLone(&o) {
			othersValues(&o, yield)
		}
	}
}

func othersValues[T any](o *Others[T], yield func(*T) bool) {
	inquiryEach(&o.d, func(_ int, e berth.Entry[T]) bool { return yield(e.Value) })
}
