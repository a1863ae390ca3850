package near

import (
	"fmt"
	"reflect"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/nocopy"
)

// Shape says which values are within a radius r.
type Shape uint8

const (
	// Circle asks for the distance to be at most r. In a [Grid3] it is a ball.
	Circle Shape = iota
	// Box asks for |dx| and |dy|, and in a [Grid3] |dz|, to be less than r each. It is the
	// collision rule of the thesis.
	Box
)

// Grid is a spatial index of values in the plane. See the package documentation for what a loop
// sees when values are changed, moved and removed, and for what searches cost.
//
// Make one with [NewGrid], and give it values with [Grid.Rebuild]. To give it each value as it
// comes instead, call Rebuild once while the container is empty, and [Grid.Insert] and
// [Grid.Remove] in the hooks of the container. A Grid must not be copied. Loops may run side by
// side in several goroutines as long as nothing changes the grid or its container.
type Grid[T any] struct {
	_       nocopy.NoCopy
	shape   Shape
	pos     func(*T) (x, y float64)
	pos3    func(*T) (x, y, z float64) // of a Grid3, which has no pos
	view    berth.View[T]
	cells   cells
	changes uint // counts what moves items
}

// NewGrid returns a grid of cells of the given size. pos returns the position of a value. NewGrid
// panics unless cell is a positive number, and neither it nor 1/cell is infinite.
//
// A cell about as large as the most frequent radius is good. One several times too large is still
// good where values are few. A grid enlarges its cells when there would be more of them than
// values, spread evenly. If cells are too small, each query visits many.
//
// pos must return the same as long as a value does not change. Coordinates are kept as float32. If
// that loses digits, pos is called once more before a value counts as near, so results are exact
// for all values that have not moved. Where float32 coordinates are farther apart than a cell is
// wide, a search visits many cells. A value is nowhere, and near no other, while a coordinate of
// it as a float32 is NaN or infinite.
// Cost: O(1).
func NewGrid[T any](cell float64, pos func(*T) (x, y float64)) *Grid[T] {
	if pos == nil {
		panic("near: NewGrid: no position function")
	}
	g := &Grid[T]{pos: pos}
	g.cells.begin("NewGrid", cell)
	return g
}

// where returns where a value is.
func (g *Grid[T]) where(p *T) (x, y, z float64) {
	if g.pos != nil {
		x, y = g.pos(p)
		return x, y, 0
	}
	return g.pos3(p)
}

// found returns where an item is: where its value was put, to the last bit if it is still there.
func (g *Grid[T]) found(i int, p *T) (x, y, z float64) {
	k := g.cells.at(i)
	if !g.cells.exact {
		x, y, z = g.where(p)
		if toFloat32(x, y, z) == k {
			return x, y, z
		}
	}
	return float64(k.x), float64(k.y), float64(k.z)
}

// Len returns how many values the grid has, those included that have been removed from the
// container since, and those that are nowhere.
// Cost: O(1).
func (g *Grid[T]) Len() int { return len(g.cells.items) - g.cells.vacant }

// Clear takes all values out. The view and the memory stay.
// Cost: O(1).
// Ends: loops over the grid, which panic when their body comes back.
func (g *Grid[T]) Clear() {
	g.changes++
	g.cells.empty()
}

// Clip releases memory that is not in use. That includes the index of handles, which the next
// Insert, Move or Remove makes again, and half of the memory for values, which the next Rebuild
// needs again. A value that was taken out or moved keeps its place until the next Rebuild.
// Cost: O(Len).
func (g *Grid[T]) Clip() { g.cells.clip() }

// SetShape sets what a radius means to loops that begin from now on: [Circle], the default, is at
// most r, and [Box] is less than r along each axis. An [Others] that was kept keeps its shape.
// SetShape panics if there is no such shape.
// Cost: O(1).
func (g *Grid[T]) SetShape(s Shape) {
	if s > Box {
		panic(g.rule("SetShape", fmt.Sprintf("no shape %d", s)))
	}
	g.shape = s
}

// Stats is how large a grid is.
type Stats struct {
	Items     int  // values in it, as Len says
	Vacant    int  // places of values that have been taken out, or moved
	Cells     int  // for which there is room, in use or not
	Scattered bool // few cells are in use, and found by hashing: then several may share room
	Bytes     int  // of memory
}

// Stats returns how large g is.
// Cost: O(1).
func (g *Grid[T]) Stats() Stats {
	c := &g.cells
	return Stats{g.Len(), c.vacant, c.buckets, c.scattered, c.bytes()}
}

// String returns the type of the values, how many there are and the memory, as in
// "near.Grid[main.Ship](3 values, 64 bytes)".
// Cost: allocates the string.
func (g *Grid[T]) String() string {
	return fmt.Sprintf("near.%s[%v](%d values, %d bytes)",
		g.kind(), reflect.TypeFor[T](), g.Len(), g.cells.bytes())
}

func (g *Grid[T]) rule(method, text string) string {
	return "near: " + g.kind() + "." + method + ": " + text
}

func (g *Grid[T]) kind() string {
	if g.cells.space {
		return "Grid3"
	}
	return "Grid"
}

func (g *Grid[T]) radius(method string, r float64) {
	if !(r >= 0) {
		panic(g.rule(method, fmt.Sprintf("radius must not be negative (got %v)", r)))
	}
}

// unchanged panics if the grid was changed since a loop began.
func (g *Grid[T]) unchanged(since uint) {
	if g.changes != since {
		panic("near: " + g.kind() + ": changed inside a loop over it")
	}
}
