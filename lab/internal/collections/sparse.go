package collections

import (
	"strings"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// FewLeft is the number of values left when nearly all are removed.
const FewLeft = 25

// removal is one way to thin out n values, by handles after a shuffle or in insertion order.
type removal struct {
	name     string
	shuffled bool
	few      bool // leaves FewLeft: figures are per pass, not per live value
	span     func(n int) (lo, hi int)
}

var removals = []removal{
	{"remove50", true, false, func(n int) (int, int) { return 0, n / 2 }},
	{"remove90", true, false, func(n int) (int, int) { return 0, n / 10 * 9 }},
	{"keep25_random", true, true, func(n int) (int, int) { return 0, max(0, n-FewLeft) }},
	{"keep25_first", false, true, func(n int) (int, int) { return min(n, FewLeft), n }},
	{"keep25_last", false, true, func(n int) (int, int) { return 0, max(0, n-FewLeft) }},
}

var sparse = &measure.Workload{
	Name:  "sparse",
	About: "loop over the rest after most values have been removed",
	Method: "remove50 and remove90 remove that share at random: time of a loop over the live " +
		"values, divided by their number. keep25 leaves 25, random ones or the first or last " +
		"inserted: time of one whole loop. Short loops are repeated until they fill a " +
		"millisecond, five times. Inserting and removing are not timed here.",
	N: 1_000_000, QuickN: 50_000, MaxN: MaxValues, NMeans: "values",
	Elems: []int{8}, FullElems: []int{8, 32},
	Reps: 3, QuickReps: 2,
	Budget: 8 * time.Second, ImplBudget: 4 * time.Second,
	Key: []string{
		"remove50_sum", "remove90_sum", "keep25_random_pass",
		"keep25_first_pass", "keep25_last_pass",
	},
	Metrics: measure.Everyone(
		"remove50_sum", "remove90_sum", "keep25_random_pass", "keep25_first_pass",
		"keep25_last_pass", "remove50_mut", "remove90_mut", "keep25_random_mut",
		"keep25_first_mut", "keep25_last_mut",
	),
	Runs: HasValues,
	Drawn: measure.Charts{
		TableOnly: func(metric string) bool { return strings.HasSuffix(metric, "_mut") },
	},
	Want:  func(j measure.Job) any { return wantSparse(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return sparseOnce(t) } },
	Expect: func(_ measure.Job, want any, metric string) (uint64, bool) {
		for _, d := range removals {
			tail, ok := strings.CutPrefix(metric, d.name)
			if ok && (tail == "_mut" || tail == "_pass" && d.few || tail == "_sum" && !d.few) {
				return want.(map[string]uint64)[d.name], true
			}
		}
		return 0, false
	},
}

// thin fills v with n values and removes some of them.
func thin(t *measure.Trial, v Values, d removal) error {
	v.New(0)
	if err := t.Pause(); err != nil {
		return err
	}
	v.Insert(0, t.N)
	if d.shuffled {
		v.Shuffle(&measure.RNG{S: measure.Seed ^ 5})
	}
	v.Drain(d.span(t.N))
	return t.Pause()
}

func sparseOnce(t *measure.Trial) error {
	for _, d := range removals {
		v := KitOf(t.Impl).Values(t.Elem)
		v.Keep(t.N)
		if err := thin(t, v, d); err != nil {
			return err
		}
		lo, hi := d.span(t.N)
		left := t.N - (hi - lo)
		per, pass := float64(max(1, left)), "_sum"
		if d.few {
			per, pass = 1, "_pass"
		}
		want := t.Want.(map[string]uint64)[d.name]
		sumLoop := func(metric string, f func() uint64) {
			got := want
			ns, _ := t.PerCall(func() {
				if s := f(); s != want {
					got = s
				}
			})
			t.Add(metric, "ns", ns/per, got, want)
		}
		// Subtract the changes of the passes, so that the checksum is that of the survivors.
		added := uint64(0)
		mutLoop := func(metric string, f func()) {
			ns, calls := t.PerCall(f)
			added += uint64(calls) * uint64(left)
			t.Add(metric, "ns", ns/per, v.Sum()-added, want)
		}
		l, two := v.(ValuesLoops)
		if two && l.ShortRuns() {
			sumLoop(d.name+pass, l.SumValues)
			sumLoop(d.name+pass+"_spans", v.Sum)
			mutLoop(d.name+"_mut", l.MutValues)
			mutLoop(d.name+"_mut_spans", v.Mut)
			continue
		}
		sumLoop(d.name+pass, v.Sum)
		if two {
			sumLoop(d.name+pass+"_values", l.SumValues)
			mutLoop(d.name+"_mut_values", l.MutValues)
		}
		mutLoop(d.name+"_mut", v.Mut)
	}
	return nil
}

// wantSparse returns the sum of the values that each removal leaves, by the removal's name.
func wantSparse(n int) map[string]uint64 {
	want := map[string]uint64{}
	for _, d := range removals {
		order := make([]uint64, n)
		for i := range order {
			order[i] = uint64(i)
		}
		if d.shuffled {
			measure.Shuffle(&measure.RNG{S: measure.Seed ^ 5}, order)
		}
		lo, hi := d.span(n)
		sum := uint64(0)
		for i, v := range order {
			if i < lo || i >= hi {
				sum += v
			}
		}
		want[d.name] = sum
	}
	return want
}
