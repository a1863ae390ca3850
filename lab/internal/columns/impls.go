package columns

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Kit holds the constructors of an implementation. Entities is nil if it has none.
type Kit struct {
	Columns  func() Columns
	Entities func() Entities
}

// Family compares columns with what programs use for data that only some values have.
var Family = &measure.Family{
	ID:        "columns",
	Workloads: []*measure.Workload{columns, entities},
	Title:     "More data by the same handle",
	Stale:     "A handle to a removed value",
	Impls: []measure.Impl{
		columnImpl, wideImpl, mapImpl, arkImpl(),
	},
	Baseline: "wide struct",
	Subjects: []string{"berth.Column"},
}

var columnImpl = measure.Impl{
	Name: "berth.Column",
	About: "berth.Pool of bodies, and a berth.Column for parts and one for marks: blocks of 64 " +
		"slots, beside those of the Pool",
	Stale: "finds neither the value nor its data, ever",
	Safe:  true, Ours: true,
	Loops: "Join, JoinSpans and Join3",
	Kit: Kit{
		Columns:  func() Columns { return new(pooled) },
		Entities: func() Entities { return new(pooledEntities) },
	},
}

var wideImpl = measure.Impl{
	Name: "wide struct",
	About: "berth.Pool of structs with room for everything, and a flag for each of part and " +
		"mark: the usual choice",
	Stale: "finds nothing, ever",
	Safe:  true,
	Loops: "Spans, with a look at the flags",
	Kit: Kit{
		Columns:  func() Columns { return new(wide) },
		Entities: func() Entities { return new(wideEntities) },
	},
}

var mapImpl = measure.Impl{
	Name: "map by handle",
	About: "berth.Pool of bodies, and a Go map from handles to parts and one to marks, from " +
		"which a removal must delete",
	Stale: "finds nothing in the Pool; in a map, what nobody has deleted",
	Loops: "range over the map, with a lookup of the body",
	Kit:   Kit{Columns: func() Columns { return new(mapped) }},
}

// arkImpl is the ark of other families, with components.
func arkImpl() measure.Impl {
	for _, im := range impls.Family.Impls {
		if im.Name == "ark" {
			im.Loops = "Next and Get of a query; those by Spans are NextTable and " +
				"GetColumns. A change of an entity's components moves it to another table"
			im.Kit = Kit{
				Columns:  func() Columns { return new(arkColumns) },
				Entities: func() Entities { return new(arkEntities) },
			}
			return im
		}
	}
	panic("lab: columns: no ark")
}

type handle = berth.Handle[body]

// held is a Pool, and the handle of value i at i.
type held[T any] struct {
	p  *berth.Pool[T]
	hs []berth.Handle[T]
}

// make makes it, with values made by of.
func (c *held[T]) make(n int, of func(i int) T) {
	c.p, c.hs = berth.NewPool[T](berth.Config{Seed: 1}), make([]berth.Handle[T], n)
	for i := range c.hs {
		c.hs[i] = c.p.Insert(of(i))
	}
}

// Hold lists the handles in the order of the loop.
func (c *held[T]) Hold() {
	c.hs = c.hs[:0]
	for h := range c.p.All() {
		c.hs = append(c.hs, h)
	}
}

func (c *held[T]) Delete(vs []uint32) {
	each(c.hs, vs, func(h berth.Handle[T], _ int) { c.p.Delete(h) })
}

type pooled struct {
	held[body]
	parts *berth.Column[part, body]
	marks *berth.Column[mark, body]
}

func (c *pooled) New(n int) {
	c.make(n, bodyOf)
	c.parts, c.marks = berth.NewColumn[part](c.p), berth.NewColumn[mark](c.p)
	for i, h := range c.hs {
		c.parts.Set(h, partOf(i))
	}
}

func (c *pooled) Give(vs []uint32) {
	each(c.hs, vs, func(h handle, i int) { c.parts.Set(h, partOf(i)) })
}

func (c *pooled) Take(vs []uint32) { each(c.hs, vs, func(h handle, _ int) { c.parts.Delete(h) }) }

func (c *pooled) Mark(vs []uint32) {
	each(c.hs, vs, func(h handle, i int) { c.marks.Set(h, markOf(i)) })
}

func (c *pooled) Unmark(vs []uint32) { each(c.hs, vs, func(h handle, _ int) { c.marks.Delete(h) }) }

func (c *pooled) Replace(values []uint32) {
	for _, i := range values {
		b, _ := c.p.Remove(c.hs[i])
		h := c.p.Insert(b)
		c.parts.Set(h, partOf(int(i)))
		c.hs[i] = h
	}
}

func (c *pooled) Find(values []uint32) (sum uint64) {
	for _, i := range values {
		if x := c.parts.Ptr(c.hs[i]); x != nil {
			sum += x.X
		}
	}
	return sum
}

func (c *pooled) One() {
	for b := range c.p.Values() {
		b.V++
	}
}

func (c *pooled) Join() {
	for b, x := range c.parts.Join() {
		b.V += x.X
	}
}

func (c *pooled) JoinSpans() {
	for bs, xs := range c.parts.JoinSpans() {
		xs = xs[:len(bs)]
		for i := range bs {
			bs[i].V += xs[i].X
		}
	}
}

func (c *pooled) Three() {
	for b, both := range berth.Join3(c.parts, c.marks) {
		b.V += both.A.X * both.B.K
	}
}

func (c *pooled) Sum() uint64 {
	return sumOf(len(c.hs), func(i int) (v, x, k uint64) {
		h := c.hs[i]
		b, _ := c.p.Get(h)
		p, _ := c.parts.Get(h)
		m, _ := c.marks.Get(h)
		return b.V, p.X, m.K
	})
}

type wide struct{ held[wideBody] }

type wideBody struct {
	body
	part
	mark
	has, marked bool
}

func (c *wide) New(n int) {
	c.make(n, func(i int) wideBody { return wideBody{body: bodyOf(i), part: partOf(i), has: true} })
}

func (c *wide) Give(values []uint32) {
	for _, i := range values {
		if b := c.p.Ptr(c.hs[i]); b != nil {
			b.part, b.has = partOf(int(i)), true
		}
	}
}

func (c *wide) Take(values []uint32) {
	for _, i := range values {
		if b := c.p.Ptr(c.hs[i]); b != nil {
			b.part, b.has = part{}, false
		}
	}
}

func (c *wide) Mark(values []uint32) {
	for _, i := range values {
		b := c.p.Ptr(c.hs[i])
		b.mark, b.marked = markOf(int(i)), true
	}
}

func (c *wide) Unmark(values []uint32) {
	for _, i := range values {
		b := c.p.Ptr(c.hs[i])
		b.mark, b.marked = mark{}, false
	}
}

func (c *wide) Replace(values []uint32) {
	for _, i := range values {
		b, _ := c.p.Remove(c.hs[i])
		c.hs[i] = c.p.Insert(wideBody{body: b.body, part: partOf(int(i)), has: true})
	}
}

func (c *wide) Find(values []uint32) (sum uint64) {
	for _, i := range values {
		if b := c.p.Ptr(c.hs[i]); b != nil && b.has {
			sum += b.X
		}
	}
	return sum
}

func (c *wide) One() {
	for b := range c.p.Values() {
		b.V++
	}
}

func (c *wide) Join() {
	for _, bs := range c.p.Spans() {
		for i := range bs {
			if b := &bs[i]; b.has {
				b.V += b.X
			}
		}
	}
}

func (c *wide) Three() {
	for _, bs := range c.p.Spans() {
		for i := range bs {
			if b := &bs[i]; b.has && b.marked {
				b.V += b.X * b.K
			}
		}
	}
}

func (c *wide) Sum() uint64 {
	return sumOf(len(c.hs), func(i int) (v, x, k uint64) {
		b, _ := c.p.Get(c.hs[i])
		return b.V, b.X, b.K
	})
}

type mapped struct {
	held[body]
	parts map[handle]part
	marks map[handle]mark
}

func (c *mapped) New(n int) {
	c.make(n, bodyOf)
	c.parts, c.marks = make(map[handle]part), make(map[handle]mark)
	for i, h := range c.hs {
		c.parts[h] = partOf(i)
	}
}

func (c *mapped) Give(vs []uint32) {
	each(c.hs, vs, func(h handle, i int) { c.parts[h] = partOf(i) })
}

func (c *mapped) Take(vs []uint32) { each(c.hs, vs, func(h handle, _ int) { delete(c.parts, h) }) }

func (c *mapped) Mark(vs []uint32) {
	each(c.hs, vs, func(h handle, i int) { c.marks[h] = markOf(i) })
}

func (c *mapped) Unmark(vs []uint32) {
	each(c.hs, vs, func(h handle, _ int) { delete(c.marks, h) })
}

func (c *mapped) Replace(values []uint32) {
	for _, i := range values {
		h := c.hs[i]
		b, _ := c.p.Remove(h)
		delete(c.parts, h)
		h = c.p.Insert(b)
		c.parts[h] = partOf(int(i))
		c.hs[i] = h
	}
}

func (c *mapped) Find(values []uint32) (sum uint64) {
	for _, i := range values {
		if x, ok := c.parts[c.hs[i]]; ok {
			sum += x.X
		}
	}
	return sum
}

func (c *mapped) One() {
	for b := range c.p.Values() {
		b.V++
	}
}

func (c *mapped) Join() {
	for h, x := range c.parts {
		if b := c.p.Ptr(h); b != nil {
			b.V += x.X
		}
	}
}

func (c *mapped) Three() {
	for h, x := range c.parts {
		if m, ok := c.marks[h]; ok {
			if b := c.p.Ptr(h); b != nil {
				b.V += x.X * m.K
			}
		}
	}
}

func (c *mapped) Sum() uint64 {
	return sumOf(len(c.hs), func(i int) (v, x, k uint64) {
		h := c.hs[i]
		b, _ := c.p.Get(h)
		return b.V, c.parts[h].X, c.marks[h].K
	})
}
