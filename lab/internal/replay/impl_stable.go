package replay

import "github.com/seed505807e1/berth/stable"

var quarteredKind = container{
	name:  "stable Quartered",
	about: "stable.List that fills its slots and truncates by quarters",
	stale: "finds nothing, ever",
	mind:  stableMind,
	safe:  true, forever: true, ours: true,
}

var firstFreeKind = container{
	name:  "stable FirstFree",
	about: "stable.List that fills the lowest slot, and truncates behind its last value",
	stale: "finds nothing, ever",
	mind:  stableMind,
	safe:  true, forever: true, ours: true,
}

const stableMind = "pointers are invalid after the list grows, so keep keys, and memory is kept " +
	"unless you set TruncateMemory"

type stableBox[E Elem] struct {
	names[stable.ListKey[E]]
	l     *stable.List[E]
	place stable.Placement // FirstFree if 0
}

func (c *stableBox[E]) Start() { c.l = stable.New[E](stable.Config{Placement: c.place}) }

type quarteredBox[E Elem] struct{ stableBox[E] }

func (c *quarteredBox[E]) Start() {
	c.place = stable.Quartered
	c.stableBox.Start()
}

func (c *stableBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.hs[o.name()] = c.l.Insert(fresh[E](&c.next))
		case remove:
			c.l.Remove(c.take(o))
		case get:
			s.gets += number(c.l.Ptr(c.hs[o.name()]))
		case miss:
			s.found += count(c.l.Ptr(c.stale(o)) != nil)
		case pass:
			for _, span := range c.l.Spans() {
				for i := range span {
					s.passes += span[i][0]
				}
			}
		}
	}
	return s
}

func (c *stableBox[E]) Len() int { return c.l.Len() }
