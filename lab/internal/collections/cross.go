package collections

import (
	"maps"
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

var cross = &measure.Workload{
	Name:  "cross",
	About: "every value meets every other one, and both may change",
	Method: "Time of a nested loop, divided by the n(n-1) ordered pairs. " +
		"berth.Pool runs it in four ways: Traverse with Others.Spans (ns_per_pair), with " +
		"Others.Values, Pairs, and two handles looked up for every pair. " +
		"So does berth.Dense; its ns_per_pair is a double loop over Slice.",
	N: 1000, QuickN: 300, MaxN: 10_000, NMeans: "colliders",
	Elems: []int{8}, Own: true,
	Reps: 25, QuickReps: 3, Warm: true,
	Budget: 8 * time.Second, ImplBudget: 3 * time.Second,
	Key: []string{
		"ns_per_pair", "ns_per_pair_spans", "ns_per_pair_values", "ns_per_pair_pairs",
		"ns_per_pair_twokey",
	},
	Metrics: measure.Everyone("ns_per_pair"),
	Runs:    HasColliders,
	Want:    func(j measure.Job) any { return WantCross(j.N) },
	Start:   func(t *measure.Trial) func() error { return StartCross(t, true) },
	Expect:  ExpectCross,
}

// crossSide is the side of the colliders' square.
const crossSide = 1000

// DrawColliders returns n colliders at random positions in a square.
func DrawColliders(n, side int) []Collider {
	r := measure.RNG{S: measure.Seed ^ 2}
	cs := make([]Collider, n)
	for i := range cs {
		cs[i].X = int16(r.Below(uint64(side)))
		cs[i].Y = int16(r.Below(uint64(side)))
	}
	return cs
}

// ExpectCross is the Expect of all workloads with colliders.
func ExpectCross(_ measure.Job, want any, metric string) (uint64, bool) {
	return want.(uint64), metric == "ns_per_pair" || metric == "ns_per_pair_twokey"
}

// StartCross starts cross, with all loops of a collection or only the best one.
func StartCross(t *measure.Trial, allLoops bool) func() error {
	cs := DrawColliders(t.N, crossSide)
	return func() error { return crossOnce(t, cs, allLoops) }
}

// crossOnce gives each loop its own unmarked colliders.
func crossOnce(t *measure.Trial, cs []Collider, allLoops bool) error {
	loop := func(metric string, c Colliders, f func() int) error {
		if err := t.Pause(); err != nil {
			return err
		}
		ns := measure.Time(func() { f() })
		hits, beens := c.Marks()
		sum := uint64(hits)*100_000 + uint64(beens)
		t.Add(metric, "ns", ns/float64(max(1, t.N*(t.N-1))), sum, t.Want.(uint64))
		return nil
	}
	c := KitOf(t.Impl).Colliders()
	c.Insert(cs)
	if err := loop("ns_per_pair", c, c.Cross); err != nil {
		return err
	}
	more, ok := c.(crossLoops)
	if !ok || !allLoops {
		return nil
	}
	for _, metric := range slices.Sorted(maps.Keys(more.CrossLoops())) {
		c := KitOf(t.Impl).Colliders()
		c.Insert(cs)
		if err := loop(metric, c, c.(crossLoops).CrossLoops()[metric]); err != nil {
			return err
		}
	}
	return nil
}

func WantCross(n int) uint64 {
	cs := DrawColliders(n, crossSide)
	ModelMeet(cs)
	return MarkSum(cs)
}

// MarkSum is 100 000 for each collider that hit another one, and 1 for each that was hit.
func MarkSum(cs []Collider) (sum uint64) {
	for _, c := range cs {
		if c.Hit {
			sum += 100_000
		}
		if c.Been {
			sum++
		}
	}
	return sum
}

// ModelMeet is the literal cross rule.
func ModelMeet(cs []Collider) (pairs uint64) {
	abs := func(d int) int { return max(d, -d) }
	for a := range cs {
		for b := range cs {
			if a != b && abs(int(cs[a].X)-int(cs[b].X)) < 2 && abs(int(cs[a].Y)-int(cs[b].Y)) < 2 {
				cs[a].Hit = true
				cs[b].Been = true
				pairs++
			}
		}
	}
	return pairs
}
