package main

import "time"

// The workloads of family lists ask the questions of F. Saukko's thesis on StableList (University
// of Turku, 2025): its sections 6.1 to 6.3, and of 6.4 what it left open. Sizes and repetitions are
// its own; the random numbers are those of basic, cross, ephemeral and cross-ephemeral.

var thesisBasic = &workload{
	name:  "thesis-basic",
	about: "insert, visit, find and remove every value once, as section 6.1 of the thesis has it",
	method: "Time of one loop over all n, divided by n. " +
		"insert makes an empty collection without room and inserts, within the timed part; " +
		"iterate adds up all values; random_get and random_remove go through the shuffled " +
		"handles. bytes_per_value is what the collection holds on the heap when all are in it, " +
		"without the list of handles, and taken once.",
	n: 10_000, quickN: 2_000, maxN: maxValues, nMeans: "values",
	elems: []int{8}, own: true,
	reps: 100, quickReps: 5, warm: true,
	budget: 6 * time.Second, implBudget: 2 * time.Second,
	key: []string{
		"insert", "iterate", "iterate_values", "random_get", "random_remove", "bytes_per_value",
	},
	runs:  hasValues,
	want:  func(j job) any { return wantBasic(j.n) },
	start: startThesisBasic,
	expect: func(_ job, want any, metric string) (uint64, bool) {
		switch metric {
		case "insert", "iterate", "random_get", "random_remove", "bytes_per_value":
			return want.(basicSums).fresh, true
		}
		return 0, false
	},
	// Source: F. Saukko, StableList, University of Turku 2025, section 6.1.
	drawn: workCharts{bands: true, figures: []publishedFigure{
		{"6.1", "insert", "insert", "a value",
			"Inserting all values into an empty list, one after the other."},
		{"6.2", "iterate", "iterate", "a value",
			"Visiting all values in the list's own order."},
		{"6.3", "random-get", "random_get", "a value",
			"Finding every value by its handle, in shuffled order."},
		{"6.4", "random-remove", "random_remove", "a value",
			"Removing every value by its handle, in shuffled order."},
	}},
}

// startThesisBasic draws as startBasic does.
func startThesisBasic(t *trial) func() error {
	r := &rng{seed ^ 1 ^ uint64(t.n)}
	held := false
	return func() error {
		if err := thesisBasicOnce(t, r); err != nil || held || !t.recorded() {
			return err
		}
		// Once is enough, and all the collecting in it would make what follows meet colder memory.
		held = true
		return thesisHeld(t)
	}
}

func thesisBasicOnce(t *trial, r *rng) error {
	n, want := t.n, t.want.(basicSums).fresh
	each := func(metric string, ns float64, got uint64) {
		t.add(metric, "ns", ns/float64(n), got, want)
	}
	v := kitOf(t.im).Values(t.elem)
	v.Keep(n)
	v.New(0)
	if err := t.pause(); err != nil {
		return err
	}
	ns := timed(func() {
		v.New(0)
		v.Insert(0, n)
	})
	each("insert", ns, v.Sum())
	ns, sum := timedSum(v.Sum)
	each("iterate", ns, sum)
	if l, ok := v.(valuesLoops); ok {
		ns, sum = timedSum(l.SumValues)
		each("iterate_values", ns, sum)
	}
	v.Shuffle(r)
	ns, sum = timedSum(v.Get)
	each("random_get", ns, sum)
	v.Plan(r)
	ns, sum = timedSum(v.Drain)
	each("random_remove", ns, sum)
	return nil
}

// thesisHeld adds what a collection holds. Of small ones it makes many, as newFree does.
func thesisHeld(t *trial) error {
	vs := make([]Values, max(1, 4096/t.n))
	for i := range vs {
		vs[i] = kitOf(t.im).Values(t.elem)
		vs[i].Keep(t.n)
		vs[i].New(0)
	}
	if err := t.pause(); err != nil {
		return err
	}
	base := heapBytes()
	for _, v := range vs {
		v.Insert(0, t.n)
	}
	bytes := heapBytes() - base
	sum := uint64(0)
	for _, v := range vs {
		sum += v.Sum()
	}
	of := uint64(len(vs))
	t.add("bytes_per_value", "bytes", bytes/float64(t.n)/float64(of), sum,
		of*t.want.(basicSums).fresh)
	return nil
}

var thesisCross = &workload{
	name:  "thesis-cross",
	about: "every value meets every other one, as section 6.2 of the thesis has it",
	method: "Time of one nested loop, divided by the n(n-1) ordered pairs. All do it in their " +
		"best way; cross has the other ways.",
	n: 1000, quickN: 300, maxN: 10_000, nMeans: "colliders",
	elems: []int{8}, own: true,
	reps: 100, quickReps: 3, warm: true,
	budget: 5 * time.Second, implBudget: time.Second,
	key:    []string{"ns_per_pair"},
	runs:   hasColliders,
	want:   func(j job) any { return wantCross(j.n) },
	start:  func(t *trial) func() error { return startCross(t, false) },
	expect: expectCross,
	// Source: as above, section 6.2.
	drawn: workCharts{bands: true, figures: []publishedFigure{
		{"6.5", "cross", "ns_per_pair", "a pair",
			"Cross-iteration: every value meets every other one, and both may change."},
	}},
}

const peakMethod = " peak is the largest, over steps 102-252, of a step's figure divided by the " +
	"mean of those of the two steps before it and the two behind it: who puts work off and does " +
	"it all in one step has a large one. " +
	"back is the first step from which any 50 steps in a row take at most 1.5 times the mean of " +
	"steps 60-99. A collection returns if the last 50 do; 255 means that it does not."

// thesisEphemeralKey is ephemeralKey with the peak, and the step of return.
var thesisEphemeralKey = []string{
	"pre_mean", "step_100", "worst_after", "post_mean", "total", "peak", "back",
}

var thesisEphemeral = &workload{
	name:   "thesis-ephemeral",
	about:  "255 steps, one particle each, a burst at step 100: section 6.3 of the thesis",
	method: "Time of each whole step: insert, visit, remove. " + stepMethod + peakMethod,
	n:      10_000, quickN: 10_000, maxN: 1_000_000, nMeans: "particles in the burst",
	beside: maxTTL,
	elems:  []int{4}, own: true,
	reps: 25, quickReps: 3, warm: true,
	budget: 6 * time.Second, implBudget: 2 * time.Second,
	key:    thesisEphemeralKey,
	runs:   hasParticles,
	want:   func(j job) any { return wantEphemeral(j.n) },
	start:  startEphemeral,
	expect: expectSteps,
	steps:  thesisSteps(),
}

var thesisCrossEphemeral = &workload{
	name:  "thesis-cross-ephemeral",
	about: "the same with colliders, which also all meet at each step",
	method: "It is what section 6.4 of the thesis leaves open. Time of each whole step: insert, " +
		"nested loop, visit, remove. " + stepMethod + peakMethod,
	n: 1000, quickN: 300, maxN: 5_000, nMeans: "colliders in the burst",
	beside: maxTTL,
	elems:  []int{8}, own: true,
	reps: 7, quickReps: 2,
	budget: 8 * time.Second, implBudget: 2 * time.Second,
	key:    thesisEphemeralKey,
	runs:   hasColliders,
	want:   func(j job) any { return wantCrossEphemeral(j.n) },
	start:  startCrossEphemeral,
	expect: expectSteps,
	steps:  returnSteps(),
}

// returnSteps is what the steps of ephemeral are, with who returns.
func returnSteps() *stepping {
	s := newStepping("")
	s.metrics = returnMetrics
	return s
}

// thesisSteps is returnSteps with the thesis' figures.
//
// Source: as above, section 6.3.
func thesisSteps() *stepping {
	s := returnSteps()
	s.back = "back"
	s.groups = []stepGroup{
		{"6.6", "unsafe", "Time of each step, of those without safe handles: a handle to what has " +
			"been removed may find something else.", false, false},
		{"6.7", "slow-after", "Time of each step, of those with safe handles that do not return: " +
			"the last 50 steps take more than 1.5 times what steps took before the burst.",
			true, false},
		{"6.8", "back", "Time of each step, of those with safe handles that return: the last 50 " +
			"steps take at most 1.5 times what steps took before the burst.", true, true},
	}
	return s
}
