package broadphase

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

// The colliders of broadphase are those of cross, and as dense if there are more.
func TestBroadphaseIsCrossAtItsSize(t *testing.T) {
	if !slices.Equal(collections.DrawColliders(1000, broadSide(1000)), collections.DrawColliders(1000, 1000)) {
		t.Error("at 1000 the colliders are not those of cross")
	}
	if got := wantBroad(1000).marks; got != collections.WantCross(1000) {
		t.Errorf("at 1000 the marks come to %d, in cross to %d", got, collections.WantCross(1000))
	}
	for n, want := range map[int]int{1: 31, 1000: 1000, 2250: 1500, 10_000: 3162, 100_000: 10_000, workload.MaxN: 31_622} {
		if got := broadSide(n); got != want || got > 1<<15 {
			t.Errorf("broadSide(%d) = %d, want %d", n, got, want)
		}
	}
}

// The sweep is compared with brute force on many pairs.
func TestSweepIsBruteForce(t *testing.T) {
	for _, side := range []int{1, 3, 20, 300, 1000} {
		for _, n := range []int{0, 1, 2, 500} {
			a, b := collections.DrawColliders(n, side), collections.DrawColliders(n, side)
			pairs := collections.ModelMeet(a)
			if got := modelSweep(b); got != pairs || collections.MarkSum(a) != collections.MarkSum(b) {
				t.Errorf("%d in a square of %d: %d pairs and %d, want %d and %d", n, side, got, collections.MarkSum(b), pairs, collections.MarkSum(a))
			}
		}
	}
}

// The workload has few pairs. Here there are many, at each edge of a cell and of the square, and at
// the largest positions.
func TestBroadphasesWhereManyAreNear(t *testing.T) {
	corners := []collections.Collider{{X: 0, Y: 0}, {X: 1<<15 - 1, Y: 0}, {X: 0, Y: 1<<15 - 1}, {X: 1<<15 - 1, Y: 1<<15 - 1}, {X: 1<<15 - 2, Y: 1<<15 - 1}, {X: 31, Y: 31}, {X: 32, Y: 32}, {X: 33, Y: 31}, {X: 1, Y: 1}}
	for _, im := range Family.Impls {
		if measure.KitOf[Kit](im).Walk {
			continue
		}
		check := func(cs []collections.Collider, side int) {
			t.Helper()
			c := measure.KitOf[Kit](im).New()
			c.Fill(cs, side)
			b, _ := c.(builder)
			model := slices.Clone(cs)
			pairs := int(collections.ModelMeet(model))
			for range 2 {
				c.Unmark()
				if b != nil {
					b.Build()
				}
				got := c.Pairs()
				hits, beens := c.Marks()
				if sum := uint64(hits)*100_000 + uint64(beens); got != pairs || sum != collections.MarkSum(model) {
					t.Errorf("%s, %d in a square of %d: %d pairs and %d, want %d and %d", im.Name, len(cs), side, got, sum, pairs, collections.MarkSum(model))
				}
			}
		}
		for _, side := range []int{1, 2, 31, 32, 33, 63, 64, 65, 100} {
			for _, n := range []int{0, 1, 2, 3, 4, 300} {
				check(collections.DrawColliders(n, side), side)
			}
		}
		check(corners, 1<<15)
	}
}

func TestUnmark(t *testing.T) {
	for _, im := range Family.Impls {
		if measure.KitOf[Kit](im).Walk {
			continue
		}
		c := measure.KitOf[Kit](im).New()
		c.Fill([]collections.Collider{{X: 1, Hit: true}, {X: 9, Been: true}}, 10)
		if hits, beens := c.Marks(); hits != 1 || beens != 1 {
			t.Errorf("%s: %d hits and %d beens, want 1 and 1", im.Name, hits, beens)
		}
		c.Unmark()
		if hits, beens := c.Marks(); hits != 0 || beens != 0 {
			t.Errorf("%s: %d hits and %d beens, want none", im.Name, hits, beens)
		}
	}
}

// Each of these has one defect.
type (
	unbuiltBroad struct{ handGrid } // its index is empty
	oneWayBroad  struct{ handGrid } // marks only one of two
	twiceBroad   struct{ handGrid } // counts each pair twice
	lateBroad    struct{ handGrid } // finds nothing from the second time on
	wideBroad    struct{ handGrid } // treats a distance of 2 as near
	valuesBroad  struct{ handGrid } // its other loop finds nothing
)

func (c *unbuiltBroad) Build() { c.places = c.places[:handSpare] }

func (c *oneWayBroad) Pairs() int {
	pairs := c.handGrid.Pairs()
	for v := range c.p.Values() {
		v.Been = false
	}
	return pairs
}

func (c *twiceBroad) Pairs() int { return 2 * c.handGrid.Pairs() }

func (c *lateBroad) Pairs() int {
	pairs := c.handGrid.Pairs()
	c.places = c.places[:handSpare]
	return pairs
}

func (c *lateBroad) Build() {
	if len(c.places) > handSpare {
		c.handGrid.Build()
	}
}

func (c *wideBroad) Pairs() (pairs int) {
	for a, b := range berth.Pairs(&c.p) {
		if max(a.X-b.X, b.X-a.X) <= 2 && max(a.Y-b.Y, b.Y-a.Y) <= 2 {
			pairs += collections.Mark(a, b)
		}
	}
	return pairs
}

func (c *valuesBroad) PairsValues() int { return 0 }

func TestWrongBroadphaseIsFound(t *testing.T) {
	bad := func(name, wrong string, c func() Broadphase) measuretest.Defect {
		return measuretest.Defect{Name: name, Kit: Kit{New: c}, Wrong: wrong}
	}
	for _, n := range []int{1000, 2500, 10_500} {
		measuretest.CheckDefects(t, Family, []measure.Impl{handGridImpl, nearPoolImpl, walkImpl}, []measuretest.Defect{
			bad("unbuilt", "", func() Broadphase { return new(unbuiltBroad) }),
			bad("one way", "", func() Broadphase { return new(oneWayBroad) }),
			bad("twice", "", func() Broadphase { return new(twiceBroad) }),
			bad("late", "", func() Broadphase { return new(lateBroad) }),
			bad("wide", "", func() Broadphase { return new(wideBroad) }),
			bad("values", "pairs_values", func() Broadphase { return new(valuesBroad) }),
		}, measure.Sizing{N: n, Reps: 1, Quick: true})
	}
}

// An implementation without an index has no build figure, and the walk finds no pairs, so none of
// their figures are compared with those of near.Grid. Brute force is a dash at large sizes.
func TestBroadphaseFigures(t *testing.T) {
	for n, brute := range map[int]string{500: "total pairs", bruteMost + 1: ""} {
		jobs := measuretest.Plan(t, measuretest.Of(t, Family), measure.Sizing{N: n, Reps: 1, Quick: true})
		got := map[string][]string{}
		for _, f := range measuretest.Run(t, jobs, Family.Impls).All() {
			got[f.Impl] = append(got[f.Impl], f.Metric)
		}
		for name, want := range map[string]string{
			"near.Grid": "total build pairs pairs_values", "near.Grid on Dense": "total build pairs pairs_values",
			"hand-written grid": "total build pairs", "map of cells": "total build pairs", "tidwall/rtree": "total build pairs",
			"brute force": brute, "dependent walk": "walk",
		} {
			if s := strings.Join(got[name], " "); s != want {
				t.Errorf("n=%d, %s: figures %q, want %q", n, name, s, want)
			}
		}
	}
}

func TestModelReachesPublishedSums(t *testing.T) {
	published := map[int]broadSums{
		1000: {pairs: 12, marks: 1200012}, 10_000: {pairs: 96, marks: 9600096},
		100_000: {pairs: 896, marks: 89300893},
	}
	for _, n := range workload.Sizes(measure.Sizing{}) {
		if got, want := wantBroad(n).checksum(), published[n].checksum(); got != want {
			t.Errorf("n=%d: got %d, want %d", n, got, want)
		}
	}
}
