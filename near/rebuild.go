package near

import (
	"slices"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// Rebuild forgets everything, and takes all values of v to where they are now. The grid keeps v:
// its loops ask it for the values, and hand out none that has been removed from it.
//
// It calls the position function twice for each value, and panics if that tells it two different
// things, and if v is nil, has a value with the zero Handle, or is what a Traverse of this grid has
// handed out. v must show each handle once, and the position function not change it. If it panics
// while it asks for values, the grid is empty, and has the new view.
// Cost: O(Len of v); over a [berth.Pool], a [berth.Dense] or a [stable.List] by [stable.ByHandle]
// it allocates nothing while that does not grow, over another view what its loops allocate. Memory
// of which less than a quarter has been needed for 32 times is given back.
// Ends: loops over the grid, which panic when their body comes back.
func (g *Grid[T]) Rebuild(v berth.View[T]) {
	if v == nil {
		panic(g.rule("Rebuild", "no view"))
	}
	if g.pos == nil && g.pos3 == nil {
		panic(g.rule("Rebuild", "no position function; use New"+g.kind()))
	}
	switch o := v.(type) {
	case Others[T]:
		g.notOwn(o.d.g)
	case *Others[T]:
		g.notOwn(o.d.g)
	}
	n, c, whole := v.Len(), &g.cells, false
	g.changes++
	g.view = v
	last := c.frame
	c.reserve(n)
	defer func() {
		if !whole {
			c.empty()
		}
	}()
	c.expect(last)
	g.gather(v)
	c.arrange(true)
	ok := g.scatter(v)
	if c.zero {
		panic(g.rule("Rebuild", "the view has the zero Handle"))
	}
	if !ok {
		panic(g.rule("Rebuild", "the position function changed its mind"))
	}
	c.sorted = len(c.items)
	whole = true
	g.check()
}

// notOwn panics if the grid is this one, whose loops would ask themselves for values.
func (g *Grid[T]) notOwn(other *Grid[T]) {
	if other == g {
		panic(g.rule("Rebuild", "a view of the grid itself"))
	}
}

// gather puts all positions, in the order of the view. It goes by spans where there are any, which
// is faster; the handles can wait. Loops over a container that is known by its type allocate
// nothing.
func (g *Grid[T]) gather(v berth.View[T]) {
	switch v := v.(type) {
	case *berth.Pool[T]:
		for _, ps := range v.Spans() {
			g.gatherSpan(ps)
		}
	case *berth.Dense[T]:
		for _, ps := range v.Spans() {
			g.gatherSpan(ps)
		}
	case stable.HandleView[T]:
		g.gatherList(v)
	default:
		g.cells.ahead = false
		for _, p := range v.All() {
			x, y, z := g.where(p)
			g.cells.put(0, x, y, z)
		}
	}
}

// gatherSpan puts the positions of some values.
func (g *Grid[T]) gatherSpan(ps []T) {
	c := &g.cells
	if g.pos == nil {
		for i := range ps {
			x, y, z := g.where(&ps[i])
			c.put(0, x, y, z)
		}
		return
	}
	const few = 256 // which stay in the fastest memory
	for len(ps) > few {
		g.gatherFew(ps[:few])
		ps = ps[few:]
	}
	g.gatherFew(ps)
}

// gatherFew is gatherSpan in the plane. One loop asks for all positions, and another, without
// calls, looks at them.
func (g *Grid[T]) gatherFew(ps []T) {
	c, first, exact := &g.cells, len(g.cells.items), true
	c.items = slices.Grow(c.items, len(ps))[:first+len(ps)]
	items := c.items[first:]
	for i := range items {
		x, y := g.pos(&ps[i])
		it := &items[i]
		it.h, it.x, it.y = 0, float32(x), float32(y)
		if float64(it.x) != x || float64(it.y) != y {
			exact = false
		}
	}
	c.exact = c.exact && exact
	c.regard(items)
}

// scatter puts all values where arrange says. It reports false if they are not those of gather.
func (g *Grid[T]) scatter(v berth.View[T]) bool {
	c := &g.cells
	c.settled, c.check, c.zero = 0, 0, false
	if g.pos == nil {
		g.scatterSpace(v)
	} else {
		g.scatterPlane(v)
	}
	return c.settled == len(c.items) && c.check == c.sum
}

// scatterPlane does three times the same, so that the loops of Pool and Dense are inlined.
func (g *Grid[T]) scatterPlane(v berth.View[T]) {
	c, pos := &g.cells, g.pos
	switch v := v.(type) {
	case *berth.Pool[T]:
		b := batch{c: c}
		for h, p := range v.All() {
			b.room()
			x, y := pos(p)
			b.put(h.Uint64(), x, y)
		}
		b.settle()
	case *berth.Dense[T]:
		b := batch{c: c}
		for h, p := range v.All() {
			b.room()
			x, y := pos(p)
			b.put(h.Uint64(), x, y)
		}
		b.settle()
	case stable.HandleView[T]:
		g.scatterPlaneList(v)
	default:
		b := batch{c: c}
		for h, p := range v.All() {
			b.room()
			x, y := pos(p)
			b.put(h.Uint64(), x, y)
		}
		b.settle()
	}
}

func (g *Grid[T]) scatterSpace(v berth.View[T]) {
	c, pos := &g.cells, g.pos3
	switch v := v.(type) {
	case *berth.Pool[T]:
		for h, p := range v.All() {
			c.settle(h.Uint64(), toFloat32(pos(p)))
		}
	case *berth.Dense[T]:
		for h, p := range v.All() {
			c.settle(h.Uint64(), toFloat32(pos(p)))
		}
	case stable.HandleView[T]:
		g.scatterSpaceList(v)
	default:
		for h, p := range v.All() {
			c.settle(h.Uint64(), toFloat32(pos(p)))
		}
	}
}

// batch is some values to settle in the plane: for each make room and put it, and settle the rest.
// One after the other takes twice as long as several at a time, since then the processor need not
// wait for one before it looks at the next.
type batch struct {
	c   *cells
	few [batchSize]item
	n   int
}

const batchSize = 64

// room makes room for one more.
func (b *batch) room() {
	if b.n == len(b.few) {
		b.settle()
	}
}

// put adds one.
func (b *batch) put(h uint64, x, y float64) {
	it := &b.few[b.n%batchSize]
	it.h, it.x, it.y = h, float32(x), float32(y)
	b.n++
}

// settle settles all.
func (b *batch) settle() {
	b.c.settlePlane(b.few[:b.n])
	b.n = 0
}
