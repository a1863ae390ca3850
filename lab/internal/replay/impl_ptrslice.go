package replay

var ptrSliceKind = container{
	name:   "[]*T",
	about:  "a slice of pointers with swap-remove; each value holds its position",
	stale:  "finds the removed value, which the pointer keeps alive",
	found:  "the removed value",
	mind:   "a stale pointer finds the removed value, and keeps it alive",
	pinned: true, naive: true,
}

// placed is a value with its position in the slice.
type placed[E Elem] struct {
	v E
	i int
}

type ptrSliceBox[E Elem] struct {
	names[*placed[E]]
	s []*placed[E]
}

func (c *ptrSliceBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			p := &placed[E]{fresh[E](&c.next), len(c.s)}
			c.s = append(c.s, p)
			c.hs[o.name()] = p
		case remove:
			c.remove(c.take(o))
		case get:
			s.gets += c.hs[o.name()].v[0]
		case miss:
			s.found += count(c.stale(o) != nil)
		case pass:
			for _, p := range c.s {
				s.passes += p.v[0]
			}
		}
	}
	return s
}

// remove is swap-remove: the last value fills the hole.
func (c *ptrSliceBox[E]) remove(p *placed[E]) {
	last := len(c.s) - 1
	moved := c.s[last]
	c.s[p.i] = moved
	moved.i = p.i
	c.s[last] = nil
	c.s = c.s[:last]
}

func (c *ptrSliceBox[E]) Len() int { return len(c.s) }
