package near

import (
	"fmt"
	"iter"

	"github.com/seed505807e1/berth"
)

// Grid3 is a spatial index of values in space: [Grid] with three coordinates. It takes 4 bytes more
// for each value.
//
// Make one with [NewGrid3]. It must not be copied.
type Grid3[T any] struct{ g Grid[T] }

// NewGrid3 is [NewGrid] in space.
//
// Cost: O(1).
func NewGrid3[T any](cell float64, pos func(*T) (x, y, z float64)) *Grid3[T] {
	if pos == nil {
		panic("near: NewGrid3: pos must not be nil")
	}
	g := &Grid3[T]{Grid[T]{pos3: pos}}
	g.g.cells.begin("NewGrid3", cell)
	g.g.cells.space = true
	return g
}

// SetShape is [Grid.SetShape].
//
// Cost: O(1).
func (g *Grid3[T]) SetShape(s Shape) { g.g.SetShape(s) }

// Rebuild is [Grid.Rebuild].
//
// Cost: as Grid.Rebuild, and a little more.
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid3[T]) Rebuild(v berth.View[T]) { g.g.Rebuild(v) }

// Insert is [Grid.Insert].
//
// Cost: as Grid.Insert.
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid3[T]) Insert(h berth.Handle[T]) bool { return g.g.Insert(h) }

// Move is [Grid.Move].
//
// Cost: as Grid.Move.
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid3[T]) Move(h berth.Handle[T]) bool { return g.g.Move(h) }

// Remove is [Grid.Remove].
//
// Cost: as Grid.Remove.
func (g *Grid3[T]) Remove(h berth.Handle[T]) bool { return g.g.Remove(h) }

// Clear is [Grid.Clear].
//
// Cost: O(1).
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid3[T]) Clear() { g.g.Clear() }

// Clip is [Grid.Clip].
//
// Cost: O(Len).
func (g *Grid3[T]) Clip() { g.g.Clip() }

// Len is [Grid.Len].
//
// Cost: O(1).
func (g *Grid3[T]) Len() int { return g.g.Len() }

// Stats is [Grid.Stats].
//
// Cost: O(1).
func (g *Grid3[T]) Stats() Stats { return g.g.Stats() }

// String returns the type and number of the values and the size of the memory, as in
// "near.Grid3[main.Ship](3 values, 64 bytes)".
//
// Cost: allocates the string.
func (g *Grid3[T]) String() string {
	return fmt.Sprintf("%v", &g.g)
}

// Pairs is [Grid.Pairs].
//
// Cost: as Grid.Pairs.
func (g *Grid3[T]) Pairs(radius float64) iter.Seq2[berth.Entry[T], berth.Entry[T]] {
	return g.g.Pairs(radius)
}

// Traverse is [Grid.Traverse].
//
// Cost: as Grid.Traverse.
func (g *Grid3[T]) Traverse(radius float64) iter.Seq2[berth.Entry[T], Others[T]] {
	return g.g.Traverse(radius)
}

// Within is [Grid.Within].
//
// Cost: as Grid.Within.
func (g *Grid3[T]) Within(x, y, z, radius float64) iter.Seq[berth.Entry[T]] {
	return func(yield func(berth.Entry[T]) bool) { gridWithin(&g.g, x, y, z, radius, yield) }
}

// Near is [Grid.Near].
//
// Cost: as Grid.Near.
func (g *Grid3[T]) Near(h berth.Handle[T], radius float64) iter.Seq[berth.Entry[T]] {
	return g.g.Near(h, radius)
}

// Nearest is [Grid.Nearest].
//
// Cost: as Grid.Nearest.
func (g *Grid3[T]) Nearest(x, y, z float64) (berth.Entry[T], bool) {
	return gridNearest(&g.g, x, y, z)
}

// NearestK is [Grid.NearestK].
//
// Cost: as Grid.NearestK.
func (g *Grid3[T]) NearestK(x, y, z float64, k int) iter.Seq[berth.Entry[T]] {
	return func(yield func(berth.Entry[T]) bool) { gridNearestK(&g.g, x, y, z, k, yield) }
}
