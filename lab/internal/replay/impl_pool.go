package replay

import "github.com/seed505807e1/berth"

var poolKind = container{
	name:  Default,
	about: "chunks of slots that never move, with an occupancy bitmap",
	stale: "finds nothing, ever",
	mind:  "a pointer is valid until its value is removed; keep handles for longer",
	safe:  true, forever: true, pinned: true, ours: true,
}

type poolBox[E Elem] struct {
	names[berth.Handle[E]]
	p *berth.Pool[E]
}

func (c *poolBox[E]) Start() { c.p = berth.NewPool[E](berth.Config{}) }

func (c *poolBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.hs[o.name()] = c.p.Insert(fresh[E](&c.next))
		case remove:
			c.p.Remove(c.take(o))
		case get:
			s.gets += number(c.p.Ptr(c.hs[o.name()]))
		case miss:
			s.found += count(c.p.Ptr(c.stale(o)) != nil)
		case pass:
			for _, span := range c.p.Spans() {
				for i := range span {
					s.passes += span[i][0]
				}
			}
		}
	}
	return s
}

func (c *poolBox[E]) Len() int { return c.p.Len() }
