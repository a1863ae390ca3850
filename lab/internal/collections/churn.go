package collections

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// churnBlock is the number of pairs between two checks for an interrupt.
const churnBlock = 500_000

var churn = &measure.Workload{
	Name:  "churn",
	About: "remove a random value and insert another, repeatedly",
	Method: "Time of all pairs of remove and insert, divided by their number: 100 pairs per live " +
		"value, at most 10 000 000. Drawing the random number is included.",
	N: 100_000, QuickN: 5_000, MaxN: MaxValues, NMeans: "live values",
	Elems: []int{32}, FullElems: []int{8, 32, 128},
	Reps: 3, QuickReps: 2,
	Budget: 8 * time.Second, ImplBudget: 3 * time.Second,
	Key:   []string{"ns_per_pair"},
	Runs:  HasValues,
	Want:  func(j measure.Job) any { return wantChurn(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return churnOnce(t) } },
	Expect: func(_ measure.Job, want any, metric string) (uint64, bool) {
		return want.(uint64), metric == "ns_per_pair"
	},
}

func churnPairs(n int) int { return min(100*n, 10_000_000) }

func churnOnce(t *measure.Trial) error {
	v := KitOf(t.Impl).Values(t.Elem)
	v.Keep(t.N)
	v.New(0)
	v.Insert(0, t.N)
	if err := t.Pause(); err != nil {
		return err
	}
	r := &measure.RNG{S: measure.Seed ^ 6}
	pairs := churnPairs(t.N)
	ns, sum := 0.0, uint64(0)
	for done := 0; done < pairs; done += churnBlock {
		if t.Ctx.Err() != nil {
			return measure.ErrStopped
		}
		block, s := measure.TimeSum(func() uint64 {
			return v.Churn(r, uint64(t.N+done), min(churnBlock, pairs-done))
		})
		ns += block
		sum += s
	}
	t.Add("ns_per_pair", "ns", ns/float64(pairs), sum, t.Want.(uint64))
	return nil
}

func wantChurn(n int) uint64 {
	r := measure.RNG{S: measure.Seed ^ 6}
	live := make([]uint64, n)
	for i := range live {
		live[i] = uint64(i)
	}
	sum := uint64(0)
	for k := range churnPairs(n) {
		i := r.Below(uint64(n))
		sum += live[i]
		live[i] = uint64(n + k)
	}
	return sum
}
