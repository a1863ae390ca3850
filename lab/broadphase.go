package main

import (
	"math"
	"time"
)

// Broadphase finds who is near whom: what broadphase asks for.
type Broadphase interface {
	// Fill inserts copies of cs, whose places are in [0, side) on both axes.
	Fill(cs []collider, side int)
	// Pairs applies the rule of cross to all and counts the near ordered pairs. Who finds two
	// colliders once marks both of them in both ways, and counts two.
	Pairs() (pairs int)
	// Marks counts the colliders that hit another, and those that have been hit. It is not timed.
	Marks() (hits, beens int)
	// Unmark takes all marks away. It is not timed.
	Unmark()
}

// broadKit is what finds who is near whom has, or the walk beside it.
type broadKit struct {
	New  func() Broadphase
	Walk bool
}

// broadKitOf returns the kit of an implementation.
func broadKitOf(im impl) broadKit {
	k, _ := im.kit.(broadKit)
	return k
}

// builder is a Broadphase with an index, which Pairs then uses.
type builder interface {
	// Build makes the index anew, of where all are now, in the memory of the one before.
	Build()
}

// pairsLoop is what a Broadphase offers beside its best loop: another way to the same marks.
type pairsLoop interface{ PairsValues() (pairs int) }

var broadphase = &workload{
	name:  "broadphase",
	about: "find who is near whom, and mark both",
	method: "Time divided by n. build makes the index anew from the collection, in the memory " +
		"that it had before; pairs finds every near pair by it and marks both; total is one " +
		"build and one pairs. The rule is that of cross: |dx| < 2 and |dy| < 2. One goes after " +
		"the other, 16 times, or 4 beyond 2000 colliders, or 3 beyond 10 000, and the median of " +
		"each counts. pairs_values is Traverse with a loop over the others, which finds each " +
		"pair twice. " +
		"walk is a step of a dependent walk: n elements of 16 bytes, each of which says where " +
		"the next one is, in random order; the median of 9 rounds. It tells how fast this " +
		"machine's memory is.",
	n: 1000, quickN: 300, maxN: 1_000_000, nMeans: "colliders",
	moreN: []int{10_000, 100_000}, moreQuickN: []int{2000},
	elems: []int{8}, own: true,
	reps: 40, quickReps: 2,
	budget: 900 * time.Millisecond, implBudget: 250 * time.Millisecond,
	key:   []string{"total", "build", "pairs", "pairs_values", "walk"},
	runs:  func(im impl) bool { return broadKitOf(im).New != nil || broadKitOf(im).Walk },
	want:  func(j job) any { return wantBroad(j.n) },
	start: startBroad,
	drawn: workCharts{growth: "total"},
}

var broadphases = &family{
	id:        "broadphases",
	workloads: []*workload{broadphase},
	title:     "What each broadphase is",
	stale:     "A value that is removed between build and pairs",
	impls: []impl{
		nearPoolImpl, nearDenseImpl, handGridImpl, cellMapImpl, rtreeImpl, bruteImpl, walkImpl,
	},
	baseline: "hand-written grid",
	subjects: []string{"near.Grid"},
}

// broadSide returns the side of the square in which n colliders are as dense as in cross.
func broadSide(n int) int { return int(math.Sqrt(1000 * float64(n))) }

// broadRounds is how often a repetition builds and finds: the first time the caches are cold, since
// the others and a collection of garbage came before.
func broadRounds(n int) int {
	switch {
	case n <= 2000:
		return 16
	case n <= 10_000:
		return 4
	}
	return 3
}

// broadSums is what the checksum of broadphase is made of.
type broadSums struct {
	pairs uint64 // ordered
	marks uint64 // as in cross: 100 000 for who hit another, and 1 for who has been hit
}

func (s broadSums) checksum() uint64 { return s.pairs*10_000_000_000 + s.marks }

func startBroad(t *trial) func() error {
	if broadKitOf(t.im).Walk {
		next := newWalk(t.n)
		return func() error { return walkOnce(t, next) }
	}
	c := broadKitOf(t.im).New()
	side := broadSide(t.n)
	c.Fill(drawColliders(t.n, side), side)
	return func() error { return broadOnce(t, c) }
}

// broadOnce builds and finds a few times. Marks do not change what is found.
func broadOnce(t *trial, c Broadphase) error {
	n, rounds, want := float64(t.n), broadRounds(t.n), t.want.(broadSums)
	want.pairs *= uint64(rounds)
	c.Unmark()
	if err := t.pause(); err != nil {
		return err
	}
	var build, pairs, total []float64
	found := uint64(0)
	b, _ := c.(builder)
	for range rounds {
		ns := 0.0
		if b != nil {
			ns = timed(b.Build)
			build = append(build, ns)
		}
		p := timed(func() { found += uint64(c.Pairs()) })
		pairs, total = append(pairs, p), append(total, ns+p)
	}
	add := func(metric string, times []float64) {
		hits, beens := c.Marks()
		got := broadSums{found, uint64(hits)*100_000 + uint64(beens)}
		t.add(metric, "ns", quantile(times, 0.5)/n, got.checksum(), want.checksum())
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
		values = append(values, timed(func() { found += uint64(other.PairsValues()) }))
	}
	add("pairs_values", values)
	return nil
}

// walkImpl finds nobody. It has a figure of its own.
var walkImpl = impl{
	name: "dependent walk",
	about: "no broadphase: what it takes to follow n elements of 16 bytes, each of which says " +
		"where the next one is. Who compares figures of two machines should know it.",
	stale: "cannot be had",
	loops: "for i := range n, and the place of the next",
	kit: broadKit{
		Walk: true,
	},
}

// walkStep is an element of the walk. It has as many bytes as an item of a grid.
type walkStep struct {
	next uint64
	_    uint64
}

// newWalk returns n elements that lead from one to the next in random order, and at last to the
// first.
//
// Source: S. Sattolo, "An algorithm to generate a random cyclic permutation", 1986.
func newWalk(n int) []walkStep {
	steps := make([]walkStep, n)
	for i := range steps {
		steps[i].next = uint64(i)
	}
	r := rng{seed ^ 11}
	for i := n - 1; i > 0; i-- {
		j := r.below(uint64(i))
		steps[i].next, steps[j].next = steps[j].next, steps[i].next
	}
	return steps
}

// walkRounds is how often the walk goes round, of which the median counts.
const walkRounds = 9

func walkOnce(t *trial, steps []walkStep) error {
	if err := t.pause(); err != nil {
		return err
	}
	sum := uint64(0)
	ns := batched(walkRounds, func() { sum += walk(steps) })
	want := walkRounds * wantBasic(t.n).fresh
	t.add("walk", "ns", ns/float64(t.n), sum, want)
	return nil
}

// walk goes round once and adds up where it has been.
//
//go:noinline
func walk(steps []walkStep) (sum uint64) {
	i := uint64(0)
	for range steps {
		i = steps[i].next
		sum += i
	}
	return sum
}
