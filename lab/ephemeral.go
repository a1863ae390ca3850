package main

import (
	"slices"
	"time"
)

// The shape of all ephemeral workloads: one value comes each step, and at one of them many.
const (
	steps     = 255
	burstStep = 100
	maxTTL    = 50
)

// stepMetrics lists the quiet time before the burst, the moments after it, and the time when all of
// the burst is gone and a collection should be as fast as it was.
var stepMetrics = []stepMetric{
	{"step_50", "ns", func(ns []float64) float64 { return ns[50] }},
	{"step_100", "ns", func(ns []float64) float64 { return ns[100] }},
	{"step_110", "ns", func(ns []float64) float64 { return ns[110] }},
	{"step_149", "ns", func(ns []float64) float64 { return ns[149] }},
	{"step_200", "ns", func(ns []float64) float64 { return ns[200] }},
	{"step_254", "ns", func(ns []float64) float64 { return ns[254] }},
	{"pre_mean", "ns", func(ns []float64) float64 { return mean(ns[60:100]) }},
	{"post_mean", "ns", func(ns []float64) float64 { return mean(ns[160:255]) }},
	{"worst_after", "ns", func(ns []float64) float64 { return slices.Max(ns[101:]) }},
	{"total", "ns", func(ns []float64) float64 { return mean(ns) * steps }},
}

// returnMetrics is stepMetrics with how far a step sticks out, and the step of return.
var returnMetrics = append(slices.Clone(stepMetrics),
	stepMetric{"peak", "ratio", peak}, stepMetric{"back", "step", back})

// newStepping is what all workloads have whose shape this is, and whose steps are timed.
func newStepping(file string) *stepping {
	return &stepping{
		count: steps, event: burstStep, eventName: "burst",
		title: "Time of each step", unit: "ns", metrics: stepMetrics, file: file,
	}
}

// expectSteps is the expect of all workloads that have nothing but steps.
func expectSteps(_ job, want any, metric string) (uint64, bool) {
	return want.(uint64), metric == stepsMetric
}

// A collection returns after the burst if its last backSteps steps take at most backTo times as
// long, in the mean, as the steps before the burst.
const (
	backTo    = 1.5
	backSteps = 50
)

// back returns the step at which a collection is back: the first one after the burst from which any
// backSteps steps in a row take at most backTo times the mean of steps 60-99. It returns steps if
// the last ones take more: then the collection does not return within the run.
func back(ns []float64) float64 {
	most := backTo * mean(ns[60:burstStep])
	first := steps
	for s := steps - backSteps; s > burstStep && mean(ns[s:s+backSteps]) <= most; s-- {
		first = s
	}
	return float64(first)
}

// peak returns how far a step behind the burst sticks out, at most: how many times it takes what
// the two before it and the two behind it take in the mean.
func peak(ns []float64) (most float64) {
	for s := burstStep + 2; s < steps-2; s++ {
		beside := (ns[s-2] + ns[s-1] + ns[s+1] + ns[s+2]) / 4
		most = max(most, ns[s]/max(beside, 1))
	}
	return most
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x
	}
	return m / float64(len(v))
}

var ephemeralKey = []string{"pre_mean", "step_100", "worst_after", "post_mean", "total"}

const stepMethod = "A step's figure is the median of the repetitions; the means, worst_after " +
	"(of steps 101-254) and total are taken over these medians. " +
	"pre_mean covers steps 60-99, post_mean steps 160-254."

var ephemeral = &workload{
	name:   "ephemeral",
	about:  "255 steps, one particle each, a burst at step 100; all age, and die in time",
	method: "Time of each whole step: insert, visit, remove. " + stepMethod,
	n:      10_000, quickN: 10_000, maxN: 1_000_000, nMeans: "particles in the burst",
	elems: []int{4}, own: true,
	reps: 25, quickReps: 3, warm: true,
	budget: 6 * time.Second, implBudget: 2 * time.Second,
	key:    ephemeralKey,
	runs:   hasParticles,
	want:   func(j job) any { return wantEphemeral(j.n) },
	start:  startEphemeral,
	expect: expectSteps,
	steps:  newStepping("ephemeral-steps"),
}

// drawLifetimes returns the lifetimes of all particles, in the order of their insertion.
func drawLifetimes(burst int) []uint32 {
	r := rng{seed ^ 3}
	ttls := make([]uint32, steps+burst)
	for i := range ttls {
		ttls[i] = uint32(1 + r.below(maxTTL))
	}
	return ttls
}

// arrivals returns how many values come at a step.
func arrivals(step, burst int) int {
	if step == burstStep {
		return 1 + burst
	}
	return 1
}

func startEphemeral(t *trial) func() error {
	ttls := drawLifetimes(t.n)
	ns := make([]float64, steps)
	return func() error {
		if err := t.pause(); err != nil {
			return err
		}
		var sum lifeSums
		c, rest := kitOf(t.im).Particles(), ttls
		for step := range steps {
			k := arrivals(step, t.n)
			start := time.Now()
			c.Insert(rest[:k])
			visits, deaths := c.Age()
			ns[step] = float64(time.Since(start).Nanoseconds())
			rest = rest[k:]
			sum.add(c.Len(), visits, deaths)
		}
		t.addSteps(ns, sum.checksum(), t.want.(uint64))
		return nil
	}
}

// lifeSums adds up what the steps of ephemeral did.
type lifeSums struct{ lens, visits, deaths uint64 }

func (s *lifeSums) add(length, visits, deaths int) {
	s.lens += uint64(length)
	s.visits += uint64(visits)
	s.deaths += uint64(deaths)
}

func (s *lifeSums) checksum() uint64 { return s.lens*1_000_000 + s.visits%1_000_000 + s.deaths }

var crossEphemeral = &workload{
	name:   "cross-ephemeral",
	about:  "the same with colliders, which also all meet at each step",
	method: "Time of each whole step: insert, nested loop, visit, remove. " + stepMethod,
	n:      1000, quickN: 300, maxN: 5_000, nMeans: "colliders in the burst",
	elems: []int{8}, own: true,
	reps: 7, quickReps: 2,
	budget: 7 * time.Second, implBudget: 2 * time.Second,
	key:    ephemeralKey,
	runs:   hasColliders,
	want:   func(j job) any { return wantCrossEphemeral(j.n) },
	start:  startCrossEphemeral,
	expect: expectSteps,
	steps:  newStepping(""),
}

// drawAgeing returns colliders with a lifetime, in the order of their insertion.
func drawAgeing(burst int) []collider {
	r := rng{seed ^ 4}
	cs := make([]collider, steps+burst)
	for i := range cs {
		cs[i].x = int16(r.below(1000))
		cs[i].y = int16(r.below(1000))
		cs[i].ttl = uint8(1 + r.below(maxTTL))
	}
	return cs
}

func startCrossEphemeral(t *trial) func() error {
	cs := drawAgeing(t.n)
	ns := make([]float64, steps)
	return func() error {
		if err := t.pause(); err != nil {
			return err
		}
		var pairs, both uint64
		c, rest := kitOf(t.im).Colliders(), cs
		for step := range steps {
			k := arrivals(step, t.n)
			start := time.Now()
			c.Insert(rest[:k])
			p := c.Cross()
			_, b := c.Age()
			ns[step] = float64(time.Since(start).Nanoseconds())
			rest = rest[k:]
			pairs += uint64(p)
			both += uint64(b)
			if t.ctx.Err() != nil {
				return errStopped
			}
		}
		t.addSteps(ns, pairs*100_000+both, t.want.(uint64))
		return nil
	}
}
