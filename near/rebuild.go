package near

import (
	"slices"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/slots"
)

// Rebuild replaces the contents of the grid with all values of v at their current positions. The
// grid keeps v: its loops look the values up in v, and hand out none that has been removed from it.
//
// It calls the position function once for each value. It panics if v is nil, has a value with the
// zero Handle, or is a view that a Traverse of this grid has handed out. v must have each handle
// once, and the position function must not change it. If Rebuild panics while it gathers values,
// the grid is empty, and has the new view.
//
// Cost: O(Len of v). Over a [berth.Pool] or a [berth.Dense] it allocates nothing while that does
// not grow, and over another view, such as stable.ByHandle, 8 small objects. Memory of which less
// than a quarter was needed 32 times in a row is given back.
//
// Ends: loops over the grid, which panic when their body returns.
//
//berth:ends other
func (g *Grid[T]) Rebuild(v berth.View[T]) {
	if v == nil {
		panic(g.cells.rule("Rebuild", "view must not be nil"))
	}
	if g.pos == nil && g.pos3 == nil {
		panic(g.cells.rule("Rebuild", "needs a position function; use New"+g.cells.kind()))
	}
	switch o := v.(type) {
	case Others[T]:
		gridNotOwn(g, o.d.g)
	case *Others[T]:
		gridNotOwn(g, o.d.g)
	}
	g.view = v
	g.cells.rebuild(v.Len(), func() (*slots.Core, bool) { return gridGather(g, v) })
}

// rebuild replaces all items, of which there will be n, by those that gather puts. gather reports
// whether all have a handle. If they are blank, it returns the pool that has the handles.
func (c *cells) rebuild(n int, gather func() (*slots.Core, bool)) {
	c.changes++
	last, whole := c.frame, false
	c.reserve(n)
	defer func() {
		if !whole {
			c.empty()
		}
	}()
	c.expect(last)
	pool, ok := gather()
	if !ok {
		panic(c.rule("Rebuild", "view must not contain the zero Handle"))
	}
	if found := c.arrange(true); pool == nil {
		c.deal()
	} else if !c.dealPool(pool, found) {
		panic(c.rule("Rebuild", "position function must not change the container"))
	}
	whole = true
	c.check()
}

// gridNotOwn panics if other is this grid, whose loops would then look values up by themselves.
func gridNotOwn[T any](g *Grid[T], other *Grid[T]) {
	if other == g {
		panic(g.cells.rule("Rebuild", "view must not be of the grid itself"))
	}
}

// gridGather puts all values, in the order of the view. It reports whether all have a handle. Those
// of a Pool, which it returns, are blank.
func gridGather[T any](g *Grid[T], v berth.View[T]) (*slots.Core, bool) {
	switch c := coreOf(v).(type) {
	case *slots.Core:
		gatherPool(c, (*runner[T])(g))
		return c, true
	case *slots.Dense:
		if !g.cells.gatherDense(c, (*runner[T])(g)) {
			panic(g.cells.rule("Rebuild", "position function must not change the container"))
		}
		return nil, true
	}
	if g.pos == nil {
		return nil, gridGatherSpace(g, v)
	}
	return nil, gridGatherAny(g, v)
}

// runner is a grid as a gatherer.
type runner[T any] Grid[T]

func (g *runner[T]) block(b *slots.Head, i, n int) {
	gridGatherRun((*Grid[T])(g), slots.BlockOf[T](b).Vals[i:i+n])
}

func (g *runner[T]) places(d *slots.Dense, first, end int) {
	gridGatherRun((*Grid[T])(g), slots.ValuesOf[T](&d.Vals)[first:end])
}

// gridGatherRun puts the positions of adjacent values.
func gridGatherRun[T any](g *Grid[T], ps []T) {
	if g.pos != nil {
		gridGatherSpan(g, ps)
		return
	}
	for i := range ps {
		x, y, z := g.pos3(&ps[i])
		g.cells.put(0, x, y, z)
	}
}

// gridGatherSpan puts the positions of some values.
func gridGatherSpan[T any](g *Grid[T], ps []T) {
	const few = 256 // small enough for the fastest cache
	for len(ps) > few {
		gridGatherFew(g, ps[:few])
		ps = ps[few:]
	}
	gridGatherFew(g, ps)
}

// gridGatherFew is gatherSpan in the plane. One loop calls pos for all values, and another, without
// calls, looks at the positions.
func gridGatherFew[T any](g *Grid[T], ps []T) {
	c := &g.cells
	items := c.more(len(ps))[:len(ps)]
	pos, i := g.pos, 0
	for ; i+4 <= len(ps); i += 4 { // after a call all variables are reloaded from memory
		ps, to := ps[i:i+4:i+4], items[i:i+4:i+4]
		x, y := pos(&ps[0])
		c.set(&to[0], x, y)
		x, y = pos(&ps[1])
		c.set(&to[1], x, y)
		x, y = pos(&ps[2])
		c.set(&to[2], x, y)
		x, y = pos(&ps[3])
		c.set(&to[3], x, y)
	}
	for ; i < len(ps); i++ {
		x, y := pos(&ps[i])
		c.set(&items[i], x, y)
	}
	c.regard(items, true)
}

// more returns the next n items.
//
//go:noinline
func (c *cells) more(n int) []item {
	first := len(c.items)
	c.items = slices.Grow(c.items, n)[:first+n]
	return c.items[first:]
}

// set gives an item its position.
func (c *cells) set(it *item, x, y float64) {
	it.x, it.y = float32(x), float32(y)
	if float64(it.x) != x || float64(it.y) != y {
		c.exact = false
	}
}

// gridGatherAny has a loop that allocates the variables of its body.
func gridGatherAny[T any](g *Grid[T], v berth.View[T]) bool {
	b, pos := batch{c: &g.cells, ok: true, exact: true}, g.pos
	for h, p := range v.All() {
		b.room()
		x, y := pos(p)
		b.put(h.Uint64(), x, y)
	}
	b.flush()
	return b.ok
}

// gridGatherSpace is gatherAny in space.
func gridGatherSpace[T any](g *Grid[T], v berth.View[T]) bool {
	ok := true
	for h, p := range v.All() {
		x, y, z := g.pos3(p)
		g.cells.put(h.Uint64(), x, y, z)
		ok = ok && h.Uint64() != 0
	}
	return ok
}

// batch is the last items of a grid in the plane, which regard has not yet looked at. For each item
// call room and put, and flush at the end. One loop calls pos for all values, and another, without
// calls, looks at the positions.
type batch struct {
	c         *cells
	few       []item
	n         int
	ok, exact bool
}

const batchSize = 256 // small enough for the fastest cache

// room makes room for one more.
func (b *batch) room() {
	if b.n == len(b.few) {
		b.more()
	}
}

// more makes room for some more.
func (b *batch) more() {
	b.flush()
	c := b.c
	first := len(c.items)
	c.items = slices.Grow(c.items, 1)
	c.items = c.items[:min(first+batchSize, cap(c.items))]
	b.few = c.items[first:]
}

// put adds an item.
func (b *batch) put(h uint64, x, y float64) {
	it := &b.few[b.n]
	it.h, it.x, it.y = h, float32(x), float32(y)
	if float64(it.x) != x || float64(it.y) != y {
		b.exact = false
	}
	if h == 0 {
		b.ok = false
	}
	b.n++
}

// flush passes the items that were put to regard.
func (b *batch) flush() {
	c := b.c
	c.items = c.items[:len(c.items)-len(b.few)+b.n]
	c.regard(b.few[:b.n], false)
	c.exact = c.exact && b.exact
	b.few, b.n = nil, 0
}
