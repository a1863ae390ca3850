// Package broadphase measures spatial indexes, which find near pairs of colliders.
package broadphase

import (
	"math"
	"time"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Broadphase finds near pairs of colliders, for broadphase.
type Broadphase interface {
	// Fill inserts copies of cs, whose positions are in [0, side) on both axes.
	Fill(cs []collections.Collider, side int)
	// Pairs applies the rule of cross to all colliders and counts the near ordered pairs. An
	// implementation that finds an unordered pair once marks both ways and counts two.
	Pairs() (pairs int)
	// Marks counts the colliders that hit another one, and those that were hit. It is not timed.
	Marks() (hits, beens int)
	// Unmark clears all marks. It is not timed.
	Unmark()
}

// Kit holds the constructor of a Broadphase, or of the walk beside it.
type Kit struct {
	New  func() Broadphase
	Walk bool
}

// builder is a Broadphase with an index, which Pairs uses.
type builder interface {
	// Build rebuilds the index from the current positions, in the memory of the previous one.
	Build()
}

// pairsLoop is implemented by a Broadphase with another loop to the same marks.
type pairsLoop interface{ PairsValues() (pairs int) }

var workload = &measure.Workload{
	Name:  "broadphase",
	About: "find all near pairs, and mark both colliders",
	Method: "Time divided by n. build rebuilds the index from the collection, in the memory of " +
		"the previous one; pairs finds every near pair and marks both; total is one build and " +
		"one pairs. The rule is that of cross: |dx| < 2 and |dy| < 2. Both alternate 16 times, " +
		"or 4 beyond 2000 colliders, or 3 beyond 10 000, and the median of each counts. " +
		"pairs_values is Traverse with a loop over the others, which finds each pair twice. walk " +
		"is a step of a dependent walk: n elements of 16 bytes, each of which holds the position " +
		"of the next, in random order; the median of 9 rounds. It shows this machine's memory " +
		"latency.",
	N: 1000, QuickN: 300, MaxN: 1_000_000, NMeans: "colliders",
	MoreN: []int{10_000, 100_000}, MoreQuickN: []int{2000},
	Elems: []int{8}, Own: true,
	Reps: 40, QuickReps: 2,
	Budget: 900 * time.Millisecond, ImplBudget: 250 * time.Millisecond,
	Key: []string{"total", "build", "pairs", "pairs_values", "walk"},
	Metrics: func(im measure.Impl) []string {
		k := measure.KitOf[Kit](im)
		if k.Walk {
			return []string{"walk"}
		}
		if _, ok := k.New().(builder); !ok {
			return []string{"total", "pairs"}
		}
		return []string{"total", "build", "pairs"}
	},
	Runs: func(im measure.Impl) bool {
		k := measure.KitOf[Kit](im)
		return k.New != nil || k.Walk
	},
	Want:  func(j measure.Job) any { return wantBroad(j.N) },
	Start: startBroad,
	Drawn: measure.Charts{Growth: []string{"total"}},
}

var Family = &measure.Family{
	ID:        "broadphases",
	Workloads: []*measure.Workload{workload},
	Title:     "The broadphases",
	Stale:     "A value that is removed between build and pairs",
	Impls: []measure.Impl{
		nearPoolImpl, nearDenseImpl, handGridImpl, cellMapImpl, rtreeImpl, bruteImpl, walkImpl,
	},
	Baseline: "hand-written grid",
	Subjects: []string{"near.Grid"},
}

// broadSide returns the side of the square in which n colliders have the density of cross.
func broadSide(n int) int { return int(math.Sqrt(1000 * float64(n))) }

// broadRounds is the number of builds and searches in a repetition. The caches are cold at the
// first one, after other implementations and a garbage collection.
func broadRounds(n int) int {
	switch {
	case n <= 2000:
		return 16
	case n <= 10_000:
		return 4
	}
	return 3
}

// broadSums holds the terms of broadphase's checksum.
type broadSums struct {
	pairs uint64 // ordered
	marks uint64 // as in cross: 100 000 for each that hit another one, and 1 for each that was hit
}

func (s broadSums) checksum() uint64 { return s.pairs*10_000_000_000 + s.marks }

func startBroad(t *measure.Trial) func() error {
	if measure.KitOf[Kit](t.Impl).Walk {
		next := collections.NewWalk[[2]uint64](t.N, measure.Seed^11)
		return func() error { return walkOnce(t, next) }
	}
	c := measure.KitOf[Kit](t.Impl).New()
	side := broadSide(t.N)
	c.Fill(collections.DrawColliders(t.N, side), side)
	return func() error { return broadOnce(t, c) }
}

// broadOnce builds and searches several times. Marks do not affect the result.
func broadOnce(t *measure.Trial, c Broadphase) error {
	n, rounds, want := float64(t.N), broadRounds(t.N), t.Want.(broadSums)
	want.pairs *= uint64(rounds)
	c.Unmark()
	if err := t.Pause(); err != nil {
		return err
	}
	var build, pairs, total []float64
	found := uint64(0)
	b, _ := c.(builder)
	for range rounds {
		ns := 0.0
		if b != nil {
			ns = measure.Time(b.Build)
			build = append(build, ns)
		}
		p := measure.Time(func() { found += uint64(c.Pairs()) })
		pairs, total = append(pairs, p), append(total, ns+p)
	}
	add := func(metric string, times []float64) {
		hits, beens := c.Marks()
		got := broadSums{found, uint64(hits)*100_000 + uint64(beens)}
		t.Add(metric, "ns", measure.Quantile(times, 0.5)/n, got.checksum(), want.checksum())
	}
	add("total", total)
	if b != nil {
		add("build", build)
	}
	add("pairs", pairs)

	other, ok := c.(pairsLoop)
	if !ok {
		return nil
	}
	c.Unmark()
	var values []float64
	found = 0
	for range rounds {
		values = append(values, measure.Time(func() { found += uint64(other.PairsValues()) }))
	}
	add("pairs_values", values)
	return nil
}

// walkImpl is not a broadphase. It has its own figure.
var walkImpl = measure.Impl{
	Name: "dependent walk",
	About: "no broadphase: a walk through n elements of 16 bytes, each of which holds the " +
		"position of the next. Look at it before comparing two machines.",
	Stale: "does not exist",
	Loops: "for i := range n, following the positions",
	Kit:   Kit{Walk: true},
}

// walkRounds is the number of rounds whose median counts.
const walkRounds = 9

func walkOnce(t *measure.Trial, steps [][2]uint64) error {
	if err := t.Pause(); err != nil {
		return err
	}
	sum := uint64(0)
	ns := measure.Batched(walkRounds, func() { sum += collections.Walk(steps) })
	want := walkRounds * collections.WantBasic(t.N).Fresh
	t.Add("walk", "ns", ns/float64(t.N), sum, want)
	return nil
}
