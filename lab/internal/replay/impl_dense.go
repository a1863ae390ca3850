package replay

import "github.com/seed505807e1/berth"

var denseKind = container{
	name:  "berth.Dense",
	about: "values side by side in one slice, which move when holes are closed",
	stale: "finds nothing, ever",
	mind:  "values move, so no pointer outlives the next insert, removal or loop: keep handles",
	safe:  true, forever: true, ours: true,
}

type denseBox[E Elem] struct {
	names[berth.Handle[E]]
	d *berth.Dense[E]
}

func (c *denseBox[E]) Start() { c.d = berth.NewDense[E](berth.DenseConfig{}) }

func (c *denseBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.hs[o.name()] = c.d.Insert(fresh[E](&c.next))
		case remove:
			c.d.Remove(c.take(o))
		case get:
			s.gets += number(c.d.Ptr(c.hs[o.name()]))
		case miss:
			s.found += count(c.d.Ptr(c.stale(o)) != nil)
		case pass:
			s.passes += sum(c.d.Slice())
		}
	}
	return s
}

func (c *denseBox[E]) Len() int { return c.d.Len() }
