package replay

// emptyKind holds nothing. Its time is the replay's own cost in every container: decoding ops,
// numbering values, and keeping handles by name.
var emptyKind = container{
	name:  "the replay itself",
	about: "no container: the ops alone",
}

type emptyBox[E Elem] struct {
	names[uint64]
	n int
}

func (c *emptyBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			e := fresh[E](&c.next)
			c.hs[o.name()] = e[0]
			c.n++
		case remove:
			c.take(o)
			c.n--
		case get:
			s.gets += c.hs[o.name()]
		case miss:
			c.stale(o)
		case pass:
		}
	}
	return s
}

func (c *emptyBox[E]) Len() int { return c.n }
