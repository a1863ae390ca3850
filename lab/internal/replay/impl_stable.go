package replay

import "github.com/seed505807e1/berth/stable"

var quarteredKind = container{
	name:   "stable Quartered",
	about:  "stable.List whose slots are filled and cut off by quarters",
	stale:  "finds nothing, ever",
	mind:   stableMind,
	better: "where the thesis' order is wanted",
	safe:   true, forever: true, ours: true,
	boxes: [classes]func(int) box{
		newQuartered[[1]uint64], newQuartered[[2]uint64], newQuartered[[4]uint64],
		newQuartered[[8]uint64], newQuartered[[16]uint64], newQuartered[[32]uint64],
		newQuartered[[64]uint64],
	},
}

var firstFreeKind = container{
	name:   "stable.List",
	about:  "slots of one piece of memory; fills the lowest, and is cut behind its last value",
	stale:  "finds nothing, ever",
	mind:   stableMind,
	better: "where a slot's number must be small, or identifiers your own",
	safe:   true, forever: true, ours: true,
	boxes: [classes]func(int) box{
		newFirstFree[[1]uint64], newFirstFree[[2]uint64], newFirstFree[[4]uint64],
		newFirstFree[[8]uint64], newFirstFree[[16]uint64], newFirstFree[[32]uint64],
		newFirstFree[[64]uint64],
	},
}

const stableMind = "pointers end when the list grows, so keep keys, and its memory stays unless " +
	"you ask for TruncateMemory"

type stableBox[E Elem] struct {
	names[stable.ListKey[E]]
	l    *stable.List[E]
	conf stable.Config
}

func newQuartered[E Elem](n int) box {
	conf := stable.Config{Placement: stable.Quartered}
	return &stableBox[E]{names: newNames[stable.ListKey[E]](n), conf: conf}
}

func newFirstFree[E Elem](n int) box {
	return &stableBox[E]{names: newNames[stable.ListKey[E]](n)}
}

func (c *stableBox[E]) Start() { c.l = stable.New[E](c.conf) }

func (c *stableBox[E]) Run(ops []op) (s sums) {
	for _, o := range ops {
		switch o.kind() {
		case insert:
			c.hs[o.name()] = c.l.Insert(fresh[E](&c.next))
		case remove:
			c.l.Remove(c.take(o))
		case get:
			if e := c.l.Ptr(c.hs[o.name()]); e != nil {
				s.gets += (*e)[0]
			}
		case miss:
			if c.l.Ptr(c.stale(o)) != nil {
				s.found++
			}
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
