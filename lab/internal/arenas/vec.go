package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var arenaVec = &measure.Workload{
	Name:  "arena-vec",
	About: "push values at the end, one by one",
	Method: "Time of pushing n values, divided by n, the median of 16. push_reserved pushes into " +
		"one with room for n; push_new also times creating an empty one. " +
		"Reserved memory is reused, in an arena and in a slice.",
	N: 10_000, QuickN: 2_000, MaxN: collections.MaxValues, NMeans: "values",
	Elems: []int{8}, Own: true,
	Reps: 60, QuickReps: 2, Warm: true,
	Budget: time.Second, ImplBudget: 400 * time.Millisecond,
	Key:   []string{"push_reserved", "push_new"},
	Runs:  func(im measure.Impl) bool { return measure.KitOf[Kit](im).Array != nil },
	Want:  func(j measure.Job) any { return uint64(batches(j)) * weightedSum(0, j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return arrayOnce(t) } },
}

var Vecs = &measure.Family{
	ID:        "arrays",
	Workloads: []*measure.Workload{arenaVec},
	Title:     "The arrays",
	Stale:     "A pointer to a value, kept while the array grows",
	Impls: []measure.Impl{
		arrayVirtualImpl, arrayChunkedImpl, arrayAppendImpl, arraySliceImpl, arrayFieldImpl,
	},
	Baseline: "append",
	Subjects: []string{"arena.Vec", "arena.Append"},
}

func arrayOnce(t *measure.Trial) error {
	c := measure.KitOf[Kit](t.Impl).Array()
	defer closing(c)
	for _, m := range []struct {
		name string
		room int
	}{{"push_reserved", t.N}, {"push_new", 0}} {
		c.New(t.N)
		if err := t.Pause(); err != nil {
			return err
		}
		var times []float64
		sum := uint64(0)
		for range batches(t.Job) {
			if m.room > 0 {
				c.New(m.room)
			}
			times = append(times, measure.Time(func() {
				if m.room == 0 {
					c.New(0)
				}
				c.Push(t.N)
			}))
			sum += c.Sum()
		}
		t.Add(m.name, "ns", measure.Quantile(times, 0.5)/float64(t.N), sum, t.Want.(uint64))
	}
	return nil
}
