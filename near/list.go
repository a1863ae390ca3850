package near

import "github.com/seed505807e1/berth/stable"

// The loops of Rebuild over a list are functions of their own. Beside those over Pool and Dense
// they would make these slower by 3 %.

// gatherList is gather for a list.
func (g *Grid[T]) gatherList(v stable.HandleView[T]) {
	for _, ps := range v.Spans() {
		g.gatherSpan(ps)
	}
}

// scatterPlaneList is scatterPlane for a list.
func (g *Grid[T]) scatterPlaneList(v stable.HandleView[T]) {
	b, pos := batch{c: &g.cells}, g.pos
	for h, p := range v.All() {
		b.room()
		x, y := pos(p)
		b.put(h.Uint64(), x, y)
	}
	b.settle()
}

// scatterSpaceList is scatterSpace for a list.
func (g *Grid[T]) scatterSpaceList(v stable.HandleView[T]) {
	for h, p := range v.All() {
		g.cells.settle(h.Uint64(), toFloat32(g.pos3(p)))
	}
}
