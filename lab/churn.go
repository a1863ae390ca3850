package main

import "time"

// churnBlock is how many pairs run between two looks at whether to stop.
const churnBlock = 500_000

var churn = &workload{
	name:  "churn",
	about: "remove a random value, insert another, over and over",
	method: "Time of all pairs of remove and insert, divided by their number: 100 pairs per " +
		"live value, at most 10 000 000. " +
		"Drawing the random number is part of it.",
	n: 100_000, quickN: 5_000, maxN: maxValues, nMeans: "live values",
	elems: []int{32}, fullElems: []int{8, 32, 128},
	reps: 3, quickReps: 2,
	budget: 8 * time.Second, implBudget: 3 * time.Second,
	key:   []string{"ns_per_pair"},
	runs:  hasValues,
	drawn: workCharts{ratios: true},
	want:  func(j job) any { return wantChurn(j.n) },
	start: func(t *trial) func() error { return func() error { return churnOnce(t) } },
	expect: func(_ job, want any, metric string) (uint64, bool) {
		return want.(uint64), metric == "ns_per_pair"
	},
}

// churnPairs returns the number of pairs for n live values.
func churnPairs(n int) int { return min(100*n, 10_000_000) }

func churnOnce(t *trial) error {
	v := kitOf(t.im).Values(t.elem)
	v.Keep(t.n)
	v.New(0)
	v.Insert(0, t.n)
	if err := t.pause(); err != nil {
		return err
	}
	r := &rng{seed ^ 6}
	pairs := churnPairs(t.n)
	ns, sum := 0.0, uint64(0)
	for done := 0; done < pairs; done += churnBlock {
		if t.ctx.Err() != nil {
			return errStopped
		}
		block, s := timedSum(func() uint64 {
			return v.Churn(r, uint64(t.n+done), min(churnBlock, pairs-done))
		})
		ns += block
		sum += s
	}
	t.add("ns_per_pair", "ns", ns/float64(pairs), sum, t.want.(uint64))
	return nil
}
