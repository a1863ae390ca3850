package replay

import "github.com/mlange-42/ark/ecs"

var arkKind = container{
	name:  "ark",
	about: "an entity component system, with one component and a world per track",
	stale: "finds nothing, if you call Alive first, until its entity has been reused 2^32 times",
	mind:  "values move, and Get of a dead entity panics: call Alive first",
	safe:  true,
}

type arkBox[E Elem] struct {
	names[ecs.Entity]
	w   *ecs.World
	m   *ecs.Map1[E]
	all *ecs.Filter1[E]
	e   E // the value to insert, by pointer
}

func (c *arkBox[E]) Start() {
	c.w = ecs.NewWorld()
	c.m, c.all = ecs.NewMap1[E](c.w), ecs.NewFilter1[E](c.w)
}

func (c *arkBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.e = fresh[E](&c.next)
			c.hs[o.name()] = c.m.NewEntity(&c.e)
		case remove:
			c.w.RemoveEntity(c.take(o))
		case get:
			if h := c.hs[o.name()]; c.w.Alive(h) {
				s.gets += (*c.m.GetUnchecked(h))[0]
			}
		case miss:
			s.found += count(c.w.Alive(c.stale(o)))
		case pass:
			for q := c.all.Query(); q.NextTable(); {
				s.passes += sum(q.GetColumns())
			}
		}
	}
	return s
}

func (c *arkBox[E]) Len() int {
	q := c.all.Query()
	defer q.Close()
	return q.Count()
}
