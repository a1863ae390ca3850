package columns

import (
	ark "github.com/mlange-42/ark/ecs"

	"github.com/seed505807e1/berth"
)

// extra is an extra of the entities of a collection with handles H.
type extra[H any] interface {
	set(h H, v uint64)
	get(h H) uint64 // 0 without it
}

// mix gives an entity the extras of a kind.
func mix[H any, X extra[H]](xs [extras]X, h H, kind uint8) {
	for k, x := range xs {
		if kind>>k&1 != 0 {
			x.set(h, extraOf(k))
		}
	}
}

func getAll[H any, X extra[H]](xs [extras]X, h H) (all [extras]uint64) {
	for k, x := range xs {
		all[k] = x.get(h)
	}
	return all
}

// pooledEntities is a Pool with nine Columns.
type pooledEntities struct {
	pooled
	first  *berth.Column[extra0, body]
	extras [extras]pooledExtra
}

type pooledExtra interface {
	extra[handle]
	setAll(v uint64)
}

// extraColumn is an extra of a Pool.
type extraColumn[V ~uint64] struct{ c *berth.Column[V, body] }

func (x extraColumn[V]) setAll(v uint64)        { berth.SetAll(x.c, V(v)) }
func (x extraColumn[V]) set(h handle, v uint64) { x.c.Set(h, V(v)) }

func (x extraColumn[V]) get(h handle) uint64 {
	v, _ := x.c.Get(h)
	return uint64(v)
}

func newExtra[V ~uint64](p *berth.Pool[body]) extraColumn[V] {
	return extraColumn[V]{berth.NewColumn[V](p)}
}

func (c *pooledEntities) New(n int) {
	p := berth.NewPool[body](berth.Config{Seed: 1, Capacity: n})
	c.p, c.parts = p, berth.NewColumn[part](p)
	first := newExtra[extra0](p)
	c.first = first.c
	c.extras = [extras]pooledExtra{
		first, newExtra[extra1](p), newExtra[extra2](p), newExtra[extra3](p),
		newExtra[extra4](p), newExtra[extra5](p), newExtra[extra6](p), newExtra[extra7](p),
	}
}

func (c *pooledEntities) Create(n int, all bool) {
	b := bodyOf(0)
	berth.NewN(c.p, n, func(_ handle, span []body) {
		for i := range span {
			span[i] = b
		}
	})
	berth.SetAll(c.parts, partOf(0))
	if !all {
		return
	}
	for k, x := range c.extras {
		x.setAll(extraOf(k))
	}
}

func (c *pooledEntities) Pick(places []uint32) (sum uint64) {
	for _, i := range places {
		h := c.hs[i]
		if b, x := c.p.Ptr(h), c.parts.Ptr(h); b != nil && x != nil {
			sum += b.V + x.X
		}
	}
	return sum
}

func (c *pooledEntities) Extend(vs []uint32) {
	each(c.hs, vs, func(h handle, _ int) { c.first.Set(h, extra0(extraOf(0))) })
}

func (c *pooledEntities) Reduce(vs []uint32) {
	each(c.hs, vs, func(h handle, _ int) { c.first.Delete(h) })
}

func (c *pooledEntities) Mix(kinds []uint8) {
	for i, kind := range kinds {
		c.parts.Set(c.hs[i], partOf(i))
		mix(c.extras, c.hs[i], kind)
	}
}

func (c *pooledEntities) Sum() uint64 {
	return sumEntities(len(c.hs), func(i int) (v, x uint64, xs [extras]uint64) {
		h := c.hs[i]
		b, _ := c.p.Get(h)
		p, _ := c.parts.Get(h)
		return b.V, p.X, getAll(c.extras, h)
	})
}

// wideEntities is a Pool of structs with room for all components, and a bit for each.
type wideEntities struct{ held[wideEntity] }

type wideEntity struct {
	body
	part
	extras [extras]uint64
	has    uint16 // bit k for extra k, and hasPart
}

const hasPart = 1 << extras

func (c *wideEntities) New(n int) {
	c.p = berth.NewPool[wideEntity](berth.Config{Seed: 1, Capacity: n})
}

func (c *wideEntities) Create(n int, all bool) {
	e := wideEntity{body: bodyOf(0), part: partOf(0), has: hasPart}
	if all {
		for k := range e.extras {
			e.extras[k] = extraOf(k)
		}
		e.has |= hasPart - 1
	}
	berth.NewN(c.p, n, func(_ berth.Handle[wideEntity], span []wideEntity) {
		for i := range span {
			span[i] = e
		}
	})
}

func (c *wideEntities) Pick(places []uint32) (sum uint64) {
	for _, i := range places {
		if e := c.p.Ptr(c.hs[i]); e != nil && e.has&hasPart != 0 {
			sum += e.V + e.X
		}
	}
	return sum
}

func (c *wideEntities) Extend(places []uint32) {
	for _, i := range places {
		if e := c.p.Ptr(c.hs[i]); e != nil {
			e.extras[0] = extraOf(0)
			e.has |= 1
		}
	}
}

func (c *wideEntities) Reduce(places []uint32) {
	for _, i := range places {
		if e := c.p.Ptr(c.hs[i]); e != nil {
			e.has &^= 1
		}
	}
}

func (c *wideEntities) Mix(kinds []uint8) {
	for i, kind := range kinds {
		e := c.p.Ptr(c.hs[i])
		e.part = partOf(i)
		e.has |= uint16(kind)
		for k := range e.extras {
			if kind>>k&1 != 0 {
				e.extras[k] = extraOf(k)
			}
		}
	}
}

func (c *wideEntities) Join() {
	for _, es := range c.p.Spans() {
		for i := range es {
			if e := &es[i]; e.has&hasPart != 0 {
				e.V += e.X
			}
		}
	}
}

func (c *wideEntities) Sum() uint64 {
	return sumEntities(len(c.hs), func(i int) (v, x uint64, xs [extras]uint64) {
		e, _ := c.p.Get(c.hs[i])
		for k, v := range e.extras {
			if e.has>>k&1 != 0 {
				xs[k] = v
			}
		}
		return e.V, e.X, xs
	})
}

type arkEntities struct {
	arkColumns
	ten    *ark.Map10[body, part, extra0, extra1, extra2, extra3, extra4, extra5, extra6, extra7]
	first  *ark.Map1[extra0]
	extras [extras]extra[ark.Entity]
}

// arkExtra is an extra of a world.
type arkExtra[V ~uint64] struct{ m *ark.Map1[V] }

func (x arkExtra[V]) set(h ark.Entity, v uint64) {
	e := V(v)
	x.m.Add(h, &e)
}

func (x arkExtra[V]) get(h ark.Entity) uint64 {
	if v := x.m.Get(h); v != nil {
		return uint64(*v)
	}
	return 0
}

func newArkExtra[V ~uint64](w *ark.World) arkExtra[V] { return arkExtra[V]{ark.NewMap1[V](w)} }

func (c *arkEntities) New(n int) {
	w := ark.NewWorld(n)
	c.w, c.both, c.join = w, ark.NewMap2[body, part](w), ark.NewFilter2[body, part](w)
	c.ten = c.ten.New(w)
	first := newArkExtra[extra0](w)
	c.first = first.m
	c.extras = [extras]extra[ark.Entity]{
		first, newArkExtra[extra1](w), newArkExtra[extra2](w), newArkExtra[extra3](w),
		newArkExtra[extra4](w), newArkExtra[extra5](w), newArkExtra[extra6](w),
		newArkExtra[extra7](w),
	}
}

func (c *arkEntities) Create(n int, all bool) {
	b, x := bodyOf(0), partOf(0)
	if !all {
		c.both.NewBatch(n, &b, &x)
		return
	}
	x0, x1, x2, x3 := extra0(extraOf(0)), extra1(extraOf(1)), extra2(extraOf(2)), extra3(extraOf(3))
	x4, x5, x6, x7 := extra4(extraOf(4)), extra5(extraOf(5)), extra6(extraOf(6)), extra7(extraOf(7))
	c.ten.NewBatch(n, &b, &x, &x0, &x1, &x2, &x3, &x4, &x5, &x6, &x7)
}

func (c *arkEntities) Hold() {
	c.hs = c.hs[:0]
	q := c.join.Query()
	for q.Next() {
		c.hs = append(c.hs, q.Entity())
	}
}

func (c *arkEntities) Pick(places []uint32) (sum uint64) {
	for _, i := range places {
		if h := c.hs[i]; c.w.Alive(h) {
			b, x := c.both.GetUnchecked(h)
			sum += b.V + x.X
		}
	}
	return sum
}

func (c *arkEntities) Extend(places []uint32) {
	x := extra0(extraOf(0))
	for _, i := range places {
		if h := c.hs[i]; c.w.Alive(h) {
			c.first.Add(h, &x)
		}
	}
}

func (c *arkEntities) Reduce(places []uint32) {
	for _, i := range places {
		if h := c.hs[i]; c.w.Alive(h) {
			c.first.Remove(h)
		}
	}
}

func (c *arkEntities) Delete(places []uint32) {
	for _, i := range places {
		if h := c.hs[i]; c.w.Alive(h) {
			c.w.RemoveEntity(h)
		}
	}
}

func (c *arkEntities) Mix(kinds []uint8) {
	for i, kind := range kinds {
		_, x := c.both.Get(c.hs[i])
		*x = partOf(i)
		mix(c.extras, c.hs[i], kind)
	}
}

func (c *arkEntities) Sum() uint64 {
	return sumEntities(len(c.hs), func(i int) (v, x uint64, xs [extras]uint64) {
		h := c.hs[i]
		if !c.w.Alive(h) {
			return 0, 0, xs
		}
		b, p := c.both.Get(h)
		return b.V, p.X, getAll(c.extras, h)
	})
}
