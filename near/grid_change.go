package near

import "github.com/seed505807e1/berth"

// Insert puts a value of the view at its current position, or moves it there if it is already in
// the grid. It reports false if h is stale, zero or foreign. It panics before the first Rebuild,
// which sets the view and may find it empty.
//
// Cost: O(1), amortised; the first Insert, Move or Remove after a Rebuild is O(Len), since it makes
// an index of the handles, of 6 to 12 bytes a value, and 4 for each cell. Allocates only to grow. A
// Rebuild with no such call since the last one gives that memory back.
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid[T]) Insert(h berth.Handle[T]) bool {
	if g.view == nil {
		panic(g.cells.rule("Insert", "Rebuild must come first"))
	}
	p := g.view.Ptr(h)
	if p == nil {
		return false
	}
	g.cells.changes++
	c := &g.cells
	x, y, z := gridWhere(g, p)
	if i := c.find(h.Uint64()); i >= 0 {
		c.move(i, x, y, z)
	} else {
		c.insert(h.Uint64(), x, y, z)
	}
	gridTidy(g)
	return true
}

// Move moves a value of the grid to its current position. It reports false if the value is not in
// the grid. If h is stale, its value leaves the grid.
//
// Cost: that of Insert; a little less within a cell.
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid[T]) Move(h berth.Handle[T]) bool {
	c := &g.cells
	i := c.find(h.Uint64())
	if i < 0 {
		return false
	}
	g.cells.changes++
	p := g.view.Ptr(h)
	if p == nil {
		c.remove(i)
		return false
	}
	x, y, z := gridWhere(g, p)
	c.move(i, x, y, z)
	gridTidy(g)
	return true
}

// Remove removes a value from the grid, whether or not it is still in its container. It reports
// whether it was in the grid. You need not call Remove for values removed from the container. They
// are not found, and leave the grid at the next Rebuild, or when Insert or Move sorts it again.
// Until then the value counts in the cost of searches.
//
// Remove may be called in a loop over the grid, which then does not visit the value.
//
// Cost: that of Insert, without growth.
func (g *Grid[T]) Remove(h berth.Handle[T]) bool {
	i := g.cells.find(h.Uint64())
	if i >= 0 {
		g.cells.remove(i)
		g.cells.check()
	}
	return i >= 0
}

// gridTidy sorts all items again once a third of them are vacant or not sorted.
func gridTidy[T any](g *Grid[T]) {
	const few = 64
	c := &g.cells
	if len(c.items)-c.sorted+c.vacant > len(c.items)/3+few {
		c.tidy(func(h uint64) bool { return g.view.Contains(berth.HandleFromUint64[T](h)) })
	}
	c.check()
}

// tidy sorts all items again, except those whose handle is not live, which are dropped.
func (c *cells) tidy(live func(h uint64) bool) {
	n := 0
	c.box = noBox
	for i, it := range c.items {
		if it.h == 0 || !live(it.h) {
			continue
		}
		p := c.at(i)
		c.widen(p)
		c.items[n] = it
		if c.space {
			c.zs[n] = p.z
		}
		n++
	}
	c.cut(n)
	c.sort()
	c.places.index(c.items)
}
