package near

import (
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/nocopy"
	"github.com/seed505807e1/berth/internal/plain"
)

// Shape is the meaning of a radius r.
type Shape uint8

const (
	// Circle means that the distance is at most r. In a [Grid3] it is a ball.
	Circle Shape = iota
	// Box means that |dx| and |dy|, and in a [Grid3] |dz|, are each less than r. It is the
	// collision rule of the thesis.
	Box
)

// Grid is a spatial index of values in the plane. The package documentation describes how loops
// treat values that are changed, moved and removed, and the cost of searches.
//
// Make one with [NewGrid], and call [Grid.Rebuild] whenever values have moved, such as once a
// frame. To keep it up to date value by value instead, call Rebuild once while the container is
// empty, and [Grid.Insert], [Grid.Move] and [Grid.Remove] afterwards, for example in the hooks of
// the container.
//
// The zero Grid is empty, and its Rebuild panics. A Grid must not be copied. Several goroutines may
// loop over it at once as long as none changes the grid or its container.
type Grid[T any] struct {
	_     nocopy.NoCopy
	shape Shape
	pos   func(*T) (x, y float64)
	pos3  func(*T) (x, y, z float64) // of a Grid3, which has no pos
	view  berth.View[T]
	cells cells
}

// NewGrid returns a grid with cells of the given size. pos returns the position of a value. NewGrid
// panics if pos is nil, or if cell or 1/cell is not a positive finite number.
//
// A cell about as large as the most frequent radius is good. One several times too large is still
// good where values are few. A grid enlarges its cells when there would be more of them than
// values, spread evenly. If cells are too small, each query visits many.
//
// pos must return the same position as long as a value does not change. Coordinates are kept as
// float32. If that loses digits, pos is called once more before a value counts as near, so results
// are exact for all values that have not moved. If float32 coordinates are farther apart than a
// cell is wide, a search visits many cells. A value is nowhere, and near no other, while a
// coordinate of it as a float32 is NaN or infinite.
//
// Cost: O(1).
func NewGrid[T any](cell float64, pos func(*T) (x, y float64)) *Grid[T] {
	if pos == nil {
		panic("near: NewGrid: pos must not be nil")
	}
	g := &Grid[T]{pos: pos}
	g.cells.begin("NewGrid", cell)
	return g
}

// gridWhere returns the position of a value.
func gridWhere[T any](g *Grid[T], p *T) (x, y, z float64) {
	if g.pos != nil {
		x, y = g.pos(p)
		return x, y, 0
	}
	return g.pos3(p)
}

// gridFound returns the position at which a value was put, to the last bit if it is still there.
func gridFound[T any](g *Grid[T], i int, p *T) (x, y, z float64) {
	k := g.cells.at(i)
	if !g.cells.exact {
		x, y, z = gridWhere(g, p)
		if toFloat32(x, y, z) == k {
			return x, y, z
		}
	}
	return float64(k.x), float64(k.y), float64(k.z)
}

// Len returns the number of values in the grid. It includes values that have been removed from the
// container since, and those that are nowhere.
//
// Cost: O(1).
func (g *Grid[T]) Len() int { return len(g.cells.items) - g.cells.vacant }

// Clear removes all values from the grid. The view and the memory stay.
//
// Cost: O(1).
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid[T]) Clear() {
	g.cells.changes++
	g.cells.empty()
}

// Clip releases unused memory. That includes the index of handles, which the next Insert, Move or
// Remove makes again, and half of the memory for values, which the next Rebuild needs again. A
// value that was removed or moved keeps its place until the next Rebuild.
//
// Cost: O(Len).
func (g *Grid[T]) Clip() { g.cells.clip() }

// SetShape sets the meaning of a radius for loops that begin from now on. [Circle], the default, is
// at most r, and [Box] is less than r along each axis. An [Others] that was kept keeps its shape.
// SetShape panics if there is no such shape.
//
// Cost: O(1).
func (g *Grid[T]) SetShape(s Shape) {
	if s > Box {
		panic(g.cells.rule("SetShape", fmt.Sprintf("Shape must be Circle or Box (got %d)", s)))
	}
	g.shape = s
}

// Stats describes the size of a grid.
type Stats struct {
	Items     int  // values in the grid, as returned by Len
	Vacant    int  // places of values that were removed or moved
	Cells     int  // cells that there is memory for, in use or not
	Scattered bool // few cells are in use, and found by hashing; several may share memory
	Bytes     int  // of memory
}

// Stats returns the size of g.
//
// Cost: O(1).
func (g *Grid[T]) Stats() Stats {
	c := &g.cells
	return Stats{g.Len(), c.vacant, c.buckets, c.scattered, c.bytes()}
}

// String returns the type and number of the values and the size of the memory, as in
// "near.Grid[main.Ship](3 values, 64 bytes)".
//
// Cost: allocates the string.
func (g *Grid[T]) String() string {
	return g.cells.text(plain.NameOf((*T)(nil)), g.Len())
}
