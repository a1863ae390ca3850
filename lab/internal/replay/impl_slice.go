package replay

var sliceKind = container{
	name:  "[]T and an index table",
	about: "a slice with swap-remove, a table from handle to place, a stack of free handles",
	stale: "finds another value once its entry in the table is reused",
	found: "another value",
	mind:  "a stale handle finds another value",
	naive: true,
}

// sliceBox adds handles to a bare slice: an index into a table, without a generation.
type sliceBox[E Elem] struct {
	names[uint32]
	vals  []E
	owner []uint32 // the handle of the value at the same position
	place []uint32 // by handle: 1 + the position of its value; 0 if vacant
	free  []uint32 // vacant handles
}

func (c *sliceBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.hs[o.name()] = c.insert(fresh[E](&c.next))
		case remove:
			c.remove(c.take(o))
		case get:
			if p := c.place[c.hs[o.name()]]; p != 0 {
				s.gets += c.vals[p-1][0]
			}
		case miss:
			s.found += count(c.place[c.stale(o)] != 0)
		case pass:
			s.passes += sum(c.vals)
		}
	}
	return s
}

func (c *sliceBox[E]) insert(e E) (h uint32) {
	if n := len(c.free); n > 0 {
		h = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		h = uint32(len(c.place))
		c.place = append(c.place, 0)
	}
	c.vals = append(c.vals, e)
	c.owner = append(c.owner, h)
	c.place[h] = uint32(len(c.vals))
	return h
}

// remove is swap-remove: the last value fills the hole.
func (c *sliceBox[E]) remove(h uint32) {
	p, last := c.place[h], len(c.vals)-1
	c.vals[p-1] = c.vals[last]
	moved := c.owner[last]
	c.owner[p-1] = moved
	c.place[moved] = p
	c.place[h] = 0
	c.vals, c.owner = c.vals[:last], c.owner[:last]
	c.free = append(c.free, h)
}

func (c *sliceBox[E]) Len() int { return len(c.vals) }
