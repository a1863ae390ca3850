package broadphase

import (
	"iter"

	"github.com/tidwall/rtree"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/near"
)

var nearPoolImpl = measure.Impl{
	Name: "near.Grid",
	About: "this library's grid over a berth.Pool: handles and positions as float32, sorted by " +
		"cell. Cells are of 2, as in the rule. It enlarges them if there " +
		"are more cells than values.",
	Stale: "is left out",
	Safe:  true, Ours: true,
	Loops: "Rebuild and Pairs; pairs_values: Traverse and Others.Values",
	Kit:   Kit{New: func() Broadphase { return &nearPool{grid: newNear()} }},
}

var nearDenseImpl = measure.Impl{
	Name:  "near.Grid on Dense",
	About: "the same over a berth.Dense, where each handle needs another table access",
	Stale: "is left out",
	Safe:  true, Ours: true,
	Loops: "as those of near.Grid",
	Kit:   Kit{New: func() Broadphase { return &nearDense{grid: newNear()} }},
}

var cellMapImpl = measure.Impl{
	Name: "map of cells",
	About: "the obvious solution: a map from a cell of 2 to a slice of handles of a " +
		"berth.Pool. A rebuild clears and fills it.",
	Stale: "is left out, since its handle finds nothing",
	Safe:  true,
	Loops: "for each value, the 9 cells around it, and a lookup of each handle in them",
	Kit: Kit{
		New: func() Broadphase {
			return &cellMap{cells: map[cellKey][]berth.Handle[collections.Collider]{}}
		},
	},
}

var rtreeImpl = measure.Impl{
	Name: "tidwall/rtree",
	About: "github.com/tidwall/rtree 1.10.0: a tree of nested boxes, of positions and " +
		"handles of a berth.Pool. A rebuild clears it and inserts all.",
	Stale: "is left out, since its handle finds nothing",
	Safe:  true,
	Loops: "Insert; for each value, Search of the box around it, and a lookup of each handle",
	Kit:   Kit{New: func() Broadphase { return new(rtreeIndex) }},
}

const bruteMost = 10_000

var bruteImpl = measure.Impl{
	Name:  "brute force",
	About: "a slice, and every pair of it, without an index.",
	Stale: "does not exist",
	Loops: "a nested loop",
	Most:  bruteMost,
	Kit:   Kit{New: func() Broadphase { return new(brute) }},
}

// inPool is a berth.Pool of colliders, which most implementations index.
type inPool struct {
	p berth.Pool[collections.Collider]
}

func (c *inPool) Fill(cs []collections.Collider, _ int) {
	c.p.Grow(len(cs))
	for _, v := range cs {
		c.p.Insert(v)
	}
}

func (c *inPool) Marks() (hits, beens int) { return collections.TallyAll(c.p.All()) }
func (c *inPool) Unmark()                  { unmark(c.p.Values()) }

func unmark(all iter.Seq[*collections.Collider]) {
	for v := range all {
		v.Hit, v.Been = false, false
	}
}

// newNear returns an empty grid with the rule of cross.
func newNear() *near.Grid[collections.Collider] {
	g := near.NewGrid(
		2,
		func(c *collections.Collider) (x, y float64) { return float64(c.X), float64(c.Y) },
	)
	g.SetShape(near.Box)
	return g
}

// nearPairs finds each pair once.
//
//go:noinline
func nearPairs(g *near.Grid[collections.Collider]) (pairs int) {
	for a, b := range g.Pairs(2) {
		pairs += collections.Mark(a.Value, b.Value)
	}
	return pairs
}

// nearValues finds each pair twice.
//
//go:noinline
func nearValues(g *near.Grid[collections.Collider]) (pairs int) {
	for a, others := range g.Traverse(2) {
		for b := range others.Values() {
			a.Value.Hit, b.Been = true, true
			pairs++
		}
	}
	return pairs
}

type nearPool struct {
	inPool
	grid *near.Grid[collections.Collider]
}

func (c *nearPool) Build() { c.grid.Rebuild(&c.p) }

func (c *nearPool) Pairs() int { return nearPairs(c.grid) }

func (c *nearPool) PairsValues() int { return nearValues(c.grid) }

type nearDense struct {
	d    berth.Dense[collections.Collider]
	grid *near.Grid[collections.Collider]
}

func (c *nearDense) Fill(cs []collections.Collider, _ int) {
	c.d.Grow(len(cs))
	for _, v := range cs {
		c.d.Insert(v)
	}
}

func (c *nearDense) Build() { c.grid.Rebuild(&c.d) }

func (c *nearDense) Pairs() int { return nearPairs(c.grid) }

func (c *nearDense) PairsValues() int { return nearValues(c.grid) }

func (c *nearDense) Marks() (hits, beens int) { return collections.TallyAll(c.d.All()) }

func (c *nearDense) Unmark() { unmark(c.d.Values()) }

// cellKey is a cell of 2.
type cellKey struct{ x, y int }

func keyOf(v *collections.Collider) cellKey { return cellKey{int(v.X) / 2, int(v.Y) / 2} }

type cellMap struct {
	inPool
	cells map[cellKey][]berth.Handle[collections.Collider]
}

func (c *cellMap) Build() {
	clear(c.cells)
	for h, v := range c.p.All() {
		k := keyOf(v)
		c.cells[k] = append(c.cells[k], h)
	}
}

func (c *cellMap) Pairs() (pairs int) {
	for ha, a := range c.p.All() {
		at := keyOf(a)
		for y := at.y - 1; y <= at.y+1; y++ {
			for x := at.x - 1; x <= at.x+1; x++ {
				for _, hb := range c.cells[cellKey{x, y}] {
					if hb == ha {
						continue
					}
					if b := c.p.Ptr(hb); b != nil {
						pairs += collections.Meet(a, b)
					}
				}
			}
		}
	}
	return pairs
}

type rtreeIndex struct {
	inPool
	tree rtree.RTreeG[berth.Handle[collections.Collider]]
}

func (c *rtreeIndex) Build() {
	c.tree.Clear()
	for h, v := range c.p.All() {
		at := [2]float64{float64(v.X), float64(v.Y)}
		c.tree.Insert(at, at, h)
	}
}

// Pairs searches boxes that include their edges. Positions are whole numbers, so colliders less
// than 2 apart are at most 1 apart.
func (c *rtreeIndex) Pairs() (pairs int) {
	for ha, a := range c.p.All() {
		x, y := float64(a.X), float64(a.Y)
		c.tree.Search([2]float64{x - 1, y - 1}, [2]float64{x + 1, y + 1},
			func(_, _ [2]float64, hb berth.Handle[collections.Collider]) bool {
				if hb == ha {
					return true
				}
				if b := c.p.Ptr(hb); b != nil {
					pairs += collections.Meet(a, b)
				}
				return true
			})
	}
	return pairs
}

type brute struct{ s []collections.Collider }

func (c *brute) Fill(cs []collections.Collider, _ int) { c.s = append(c.s, cs...) }

func (c *brute) Pairs() (pairs int) {
	for i := range c.s {
		a, rest := &c.s[i], c.s[i+1:]
		x, y := a.X, a.Y
		for j := range rest {
			if collections.IsNear(rest[j].X, rest[j].Y, x, y) {
				pairs += collections.Mark(a, &rest[j])
			}
		}
	}
	return pairs
}

func (c *brute) Marks() (hits, beens int) { return collections.TallySlice(c.s) }

func (c *brute) Unmark() {
	for i := range c.s {
		c.s[i].Hit, c.s[i].Been = false, false
	}
}
