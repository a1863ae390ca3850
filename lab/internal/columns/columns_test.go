package columns

import (
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

func TestSumsByHand(t *testing.T) {
	// With two values, one is left from 50 % on. It is first in the order.
	w := wantColumns(2)
	last := int(w.order[0])
	const bodies = 1*1 + 2*2
	parts := [2]uint64{31 * 1, 2 * 31 * 2}
	if want := bodies + parts[0] + parts[1]; w.at["join_100"] != want {
		t.Errorf("the data of all come to %d, want %d", w.at["join_100"], want)
	}
	for _, metric := range []string{"join_50", "join_10", "join_1", "toggle"} {
		if want := bodies + parts[last]; w.at[metric] != want {
			t.Errorf("%s: the data come to %d, want %d", metric, w.at[metric], want)
		}
	}
	m := int(w.marked[0])
	marks := weighted(m, 101*uint64(m+1))
	if want := bodies + parts[last] + marks; w.at["three"] != want || len(w.marked) != 1 {
		t.Errorf("%d marks, and data of %d, want %d", len(w.marked), w.at["three"], want)
	}
	if w.at["find"] != uint64(last)+1 || w.adds["one"] != 3 || w.adds["join_100"] != 1+2*2 {
		t.Errorf("find %d; one adds %d, join_100 %d", w.at["find"], w.adds["one"], w.adds["join_100"])
	}
	if adds := w.adds["three"]; (adds > 0) != (m == last) || w.both > 1 {
		t.Errorf("three adds %d for %d", adds, w.both)
	}
	for _, metric := range metrics {
		if w.at[metric] == 0 {
			t.Errorf("%s has no sum", metric)
		}
	}
	if big := wantColumns(1000); big.both < 200 || big.both > 300 || having(1000, 10) != 100 {
		t.Errorf("%d of 1000 have a part and a mark", big.both)
	}
}

func TestAllAgree(t *testing.T) {
	for _, n := range []int{1, 2, 64, 65, 2000} {
		jobs := measuretest.Plan(t, measuretest.Of(t, Family),
			measure.Sizing{N: n, Reps: 2, Quick: true, Hasty: true})
		rec := measuretest.Run(t, jobs, Family.Impls)
		measuretest.Check(t, rec, jobs, Family.Impls)
	}
}

// A repetition ends with the data with which it began, apart from V.
func TestRepetitionsAreAlike(t *testing.T) {
	for _, im := range Family.Impls {
		c := im.Kit.(Kit).Columns()
		c.New(100)
		before := c.Sum()
		all := order(100)
		c.Mark(all)
		c.Take(all)
		if got := c.Find(all); got != 0 {
			t.Errorf("%s: finds %d where nothing has a part", im.Name, got)
		}
		c.Unmark(all)
		c.Give(all)
		c.Replace(all)
		if got := c.Sum(); got != before {
			t.Errorf("%s: the sum is %d, want %d", im.Name, got, before)
		}
	}
}

// Each of these has one defect.
type (
	idleOne    struct{ pooled }
	idleJoin   struct{ pooled }
	wideJoin   struct{ pooled } // joins all bodies
	fewThree   struct{ pooled } // leaves out a body
	idleSpans  struct{ pooled }
	idleTake   struct{ pooled }
	fewGive    struct{ pooled } // gives all but the last
	swapGive   struct{ pooled } // gives the parts of others
	bareInsert struct{ pooled } // inserts without a part
	freshOne   struct{ pooled } // inserts other bodies
	idleFind   struct{ pooled }
)

func (c *idleOne) One()         {}
func (c *idleJoin) Join()       {}
func (c *idleSpans) JoinSpans() {}

func (c *wideJoin) Join() {
	for h, b := range c.p.All() {
		b.V += c.orZero(h).X + 1
	}
}

func (c *pooled) orZero(h handle) part {
	x, _ := c.parts.Get(h)
	return x
}

func (c *fewThree) Three() {
	first := true
	for h, x := range c.parts.All() {
		if m := c.marks.Ptr(h); m != nil {
			if !first {
				c.p.Ptr(h).V += x.X * m.K
			}
			first = false
		}
	}
}

func (c *idleTake) Take([]uint32)       {}
func (c *fewGive) Give(values []uint32) { c.pooled.Give(values[1:]) }

func (c *swapGive) Give(values []uint32) {
	for k, i := range values {
		c.parts.Set(c.hs[i], partOf(int(values[len(values)-1-k])))
	}
}

func (c *bareInsert) Replace(values []uint32) {
	for _, i := range values {
		b, _ := c.p.Remove(c.hs[i])
		c.hs[i] = c.p.Insert(b)
	}
}

func (c *freshOne) Replace(values []uint32) {
	for _, i := range values {
		c.p.Remove(c.hs[i])
		h := c.p.Insert(bodyOf(int(i)))
		c.parts.Set(h, partOf(int(i)))
		c.hs[i] = h
	}
}

func (c *idleFind) Find([]uint32) uint64 { return 0 }

func TestDefectsAreFound(t *testing.T) {
	defect := func(name, first string, c func() Columns) measuretest.Defect {
		return measuretest.Defect{Name: name, Kit: Kit{Columns: c}, Wrong: first}
	}
	// V keeps what was wrong, so later metrics are wrong too.
	checkFirst(t, "columns", []measuretest.Defect{
		defect("idle one", "one", func() Columns { return new(idleOne) }),
		defect("idle join", "join_100", func() Columns { return new(idleJoin) }),
		defect("wide join", "join_100", func() Columns { return new(wideJoin) }),
		defect("few three", "three", func() Columns { return new(fewThree) }),
		defect("idle spans", "join_100_spans", func() Columns { return new(idleSpans) }),
		defect("idle take", "join_50", func() Columns { return new(idleTake) }),
		defect("few give", "toggle", func() Columns { return new(fewGive) }),
		defect("swap give", "toggle", func() Columns { return new(swapGive) }),
		defect("bare insert", "replace", func() Columns { return new(bareInsert) }),
		defect("fresh one", "replace", func() Columns { return new(freshOne) }),
		defect("idle find", "find", func() Columns { return new(idleFind) }),
	}, "one join_100 join_100_spans replace join_50 join_50_spans find toggle three join_10 "+
		"join_10_spans join_1 join_1_spans")
}

// checkFirst fails unless the first wrong sum of each defect, in the order of the metrics, is that
// in Wrong.
func checkFirst(t *testing.T, workload string, defects []measuretest.Defect, inOrder string) {
	t.Helper()
	ims, first := []measure.Impl{wideImpl}, map[string]string{}
	for _, d := range defects {
		ims = append(ims, measure.Impl{Name: d.Name, Kit: d.Kit})
		first[d.Name] = d.Wrong
	}
	works := measuretest.Of(t, measuretest.With(Family, ims...), workload)
	works[0].Workload = oneRound(works[0].Workload)
	jobs := measuretest.Plan(t, works, measure.Sizing{N: 500, Reps: 1, Quick: true, Hasty: true})
	at := measure.Index(measuretest.Run(t, jobs, ims))
	for _, im := range ims {
		got := ""
		for metric := range strings.FieldsSeq(inOrder) {
			if f := at[jobs[0].At(im.Name, metric)]; f != nil && !f.ChecksumOK {
				got = metric
				break
			}
		}
		if got != first[im.Name] {
			t.Errorf("%s: the first wrong sum is of %q, want %q", im.Name, got, first[im.Name])
		}
	}
}

// oneRound is w without a warm-up.
func oneRound(w *measure.Workload) *measure.Workload {
	v := *w
	v.Warm = false
	return &v
}

// Loops, lookups and changes of a Column allocate nothing once its memory is there.
func TestColumnAllocates(t *testing.T) {
	c := new(pooled)
	c.New(2000)
	some := order(2000)[:500]
	for name, f := range map[string]func(){
		"One": c.One, "Join": c.Join, "JoinSpans": c.JoinSpans, "Three": c.Three,
		"Find":          func() { c.Find(some) },
		"Take and Give": func() { c.Take(some); c.Give(some) },
		"Replace":       func() { c.Replace(some) },
	} {
		if got := testing.AllocsPerRun(5, f); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}
