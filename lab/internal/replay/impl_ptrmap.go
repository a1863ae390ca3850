package replay

var ptrMapKind = container{
	name:  "map[uint64]*T",
	about: "a map from a counter to a pointer",
	stale: "finds nothing, ever",
	mind:  "each removed value is garbage, and each loop has another order",
	safe:  true, forever: true, pinned: true, naive: true,
}

type ptrMapBox[E Elem] struct {
	names[uint64]
	m map[uint64]*E
	k uint64 // the last key
}

func (c *ptrMapBox[E]) Start() { c.m = map[uint64]*E{} }

func (c *ptrMapBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			e := fresh[E](&c.next)
			c.k++
			c.m[c.k] = &e
			c.hs[o.name()] = c.k
		case remove:
			delete(c.m, c.take(o))
		case get:
			if e, ok := c.m[c.hs[o.name()]]; ok {
				s.gets += (*e)[0]
			}
		case miss:
			_, ok := c.m[c.stale(o)]
			s.found += count(ok)
		case pass:
			for _, e := range c.m {
				s.passes += (*e)[0]
			}
		}
	}
	return s
}

func (c *ptrMapBox[E]) Len() int { return len(c.m) }
