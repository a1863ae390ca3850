package columns

import ark "github.com/mlange-42/ark/ecs"

// arkColumns is a world whose entities have a body, and some of them a part or a mark.
type arkColumns struct {
	w      *ark.World
	bodies *ark.Map1[body]
	parts  *ark.Map1[part]
	marks  *ark.Map1[mark]
	both   *ark.Map2[body, part]

	one   *ark.Filter1[body]
	join  *ark.Filter2[body, part]
	three *ark.Filter3[body, part, mark]
	hs    []ark.Entity
}

func (c *arkColumns) New(n int) {
	c.w = ark.NewWorld(n)
	c.bodies, c.parts = ark.NewMap1[body](c.w), ark.NewMap1[part](c.w)
	c.marks, c.both = ark.NewMap1[mark](c.w), ark.NewMap2[body, part](c.w)
	c.one, c.join = ark.NewFilter1[body](c.w), ark.NewFilter2[body, part](c.w)
	c.three = ark.NewFilter3[body, part, mark](c.w)
	c.hs = make([]ark.Entity, 0, n)
	c.both.NewBatchFn(n, func(h ark.Entity, b *body, x *part) {
		*b, *x = bodyOf(len(c.hs)), partOf(len(c.hs))
		c.hs = append(c.hs, h)
	})
}

func (c *arkColumns) Give(values []uint32) {
	for _, i := range values {
		if h := c.hs[i]; c.w.Alive(h) {
			x := partOf(int(i))
			c.parts.Add(h, &x)
		}
	}
}

func (c *arkColumns) Take(values []uint32) {
	for _, i := range values {
		if h := c.hs[i]; c.w.Alive(h) {
			c.parts.Remove(h)
		}
	}
}

func (c *arkColumns) Mark(values []uint32) {
	for _, i := range values {
		m := markOf(int(i))
		c.marks.Add(c.hs[i], &m)
	}
}

func (c *arkColumns) Unmark(vs []uint32) {
	each(c.hs, vs, func(h ark.Entity, _ int) { c.marks.Remove(h) })
}

func (c *arkColumns) Replace(values []uint32) {
	for _, i := range values {
		h := c.hs[i]
		if !c.w.Alive(h) {
			continue
		}
		b, x := *c.bodies.Get(h), partOf(int(i))
		c.w.RemoveEntity(h)
		c.hs[i] = c.both.NewEntity(&b, &x)
	}
}

// find returns nil if h is stale or has no part.
func (c *arkColumns) find(h ark.Entity) *part {
	if !c.w.Alive(h) {
		return nil
	}
	return c.parts.GetUnchecked(h)
}

func (c *arkColumns) Find(values []uint32) (sum uint64) {
	for _, i := range values {
		if x := c.find(c.hs[i]); x != nil {
			sum += x.X
		}
	}
	return sum
}

func (c *arkColumns) One() {
	q := c.one.Query()
	for q.Next() {
		q.Get().V++
	}
}

func (c *arkColumns) Join() {
	q := c.join.Query()
	for q.Next() {
		b, x := q.Get()
		b.V += x.X
	}
}

func (c *arkColumns) JoinSpans() {
	q := c.join.Query()
	for q.NextTable() {
		bs, xs := q.GetColumns()
		xs = xs[:len(bs)]
		for i := range bs {
			bs[i].V += xs[i].X
		}
	}
}

func (c *arkColumns) Three() {
	q := c.three.Query()
	for q.Next() {
		b, x, m := q.Get()
		b.V += x.X * m.K
	}
}

func (c *arkColumns) Sum() uint64 {
	return sumOf(len(c.hs), func(i int) (v, x, k uint64) {
		h := c.hs[i]
		if !c.w.Alive(h) {
			return 0, 0, 0
		}
		v = c.bodies.Get(h).V
		if p := c.parts.Get(h); p != nil {
			x = p.X
		}
		if m := c.marks.Get(h); m != nil {
			k = m.K
		}
		return v, x, k
	})
}
