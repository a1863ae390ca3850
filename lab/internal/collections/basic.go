package collections

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

var basic = &measure.Workload{
	Name:  "basic",
	About: "insert, visit, find and remove every value once",
	Method: "Time of a loop over all n values, divided by n. insert_reserved inserts into a " +
		"collection with room for n; insert_new also times creating an empty one; the memory for " +
		"both has been used before; insert_refill inserts again after remove_random has emptied " +
		"it. get_random and remove_random go through the shuffled handles. An element is a " +
		"struct of 1, 4 or 16 words. Making it counts as part of the insert.",
	N: 10_000, QuickN: 2_000, MaxN: MaxValues, NMeans: "values",
	Elems: []int{32}, FullElems: []int{8, 32, 128}, FullN: []int{1_000_000},
	Reps: 100, QuickReps: 5, Warm: true,
	Budget: 7 * time.Second, ImplBudget: 2 * time.Second,
	Key: []string{
		"insert_reserved", "insert_new", "insert_refill", "remove_random",
		"iter_sum", "iter_mut", "get_seq", "get_random",
	},
	Runs:  HasValues,
	Want:  func(j measure.Job) any { return WantBasic(j.N) },
	Start: startBasic,
	Expect: func(_ measure.Job, want any, metric string) (uint64, bool) {
		switch metric {
		case "insert_reserved", "insert_new", "insert_refill", "iter_sum":
			return want.(BasicSums).Fresh, true
		case "iter_mut", "get_seq", "get_random", "remove_random":
			return want.(BasicSums).mutated, true
		}
		return 0, false
	},
}

// startBasic uses one generator for all repetitions, so that each has another order.
func startBasic(t *measure.Trial) func() error {
	r := &measure.RNG{S: measure.Seed ^ 1 ^ uint64(t.N)}
	return func() error { return basicOnce(t, r) }
}

func basicOnce(t *measure.Trial, r *measure.RNG) error {
	n, want := t.N, t.Want.(BasicSums)
	each := func(metric string, ns float64, got, want uint64) {
		t.Add(metric, "ns", ns/float64(n), got, want)
	}
	v := KitOf(t.Impl).Values(t.Elem)
	v.Keep(n)

	measure.Tread(4 * n * t.Elem)
	v.New(n)
	if err := t.Pause(); err != nil {
		return err
	}
	ns := measure.Time(func() { v.Insert(0, n) })
	each("insert_reserved", ns, v.Sum(), want.Fresh)
	if l, ok := v.(ValuesLoops); ok {
		ns, sum := measure.TimeSum(l.SumValues)
		each("iter_sum_values", ns, sum, want.Fresh)
		ns = measure.Time(l.MutValues)
		each("iter_mut_values", ns, v.Sum(), want.mutated)
	}

	v.New(0)
	measure.Tread(4 * n * t.Elem)
	if err := t.Pause(); err != nil {
		return err
	}
	ns = measure.Time(func() {
		v.New(0)
		v.Insert(0, n)
	})
	each("insert_new", ns, v.Sum(), want.Fresh)

	ns, sum := measure.TimeSum(v.Sum)
	each("iter_sum", ns, sum, want.Fresh)
	ns = measure.Time(v.Mut)
	each("iter_mut", ns, v.Sum(), want.mutated)

	ns, sum = measure.TimeSum(v.Get)
	each("get_seq", ns, sum, want.mutated)
	v.Shuffle(r)
	ns, sum = measure.TimeSum(v.Get)
	each("get_random", ns, sum, want.mutated)

	v.Plan(r)
	ns, sum = measure.TimeSum(func() uint64 { return v.Drain(0, n) })
	each("remove_random", ns, sum, want.mutated)

	if err := t.Pause(); err != nil {
		return err
	}
	ns = measure.Time(func() { v.Insert(0, n) })
	each("insert_refill", ns, v.Sum(), want.Fresh)
	return nil
}
