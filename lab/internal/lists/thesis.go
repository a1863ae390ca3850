package lists

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The workloads of family lists follow F. Saukko's thesis on StableList (University of Turku,
// 2025): its sections 6.1 to 6.3, and the open question of 6.4. Sizes and repetitions are those of
// the thesis; random numbers are those of basic, cross, ephemeral and cross-ephemeral.

var thesisBasic = &measure.Workload{
	Name:  "thesis-basic",
	About: "insert, visit, find and remove every value once, as in section 6.1 of the thesis",
	Method: "Time of a loop over all n values, divided by n. insert also times creating an empty " +
		"collection without room; iterate adds up all values; random_get and random_remove go " +
		"through the shuffled handles. bytes_per_value is the full collection's memory on the " +
		"heap, without the list of handles, measured once.",
	N: 10_000, QuickN: 2_000, MaxN: collections.MaxValues, NMeans: "values",
	Elems: []int{8}, Own: true,
	Reps: 100, QuickReps: 5, Warm: true,
	Budget: 6 * time.Second, ImplBudget: 2 * time.Second,
	Key: []string{
		"insert", "iterate", "iterate_values", "random_get", "random_remove", "bytes_per_value",
	},
	Metrics: measure.Everyone(
		"insert", "iterate", "random_get", "random_remove", "bytes_per_value",
	),
	Runs:  collections.HasValues,
	Want:  func(j measure.Job) any { return collections.WantBasic(j.N) },
	Start: startThesisBasic,
	Expect: func(_ measure.Job, want any, metric string) (uint64, bool) {
		switch metric {
		case "insert", "iterate", "random_get", "random_remove", "bytes_per_value":
			return want.(collections.BasicSums).Fresh, true
		}
		return 0, false
	},
	// Source: F. Saukko, StableList, University of Turku 2025, section 6.1.
	Drawn: measure.Charts{Bands: true, Figures: []measure.Published{
		{Number: "6.1", Name: "insert", Metric: "insert", Per: "a value",
			Text: "Inserting all values into an empty list, one after the other."},
		{Number: "6.2", Name: "iterate", Metric: "iterate", Per: "a value",
			Text: "Visiting all values in the list's own order."},
		{Number: "6.3", Name: "random-get", Metric: "random_get", Per: "a value",
			Text: "Finding every value by its handle, in shuffled order."},
		{Number: "6.4", Name: "random-remove", Metric: "random_remove", Per: "a value",
			Text: "Removing every value by its handle, in shuffled order."},
	}},
}

// startThesisBasic draws as startBasic does.
func startThesisBasic(t *measure.Trial) func() error {
	r := &measure.RNG{S: measure.Seed ^ 1 ^ uint64(t.N)}
	held := false
	return func() error {
		if err := thesisBasicOnce(t, r); err != nil || held || !t.Recorded() {
			return err
		}
		// Once is enough. Repeated garbage collections would cool the caches for the following
		// measurements.
		held = true
		return thesisHeld(t)
	}
}

func thesisBasicOnce(t *measure.Trial, r *measure.RNG) error {
	n, want := t.N, t.Want.(collections.BasicSums).Fresh
	each := func(metric string, ns float64, got uint64) {
		t.Add(metric, "ns", ns/float64(n), got, want)
	}
	v := collections.KitOf(t.Impl).Values(t.Elem)
	v.Keep(n)
	v.New(0)
	if err := t.Pause(); err != nil {
		return err
	}
	ns := measure.Time(func() {
		v.New(0)
		v.Insert(0, n)
	})
	each("insert", ns, v.Sum())
	ns, sum := measure.TimeSum(v.Sum)
	each("iterate", ns, sum)
	if l, ok := v.(collections.ValuesLoops); ok {
		ns, sum = measure.TimeSum(l.SumValues)
		each("iterate_values", ns, sum)
	}
	v.Shuffle(r)
	ns, sum = measure.TimeSum(v.Get)
	each("random_get", ns, sum)
	v.Plan(r)
	ns, sum = measure.TimeSum(func() uint64 { return v.Drain(0, n) })
	each("random_remove", ns, sum)
	return nil
}

// thesisHeld records the memory of a collection. It makes many small ones, as newFree does.
func thesisHeld(t *measure.Trial) error {
	vs := make([]collections.Values, max(1, 4096/t.N))
	for i := range vs {
		vs[i] = collections.KitOf(t.Impl).Values(t.Elem)
		vs[i].Keep(t.N)
		vs[i].New(0)
	}
	if err := t.Pause(); err != nil {
		return err
	}
	base := measure.HeapBytes()
	for _, v := range vs {
		v.Insert(0, t.N)
	}
	bytes := measure.HeapBytes() - base
	sum := uint64(0)
	for _, v := range vs {
		sum += v.Sum()
	}
	of := uint64(len(vs))
	t.Add("bytes_per_value", "bytes", bytes/float64(t.N)/float64(of), sum,
		of*t.Want.(collections.BasicSums).Fresh)
	return nil
}

var thesisCross = &measure.Workload{
	Name:  "thesis-cross",
	About: "every value meets every other one, as in section 6.2 of the thesis",
	Method: "Time of one nested loop, divided by the n(n-1) ordered pairs. All use their " +
		"best loop; cross has the others.",
	N: 1000, QuickN: 300, MaxN: 10_000, NMeans: "colliders",
	Elems: []int{8}, Own: true,
	Reps: 100, QuickReps: 3, Warm: true,
	Budget: 5 * time.Second, ImplBudget: time.Second,
	Key:    []string{"ns_per_pair"},
	Runs:   collections.HasColliders,
	Want:   func(j measure.Job) any { return collections.WantCross(j.N) },
	Start:  func(t *measure.Trial) func() error { return collections.StartCross(t, false) },
	Expect: collections.ExpectCross,
	// Source: as above, section 6.2.
	Drawn: measure.Charts{Bands: true, Figures: []measure.Published{
		{Number: "6.5", Name: "cross", Metric: "ns_per_pair", Per: "a pair",
			Text: "Cross-iteration: every value meets every other one, and both may change."},
	}},
}

const peakMethod = " peak is the largest, over steps 102-252, of a step's figure divided by the " +
	"mean of those of the two steps before it and the two after it: it is large if a collection " +
	"defers work and does it all in one step. " +
	"back is the first step from which any 50 steps in a row take at most 1.5 times the mean of " +
	"steps 60-99. A collection returns if the last 50 do; 255 means that it does not."

// thesisEphemeralKey is ephemeralKey with the peak and the step of return.
var thesisEphemeralKey = []string{
	"pre_mean", "step_100", "worst_after", "post_mean", "total", "peak", "back",
}

var thesisEphemeral = &measure.Workload{
	Name:  "thesis-ephemeral",
	About: "255 steps, one particle each, a burst at step 100: section 6.3 of the thesis",
	Method: "Time of each whole step: insert, visit, remove. " + collections.StepMethod +
		peakMethod,
	N: 10_000, QuickN: 10_000, MaxN: 1_000_000, NMeans: "particles in the burst",
	Beside: collections.MaxTTL,
	Elems:  []int{4}, Own: true,
	Reps: 25, QuickReps: 3, Warm: true,
	Budget: 6 * time.Second, ImplBudget: 2 * time.Second,
	Key:    thesisEphemeralKey,
	Runs:   collections.HasParticles,
	Want:   func(j measure.Job) any { return collections.WantEphemeral(j.N) },
	Start:  collections.StartEphemeral,
	Expect: collections.ExpectSteps,
	Steps:  thesisSteps(),
}

var thesisCrossEphemeral = &measure.Workload{
	Name:  "thesis-cross-ephemeral",
	About: "thesis-ephemeral with colliders, which also all meet at each step",
	Method: "The open question of section 6.4 of the thesis. Time of each whole step: insert, " +
		"nested loop, visit, remove. " + collections.StepMethod + peakMethod,
	N: 1000, QuickN: 300, MaxN: 5_000, NMeans: "colliders in the burst",
	Beside: collections.MaxTTL,
	Elems:  []int{8}, Own: true,
	Reps: 7, QuickReps: 2,
	Budget: 8 * time.Second, ImplBudget: 2 * time.Second,
	Key:    thesisEphemeralKey,
	Runs:   collections.HasColliders,
	Want:   func(j measure.Job) any { return collections.WantCrossEphemeral(j.N) },
	Start:  collections.StartCrossEphemeral,
	Expect: collections.ExpectSteps,
	Steps:  returnSteps(),
}

// returnSteps is the Steps of ephemeral with the step of return.
func returnSteps() *measure.Steps {
	s := collections.NewStepping("")
	s.Metrics = collections.ReturnMetrics
	return s
}

// thesisSteps is returnSteps with the thesis' figures.
//
// Source: as above, section 6.3.
func thesisSteps() *measure.Steps {
	s := returnSteps()
	s.Back = "back"
	s.Groups = []measure.StepGroup{
		{Number: "6.6", Name: "unsafe",
			Text: "Time of each step, of those without safe handles: a handle to a removed " +
				"value may find another one."},
		{Number: "6.7", Name: "slow-after", Safe: true,
			Text: "Time of each step, of those with safe handles that do not return: " +
				"the last 50 steps take more than 1.5 times what steps took before the burst."},
		{Number: "6.8", Name: "back", Safe: true, Back: true,
			Text: "Time of each step, of those with safe handles that return: the last 50 " +
				"steps take at most 1.5 times what steps took before the burst."},
	}
	return s
}
