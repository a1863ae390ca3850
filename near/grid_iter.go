package near

import (
	"iter"
	"math"

	"github.com/seed505807e1/berth"
)

// Pairs returns an iterator over the pairs of values within radius of each other: each pair once.
//
// The order is by cells, and the same on every machine. A loop over it panics if radius is negative
// or NaN.
//
// Cost: O(Len), and a step for each pair of values in cells within radius, at most two passes over
// all pairs. Never allocates.
func (g *Grid[T]) Pairs(radius float64) iter.Seq2[berth.Entry[T], berth.Entry[T]] {
	return func(yield func(a, b berth.Entry[T]) bool) { gridPairs(g, radius, yield) }
}

func gridPairs[T any](g *Grid[T], r float64, yield func(a, b berth.Entry[T]) bool) {
	g.cells.radius("Pairs", r)
	changes, at := g.cells.changes, -1
	d, within := inquiry[T]{g: g, r: r, shape: g.shape}, areaOf(r, g.shape)
	var a berth.Entry[T]
	g.cells.pairs(&within, func(i, j int) bool {
		if i != at {
			if at, a = i, gridEntry(g, i); a.Value != nil {
				d.x, d.y, d.z = gridFound(g, i, a.Value)
			}
		}
		if a.Value == nil {
			return true
		}
		b := gridEntry(g, j)
		if b.Value == nil || !inquiryHas(&d, j, b.Value) {
			return true
		}
		if !yield(a, b) {
			return false
		}
		g.cells.unchanged(changes)
		a = gridEntry(g, i) // a may have been removed, or moved in memory
		return true
	})
}

// Traverse returns an iterator over all values, each with a view of the others within radius:
// cross-iteration of near values. It is [berth.Traverse] with few others.
//
// The body may change both through their pointers, and may remove any value from the container, the
// pivot included. The others are near the position that the grid keeps for the pivot. The order is
// by cells, and the same on every machine. A loop over it panics if radius is negative or NaN.
//
// Cost: O(Len), and for each loop over others a step for each value and each row of cells within
// radius, at most two passes over all values. Never allocates.
//
// Source: F. Saukko, StableList, University of Turku 2025, sections 2.3 and 4.4, for
// cross-iteration.
func (g *Grid[T]) Traverse(radius float64) iter.Seq2[berth.Entry[T], Others[T]] {
	return func(yield func(berth.Entry[T], Others[T]) bool) {
		var w walk[T]
		for walkBegin(&w, g, radius); walkNext(&w); {
			if !yield(w.e, w.o) {
				break
			}
		}
		walkEnd(&w)
	}
}

// walk is the state of a Traverse. Its loop is small enough to be inlined, with the loop's body, so
// the others need not be copied.
type walk[T any] struct {
	g       *Grid[T]
	i       int // the next item
	changes uint
	lone    lone
	e       berth.Entry[T]
	o       Others[T]
}

// walkBegin sets w before the first value.
func walkBegin[T any](w *walk[T], g *Grid[T], r float64) {
	g.cells.radius("Traverse", r)
	w.g, w.changes = g, g.cells.changes
	a := areaOf(r, g.shape)
	w.lone.begin(&g.cells, &a)
	w.o.d.g, w.o.d.r, w.o.d.shape = g, r, g.shape
	w.o.since = g.cells.changes
}

// walkNext advances to the next value. It reports whether there is one.
func walkNext[T any](w *walk[T]) bool {
	g := w.g
	g.cells.unchanged(w.changes)
	for i := w.i; i < len(g.cells.items); i++ {
		e := gridEntry(g, i)
		if e.Value == nil {
			continue
		}
		w.i, w.e = i+1, e
		d := &w.o.d
		d.but = e.Handle
		d.x, d.y, d.z = gridFound(g, i, e.Value)
		if g.cells.at(i).nowhere() {
			d.x = math.NaN()
		}
		d.none = w.lone.is(i)
		return true
	}
	return false
}

// walkEnd counts the steps.
func walkEnd[T any](w *walk[T]) {
	if counted != nil {
		counted(w.lone.spent)
	}
}

// Within returns an iterator over the values within radius of a place. There are none if a
// coordinate of the place is NaN or infinite. The order is by cells, and the same on every machine.
// A loop over it panics if radius is negative or NaN.
//
// Cost: a step for each value and each row of cells within radius, at most two passes over all
// values. Never allocates.
func (g *Grid[T]) Within(x, y, radius float64) iter.Seq[berth.Entry[T]] {
	return func(yield func(berth.Entry[T]) bool) { gridWithin(g, x, y, 0, radius, yield) }
}

func gridWithin[T any](g *Grid[T], x, y, z, r float64, yield func(berth.Entry[T]) bool) {
	g.cells.radius("Within", r)
	d := inquiry[T]{g: g, x: x, y: y, z: z, r: r, shape: g.shape}
	inquiryEach(&d, func(_ int, e berth.Entry[T]) bool { return yield(e) })
}

// Near returns an iterator over the others within radius of a value. It searches around the current
// position of the value, which may differ from the one in the grid. The value need not be in the
// grid. There are no others if h is stale, zero or foreign. The order is by cells, and the same on
// every machine. A loop over it panics if radius is negative or NaN.
//
// Cost: that of Within. Never allocates.
func (g *Grid[T]) Near(h berth.Handle[T], radius float64) iter.Seq[berth.Entry[T]] {
	return func(yield func(berth.Entry[T]) bool) { gridNear(g, h, radius, yield) }
}

func gridNear[T any](g *Grid[T], h berth.Handle[T], r float64, yield func(berth.Entry[T]) bool) {
	g.cells.radius("Near", r)
	if g.view == nil {
		return
	}
	p := g.view.Ptr(h)
	if p == nil {
		return
	}
	if x, y, z := gridWhere(g, p); !toFloat32(x, y, z).nowhere() {
		d := inquiry[T]{g, h, x, y, z, r, g.shape, false}
		inquiryEach(&d, func(_ int, e berth.Entry[T]) bool { return yield(e) })
	}
}

// gridEntry returns the value of an item, or the zero Entry if it was removed.
func gridEntry[T any](g *Grid[T], i int) berth.Entry[T] {
	h := berth.HandleFromUint64[T](g.cells.items[i].h)
	return berth.Entry[T]{Handle: h, Value: g.view.Ptr(h)}
}
