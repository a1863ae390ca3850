package near

import (
	"iter"

	"github.com/seed505807e1/berth"
)

// Pairs returns an iterator over the values within radius of each other: each pair once.
//
// The order is by cells, and the same on every machine. A loop over it panics if radius is negative
// or NaN.
// Cost: O(Len), and a step for each pair of values in cells within radius, at most two passes over
// all pairs. Never allocates.
func (g *Grid[T]) Pairs(radius float64) iter.Seq2[berth.Entry[T], berth.Entry[T]] {
	return func(yield func(a, b berth.Entry[T]) bool) { g.pairs(radius, yield) }
}

func (g *Grid[T]) pairs(r float64, yield func(a, b berth.Entry[T]) bool) {
	g.radius("Pairs", r)
	changes, at := g.changes, -1
	d := inquiry[T]{g: g, area: areaOf(r, g.shape)}
	var a berth.Entry[T]
	g.cells.pairs(&d.area, func(i, j int) bool {
		if i != at {
			if at, a = i, g.entry(i); a.Value != nil {
				d.x, d.y, d.z = g.found(i, a.Value)
			}
		}
		if a.Value == nil {
			return true
		}
		b := g.entry(j)
		if b.Value == nil || !d.has(j, b.Value) {
			return true
		}
		if !yield(a, b) {
			return false
		}
		g.unchanged(changes)
		a = g.entry(i) // it may have been removed, or have another place in memory
		return true
	})
}

// Traverse returns an iterator over all values, each with a view of the others within radius:
// cross-iteration of those that are near. It is [berth.Pool.Traverse] with few others.
//
// Both sides may be changed through their pointers, and any value be removed from the container,
// the pivot too. The others are near the place where the grid has the pivot. The order is by cells,
// and the same on every machine. It panics if radius is negative or NaN.
// Cost: O(Len), and for each loop over others a step for each value and each row of cells within
// radius, at most two passes over all values. Never allocates.
// Source: F. Saukko, StableList, University of Turku 2025, sections 2.3 and 4.4, for
// cross-iteration.
func (g *Grid[T]) Traverse(radius float64) iter.Seq2[berth.Entry[T], Others[T]] {
	return func(yield func(berth.Entry[T], Others[T]) bool) { g.traverse(radius, yield) }
}

func (g *Grid[T]) traverse(r float64, yield func(berth.Entry[T], Others[T]) bool) {
	g.radius("Traverse", r)
	changes, a := g.changes, areaOf(r, g.shape)
	for i := range g.cells.items {
		e := g.entry(i)
		if e.Value == nil {
			continue
		}
		var d inquiry[T] // of nobody, if it is nowhere
		if !g.cells.at(i).nowhere() {
			x, y, z := g.found(i, e.Value)
			d = inquiry[T]{g, e.Handle, x, y, z, a}
		}
		if !yield(e, Others[T]{d}) {
			return
		}
		g.unchanged(changes)
	}
}

// Within returns an iterator over the values within radius of a place: none if a coordinate of it
// is NaN or infinite. The order is by cells, and the same on every machine. A loop over it panics
// if radius is negative or NaN.
// Cost: a step for each value and each row of cells within radius, at most two passes over all
// values. Never allocates.
func (g *Grid[T]) Within(x, y, radius float64) iter.Seq[berth.Entry[T]] {
	return func(yield func(berth.Entry[T]) bool) { g.within(x, y, 0, radius, yield) }
}

func (g *Grid[T]) within(x, y, z, r float64, yield func(berth.Entry[T]) bool) {
	g.radius("Within", r)
	d := inquiry[T]{g: g, x: x, y: y, z: z, area: areaOf(r, g.shape)}
	d.each(func(_ int, e berth.Entry[T]) bool { return yield(e) })
}

// Near returns an iterator over the others within radius of a value. It searches around the place
// where the value is now, which may not be where the grid has it. The value need not be in the
// grid. There are no others if h is stale, zero or foreign. The order is by cells, and the same on
// every machine. A loop over it panics if radius is negative or NaN.
// Cost: that of Within. Never allocates.
func (g *Grid[T]) Near(h berth.Handle[T], radius float64) iter.Seq[berth.Entry[T]] {
	return func(yield func(berth.Entry[T]) bool) { g.near(h, radius, yield) }
}

func (g *Grid[T]) near(h berth.Handle[T], r float64, yield func(berth.Entry[T]) bool) {
	g.radius("Near", r)
	if g.view == nil {
		return
	}
	p := g.view.Ptr(h)
	if p == nil {
		return
	}
	if x, y, z := g.where(p); !toFloat32(x, y, z).nowhere() {
		d := inquiry[T]{g, h, x, y, z, areaOf(r, g.shape)}
		d.each(func(_ int, e berth.Entry[T]) bool { return yield(e) })
	}
}

// entry returns the value of an item, or nothing if it is gone.
func (g *Grid[T]) entry(i int) berth.Entry[T] {
	h := berth.HandleFromUint64[T](g.cells.items[i].h)
	return berth.Entry[T]{Handle: h, Value: g.view.Ptr(h)}
}
