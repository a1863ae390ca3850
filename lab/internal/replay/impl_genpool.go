package replay

import "github.com/seed505807e1/berth/lab/internal/genpool"

var genpoolKind = container{
	name:  "genpool",
	about: "the generational pool that one writes in fifty lines: slots in a slice",
	stale: "finds nothing, until its slot has been reused 2^31 times",
	mind:  "pointers are invalid after the next insert, and slots are never released",
	safe:  true,
}

type genpoolBox[E Elem] struct {
	names[genpool.Handle]
	p genpool.Pool[E]
}

func (c *genpoolBox[E]) Run(ops []op) (s sums) {
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
			slots := c.p.Slots
			for i := range slots {
				if t := &slots[i]; t.Gen&1 == 1 {
					s.passes += t.Val[0]
				}
			}
		}
	}
	return s
}

func (c *genpoolBox[E]) Len() int { return c.p.Len() }
