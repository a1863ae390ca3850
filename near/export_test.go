package near

import (
	"unsafe"

	"github.com/seed505807e1/berth"
)

// ItemSize is the size of the memory for a value.
const ItemSize = unsafe.Sizeof(item{})

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (g *Grid[T]) CheckInvariants() { g.cells.checkInvariants() }

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (g *Grid3[T]) CheckInvariants() { g.g.cells.checkInvariants() }

// CellsInUse returns the number of buckets with sorted values.
func (g *Grid[T]) CellsInUse() int { used, _ := g.cells.fullest(); return used }

// Cells returns the number of cells with values. In a scattered grid several may share a bucket.
func (g *Grid3[T]) Cells() int {
	c := &g.g.cells
	cells := map[[3]int64]bool{}
	for i := range c.items {
		p := c.at(i)
		cells[[3]int64{
			c.cell(0, float64(p.x)), c.cell(1, float64(p.y)), c.cell(2, float64(p.z)),
		}] = true
	}
	return len(cells)
}

// HandleAt returns the handle of an item.
func (g *Grid[T]) HandleAt(i int) berth.Handle[T] { return gridEntry(g, i).Handle }

// MostInCell returns the number of values in the fullest bucket.
func (g *Grid[T]) MostInCell() int { _, most := g.cells.fullest(); return most }

// Looks returns the number of steps of searches around all values.
func (g *Grid[T]) Looks(r float64) int { return g.cells.looks(r) }

// Looks returns the number of steps of searches around all values.
func (g *Grid3[T]) Looks(r float64) int { return g.g.cells.looks(r) }

func (c *cells) fullest() (used, most int) {
	for k := range c.buckets {
		if n := int(c.start[k+1] - c.start[k]); n > 0 {
			used, most = used+1, max(most, n)
		}
	}
	return used, most
}

// looks returns the number of steps of a search around each item. It gives up at a high limit.
func (c *cells) looks(r float64) (n int) {
	a := areaOf(r, Box)
	counted = func(steps int) { n += steps }
	defer func() { counted = nil }()
	for i := range c.items {
		if n > 1000*len(c.items) {
			break
		}
		p := c.at(i)
		c.within(float64(p.x), float64(p.y), float64(p.z), &a, func(int) bool { return true })
	}
	return n
}

// Steps returns the number of steps of all searches in f. No others may run at the same time.
func Steps(f func()) (n int) {
	counted = func(steps int) { n += steps }
	defer func() { counted = nil }()
	f()
	return n
}
