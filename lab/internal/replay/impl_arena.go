package replay

import "github.com/seed505807e1/berth/arena"

// arena.Pool is left out: its indices have no generations, so a stream of handles does not fit it.
// arena.Handles is that pool with generations.
var handlesKind = container{
	name:  "arena.Handles",
	about: "slots in chunks of an arena on Go's heap, with generations",
	stale: "finds nothing, ever",
	mind:  "values may not hold Go pointers, and memory is released only with the arena",
	safe:  true, forever: true, pinned: true, ours: true,
}

// arenaChunk, with its alignment, is the second largest size that Go's heap does not round up.
const arenaChunk = 64<<10 - 64

type handlesBox[E Elem] struct {
	names[arena.Handle64[E]]
	p *arena.Handles[E, arena.Handle64[E]]
}

func (c *handlesBox[E]) Start() {
	a := arena.NewChunked(arenaChunk)
	c.p = arena.NewHandles[E, arena.Handle64[E]](a, arena.HandlesConfig{})
}

func (c *handlesBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.hs[o.name()], _ = c.p.Insert(fresh[E](&c.next)) // it fails only beyond 2^32 values
		case remove:
			c.p.Delete(c.take(o))
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

func (c *handlesBox[E]) Len() int { return c.p.Len() }
