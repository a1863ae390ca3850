package main

import "time"

var basic = &workload{
	name:  "basic",
	about: "insert, visit, find and remove every value once",
	method: "Time of one loop over all n, divided by n. insert_reserved inserts into a " +
		"collection that was made with room for n; " +
		"insert_new makes an empty one and inserts, within the timed part; insert_refill " +
		"inserts again after remove_random has emptied it. " +
		"get_random and remove_random go through the shuffled handles. " +
		"Making the element is part of inserting it.",
	n: 10_000, quickN: 2_000, maxN: maxValues, nMeans: "values",
	elems: []int{32}, fullElems: []int{8, 32, 128}, fullN: []int{1_000_000},
	reps: 100, quickReps: 5, warm: true,
	budget: 7 * time.Second, implBudget: 2 * time.Second,
	key: []string{
		"insert_reserved", "insert_new", "insert_refill", "remove_random",
		"iter_sum", "iter_mut", "get_seq", "get_random",
	},
	runs:  hasValues,
	drawn: workCharts{ratios: true},
	want:  func(j job) any { return wantBasic(j.n) },
	start: startBasic,
	expect: func(_ job, want any, metric string) (uint64, bool) {
		switch metric {
		case "insert_reserved", "insert_new", "insert_refill", "iter_sum":
			return want.(basicSums).fresh, true
		case "iter_mut", "get_seq", "get_random", "remove_random":
			return want.(basicSums).mutated, true
		}
		return 0, false
	},
}

// startBasic uses one generator for all repetitions, so that no two of them see the same order.
func startBasic(t *trial) func() error {
	r := &rng{seed ^ 1 ^ uint64(t.n)}
	return func() error { return basicOnce(t, r) }
}

func basicOnce(t *trial, r *rng) error {
	n, want := t.n, t.want.(basicSums)
	each := func(metric string, ns float64, got, want uint64) {
		t.add(metric, "ns", ns/float64(n), got, want)
	}
	v := kitOf(t.im).Values(t.elem)
	v.Keep(n)

	v.New(n)
	if err := t.pause(); err != nil {
		return err
	}
	ns := timed(func() { v.Insert(0, n) })
	each("insert_reserved", ns, v.Sum(), want.fresh)
	if l, ok := v.(valuesLoops); ok {
		ns, sum := timedSum(l.SumValues)
		each("iter_sum_values", ns, sum, want.fresh)
		ns = timed(l.MutValues)
		each("iter_mut_values", ns, v.Sum(), want.mutated)
	}

	v.New(0)
	if err := t.pause(); err != nil {
		return err
	}
	ns = timed(func() {
		v.New(0)
		v.Insert(0, n)
	})
	each("insert_new", ns, v.Sum(), want.fresh)

	ns, sum := timedSum(v.Sum)
	each("iter_sum", ns, sum, want.fresh)
	ns = timed(v.Mut)
	each("iter_mut", ns, v.Sum(), want.mutated)

	ns, sum = timedSum(v.Get)
	each("get_seq", ns, sum, want.mutated)
	v.Shuffle(r)
	ns, sum = timedSum(v.Get)
	each("get_random", ns, sum, want.mutated)

	v.Plan(r)
	ns, sum = timedSum(v.Drain)
	each("remove_random", ns, sum, want.mutated)

	if err := t.pause(); err != nil {
		return err
	}
	ns = timed(func() { v.Insert(0, n) })
	each("insert_refill", ns, v.Sum(), want.fresh)
	return nil
}
