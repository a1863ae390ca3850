package main

import (
	"maps"
	"slices"
	"time"
)

var cross = &workload{
	name:  "cross",
	about: "every value meets every other one, and both may change",
	method: "Time of one nested loop, divided by the n(n-1) ordered pairs. " +
		"berth.Pool runs it four ways: Traverse with Others.Spans (ns_per_pair), with " +
		"Others.Values, Pairs, and two handles looked up for every pair. " +
		"berth.Dense does so too; its ns_per_pair is a double loop over Slice.",
	n: 1000, quickN: 300, maxN: 10_000, nMeans: "colliders",
	elems: []int{8}, own: true,
	reps: 25, quickReps: 3, warm: true,
	budget: 8 * time.Second, implBudget: 3 * time.Second,
	key: []string{
		"ns_per_pair", "ns_per_pair_spans", "ns_per_pair_values", "ns_per_pair_pairs",
		"ns_per_pair_twokey",
	},
	runs:   hasColliders,
	drawn:  workCharts{ratios: true},
	want:   func(j job) any { return wantCross(j.n) },
	start:  func(t *trial) func() error { return startCross(t, true) },
	expect: expectCross,
}

// crossSide is the side of the square that colliders are in.
const crossSide = 1000

// drawColliders returns n colliders at random places in a square.
func drawColliders(n, side int) []collider {
	r := rng{seed ^ 2}
	cs := make([]collider, n)
	for i := range cs {
		cs[i].x = int16(r.below(uint64(side)))
		cs[i].y = int16(r.below(uint64(side)))
	}
	return cs
}

// expectCross is the expect of all that let colliders meet.
func expectCross(_ job, want any, metric string) (uint64, bool) {
	return want.(uint64), metric == "ns_per_pair" || metric == "ns_per_pair_twokey"
}

// startCross starts cross, with all loops that a collection has or the best one alone.
func startCross(t *trial, allLoops bool) func() error {
	cs := drawColliders(t.n, crossSide)
	return func() error { return crossOnce(t, cs, allLoops) }
}

// crossOnce gives each loop colliders of its own, without marks.
func crossOnce(t *trial, cs []collider, allLoops bool) error {
	loop := func(metric string, c Colliders, f func() int) error {
		if err := t.pause(); err != nil {
			return err
		}
		ns := timed(func() { f() })
		hits, beens := c.Marks()
		sum := uint64(hits)*100_000 + uint64(beens)
		t.add(metric, "ns", ns/float64(max(1, t.n*(t.n-1))), sum, t.want.(uint64))
		return nil
	}
	c := kitOf(t.im).Colliders()
	c.Insert(cs)
	if err := loop("ns_per_pair", c, c.Cross); err != nil {
		return err
	}
	more, ok := c.(crossLoops)
	if !ok || !allLoops {
		return nil
	}
	for _, metric := range slices.Sorted(maps.Keys(more.CrossLoops())) {
		c := kitOf(t.im).Colliders()
		c.Insert(cs)
		if err := loop(metric, c, c.(crossLoops).CrossLoops()[metric]); err != nil {
			return err
		}
	}
	return nil
}
