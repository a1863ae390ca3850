package columns

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

func TestEntitySumsByHand(t *testing.T) {
	// Of two entities, the one that is first in the order is changed and deleted.
	w := wantEntities(2)
	gone := uint64(w.half[0]) + 1 // the weight
	const (
		two   = 1 + 31*1
		extra = 101 * 1
		ten   = two + extra + 103*2 + 105*3 + 107*4 + 109*5 + 111*6 + 113*7 + 115*8
	)
	for _, c := range []struct {
		name      string
		got, want [2]uint64
	}{
		{"created", w.created, [2]uint64{3 * two, 3 * ten}},
		{"extended", w.extended, [2]uint64{3*two + gone*extra, 3*ten - gone*extra}},
		{"deleted", w.deleted, [2]uint64{(3 - gone) * two, (3 - gone) * ten}},
	} {
		if c.got != c.want {
			t.Errorf("%s: the data come to %d, want %d", c.name, c.got, c.want)
		}
	}
	if w.pick != 1+1 || w.others[0]+w.half[0] != 1 {
		t.Errorf("pick finds %d, among %d and %d", w.pick, w.half, w.others)
	}
	for i, m := range w.mixes {
		want := uint64(0)
		for e, kind := range m.kinds {
			data := 1 + 31*uint64(e+1)
			for k := range 5 {
				data += uint64(kind>>k&1) * uint64(101+2*k) * uint64(k+1)
			}
			want += uint64(e+1) * data
		}
		if m.sum != want || m.adds != 1*1+2*2 {
			t.Errorf("%s: the data come to %d, want %d; a loop adds %d",
				mixes[i].join, m.sum, want, m.adds)
		}
	}
}

// The entities of a collection have as many kinds as its metric is named for.
func TestKinds(t *testing.T) {
	for i, m := range wantEntities(2000).mixes {
		kinds := slices.Clone(m.kinds)
		slices.Sort(kinds)
		kinds = slices.Compact(kinds)
		if len(kinds) != mixes[i].kinds || int(slices.Max(kinds)) != mixes[i].kinds-1 {
			t.Errorf("%s: the kinds are %d", mixes[i].join, kinds)
		}
	}
}

// Each of these has one defect.
type (
	moreCreate  struct{ pooledEntities } // creates one more
	bareCreate  struct{ pooledEntities } // creates without extras
	richCreate  struct{ pooledEntities } // creates all with extras
	idlePick    struct{ pooledEntities }
	idleExtend  struct{ pooledEntities }
	idleReduce  struct{ pooledEntities }
	otherExtend struct{ pooledEntities } // extends another entity
	idleDelete  struct{ pooledEntities }
	lateDelete  struct {
		pooledEntities

		late bool // the last call deleted all but the first, and the next one deletes that
	}
	oneKind   struct{ pooledEntities } // mixes nothing
	plainJoin struct{ pooledEntities } // leaves out those with extra 0
	fewSpans  struct{ pooledEntities } // joins one body of each span
)

func (c *moreCreate) Create(n int, all bool) { c.pooledEntities.Create(n+1, all) }
func (c *bareCreate) Create(n int, all bool) { c.pooledEntities.Create(n, false) }
func (c *richCreate) Create(n int, all bool) { c.pooledEntities.Create(n, true) }
func (c *idlePick) Pick([]uint32) uint64     { return 0 }
func (c *idleExtend) Extend([]uint32)        {}
func (c *idleReduce) Reduce([]uint32)        {}
func (c *idleDelete) Delete([]uint32)        {}

func (c *otherExtend) Extend(places []uint32) {
	for _, i := range places {
		c.first.Set(c.hs[int(i+1)%len(c.hs)], extra0(extraOf(0)))
	}
}

func (c *lateDelete) Delete(places []uint32) {
	if c.late = !c.late; c.late {
		c.pooledEntities.Delete(places[1:])
	} else {
		c.p.Clear()
	}
}

func (c *oneKind) Mix(kinds []uint8) { c.pooledEntities.Mix(make([]uint8, len(kinds))) }

func (c *plainJoin) Join() {
	for h, x := range berth.Without(c.parts, c.first) {
		c.p.Ptr(h).V += x.X
	}
}

func (c *fewSpans) JoinSpans() {
	for bs, xs := range c.parts.JoinSpans() {
		bs[0].V += xs[0].X
	}
}

func TestEntityDefectsAreFound(t *testing.T) {
	defect := func(name, first string, c func() Entities) measuretest.Defect {
		return measuretest.Defect{Name: name, Kit: Kit{Entities: c}, Wrong: first}
	}
	checkFirst(t, "entities", []measuretest.Defect{
		defect("more create", "create_2", func() Entities { return new(moreCreate) }),
		defect("bare create", "create_10", func() Entities { return new(bareCreate) }),
		defect("rich create", "create_2", func() Entities { return new(richCreate) }),
		defect("idle pick", "pick", func() Entities { return new(idlePick) }),
		defect("idle extend", "toggle_2", func() Entities { return new(idleExtend) }),
		defect("idle reduce", "toggle_2", func() Entities { return new(idleReduce) }),
		defect("other extend", "toggle_2", func() Entities { return new(otherExtend) }),
		defect("idle delete", "create_2", func() Entities { return new(idleDelete) }),
		defect("late delete", "delete_2", func() Entities { return new(lateDelete) }),
		defect("one kind", "kinds_2", func() Entities { return new(oneKind) }),
		defect("plain join", "kinds_2", func() Entities { return new(plainJoin) }),
		defect("few spans", "kinds_2_spans", func() Entities { return new(fewSpans) }),
	}, "create_2 toggle_2 pick delete_2 create_10 toggle_10 delete_10 "+
		"kinds_2 kinds_2_spans kinds_32 kinds_32_spans")
}
