package near

import "github.com/seed505807e1/berth/stable"

// The loops of Rebuild over a list are functions of their own. Inside those over Pool and Dense
// they would make these slower by 3 %.

// gatherList is gather for a list.
func (g *Grid[T]) gatherList(v stable.HandleView[T]) bool {
	b := batch{c: &g.cells, ok: true, exact: true}
	pos := g.pos
	for h, p := range v.All() {
		b.room()
		x, y := pos(p)
		b.put(h.Uint64(), x, y)
	}
	b.flush()
	return b.ok
}

// gatherSpaceList is gatherSpace for a list.
func (g *Grid[T]) gatherSpaceList(v stable.HandleView[T]) bool {
	ok := true
	for h, p := range v.All() {
		x, y, z := g.pos3(p)
		g.cells.put(h.Uint64(), x, y, z)
		ok = ok && h.Uint64() != 0
	}
	return ok
}
