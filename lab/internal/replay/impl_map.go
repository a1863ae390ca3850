package replay

var mapKind = container{
	name:  "map[uint64]T",
	about: "a map from a counter to the value itself",
	stale: "finds nothing, ever",
	mind:  "its values have no address, so a change copies the value out and in",
	safe:  true, forever: true, naive: true,
}

type mapBox[E Elem] struct {
	names[uint64]
	m map[uint64]E
	k uint64 // the last key
}

func (c *mapBox[E]) Start() { c.m = map[uint64]E{} }

func (c *mapBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.k++
			c.m[c.k] = fresh[E](&c.next)
			c.hs[o.name()] = c.k
		case remove:
			delete(c.m, c.take(o))
		case get:
			if e, ok := c.m[c.hs[o.name()]]; ok {
				s.gets += e[0]
			}
		case miss:
			_, ok := c.m[c.stale(o)]
			s.found += count(ok)
		case pass:
			for _, e := range c.m {
				s.passes += e[0]
			}
		}
	}
	return s
}

func (c *mapBox[E]) Len() int { return len(c.m) }
