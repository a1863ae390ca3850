package near

import (
	"unsafe"

	"github.com/seed505807e1/berth"
)

// ItemSize is what a grid has for a value.
const ItemSize = unsafe.Sizeof(item{})

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (g *Grid[T]) CheckInvariants() { g.cells.checkInvariants() }

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (g *Grid3[T]) CheckInvariants() { g.g.cells.checkInvariants() }

// CellsInUse counts the buckets with sorted values.
func (g *Grid[T]) CellsInUse() int { used, _ := g.cells.crowding(); return used }

// Cells counts the cells with values. In a scattered grid several may share a bucket.
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
func (g *Grid[T]) HandleAt(i int) berth.Handle[T] { return g.entry(i).Handle }

// MostInCell says how many values the fullest bucket has.
func (g *Grid[T]) MostInCell() int { _, most := g.cells.crowding(); return most }

// Looks says at how many items Pairs looks, those included that are too far.
func (g *Grid[T]) Looks(r float64) int { return g.cells.looks(r) }

// Looks says at how many items Pairs looks, those included that are too far.
func (g *Grid3[T]) Looks(r float64) int { return g.g.cells.looks(r) }

func (c *cells) crowding() (used, most int) {
	for k := range c.buckets {
		if n := int(c.start[k+1] - c.start[k]); n > 0 {
			used, most = used+1, max(most, n)
		}
	}
	return used, most
}

// looks counts the runs of items around each value, and the items in them. It gives up when that is
// far too much.
func (c *cells) looks(r float64) (n int) {
	a := areaOf(r, Box)
	for i := range c.items {
		if n > 1000*len(c.items) {
			break
		}
		var q query
		p := c.at(i)
		c.ask(&q, float64(p.x), float64(p.y), float64(p.z), &a)
		piece := int64(1) << 62
		if c.scattered {
			piece = segment
			if c.wide(&q) {
				n += len(c.items)
				continue
			}
		}
		for layer := q.floor; layer <= q.roof; layer++ {
			for row := q.low; row <= q.top; row++ {
				for left := q.left; left <= q.right; {
					right := min(q.right, left|(piece-1))
					k := c.bucket(left, row, layer)
					if c.scattered {
						k = c.scatter(left, row, layer)
					}
					n += 1 + int(c.start[k+int(right-left)+1]-c.start[k])
					left = right + 1
				}
			}
		}
	}
	return n
}
