package measure

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

// record adds a figure of each round to a recorder.
func record(rec *Recorder, impl string, j Job, metric string, values ...float64) {
	for round, v := range values {
		rec.round = round
		rec.Add(impl, j, metric, "ns", v, 1, 1)
	}
}

func TestRatio(t *testing.T) {
	var base, other []float64
	for round := range 20 {
		disturbed := 1 + float64((round*7)%20)/4 // up to 5.75 times as slow
		base, other = append(base, 10*disturbed), append(other, 30*disturbed)
	}
	for _, tc := range []struct {
		what             string
		base, x          []float64
		value, low, high float64
	}{
		{"a disturbance of a round affects both alike", base, other, 3, 3, 3},
		{"three rounds have no confidence", base, []float64{20, 21, 22}, 21 / 33.75, 0, 0},
		{"the rounds that both have", []float64{1, 2, 3, 4, 5, 6, 700, 800, 900}, []float64{5, 10, 15, 20, 25, 30}, 5, 5, 5},
		// The second and the ninth of ten enclose the median with 97.9 %; the third and the eighth
		// would with 89.1 %.
		{"doubt", slices.Repeat([]float64{1}, 10), []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5.5, 2, 9},
		{"twice as much in all rounds but one, unlike the quotient of the medians",
			[]float64{1, 2, 3, 4, 5, 6, 7}, []float64{2, 4, 6, 1, 10, 12, 14}, 2, 0.25, 2},
	} {
		rec := NewRecorder()
		j := toyJob()
		record(rec, j.Family.Baseline, j, "m", tc.base...)
		record(rec, "x", j, "m", tc.x...)
		r := Index(rec)[j.At("x", "m")].Ratio
		if r == nil || r.To != "[]T" || math.Abs(r.Value-tc.value) > 1e-9 || math.Abs(r.Low-tc.low) > 1e-9 || math.Abs(r.High-tc.high) > 1e-9 {
			t.Errorf("%s: ratio %+v, want %v between %v and %v", tc.what, r, tc.value, tc.low, tc.high)
		}
	}
}

// A wrong checksum stays wrong, though later repetitions are right.
func TestWrongChecksumStays(t *testing.T) {
	rec := NewRecorder()
	j := toyJob()
	for _, got := range []uint64{5, 6, 5} {
		rec.Add("x", j, "m", "ns", 1, got, 5)
	}
	if f := rec.All()[0]; f.ChecksumOK || f.Checksum != 6 {
		t.Errorf("checksum %d, ok %t; want 6, false", f.Checksum, f.ChecksumOK)
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{5, 1, 3, 2, 4}
	for _, tc := range []struct{ q, want float64 }{{0, 1}, {0.5, 3}, {0.125, 1.5}, {1, 5}} {
		if got := Quantile(v, tc.q); got != tc.want {
			t.Errorf("quantile(%v, %g) = %g, want %g", v, tc.q, got, tc.want)
		}
	}
	if got := Quantile([]float64{7}, 0.875); got != 7 {
		t.Errorf("quantile of one sample = %g, want it", got)
	}
}

func TestBands(t *testing.T) {
	var samples []float64
	for i := range 101 {
		samples = append(samples, float64((i*37)%101))
	}
	want := Bands{0, 100, [2]float64{2.5, 97.5}, [2]float64{12.5, 87.5}, [2]float64{25, 75}}
	slices.Sort(samples)
	got := bandsOf(samples)
	for i, pair := range [][2]float64{{got.Min, want.Min}, {got.Max, want.Max}, {got.B95[0], want.B95[0]}, {got.B95[1], want.B95[1]},
		{got.B75[0], want.B75[0]}, {got.B75[1], want.B75[1]}, {got.B50[0], want.B50[0]}, {got.B50[1], want.B50[1]}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("bandsOf, number %d: got %g, want %g", i, pair[0], pair[1])
		}
	}
	if got := bandsOf([]float64{7}); *got != (Bands{7, 7, [2]float64{7, 7}, [2]float64{7, 7}, [2]float64{7, 7}}) {
		t.Errorf("bands of one sample: %+v", *got)
	}
}

// A figure of the steps is computed from their medians. It is not the median of one value per
// repetition.
func TestStepMetricsFromMedians(t *testing.T) {
	rec := NewRecorder()
	j := toyJob()
	j.Workload.Steps = &Steps{Count: 4, Unit: "ns", Metrics: []StepMetric{
		{"first", "ns", func(ns []float64) float64 { return ns[0] }},
		{"sum", "bytes", func(ns []float64) float64 { return ns[0] + ns[1] + ns[2] + ns[3] }},
	}}
	for _, late := range []float64{30, 10, 20} {
		rec.AddSteps("x", j, []float64{1, 1, late, late}, 1, 1)
	}
	at := Index(rec)
	for m, want := range map[string]float64{"first": 1, "sum": 42} {
		if got := at[j.At("x", m)].Value; got != want {
			t.Errorf("%s = %g, want %g", m, got, want)
		}
	}
	if unit := at[j.At("x", "sum")].Unit; unit != "bytes" {
		t.Errorf("the unit is %s, want that of the metric", unit)
	}
}

// Each figure records the rounds of its samples, and each round begins with a measurement of the
// noise.
func TestRoundsAreRecorded(t *testing.T) {
	f := toyFamily()
	for _, w := range f.Workloads {
		w.Want = func(Job) any { return nil }
		w.Start = func(tr *Trial) func() error {
			return func() error {
				tr.Add("m", "ns", 1, 1, 1)
				return nil
			}
		}
	}
	jobs, err := Plan(Catalogue{f}.Works()[:2], Sizing{N: 10, Reps: 3})
	testkit.Must(t, err)
	rec := NewRecorder()
	testkit.Must(t, Run(t.Context(), jobs, f.Impls, rec, Silent{}))
	if len(rec.noise) != 3*len(jobs) || slices.Min(rec.noise) <= 0 {
		t.Errorf("noise %v, want that of 3 rounds of %d workloads", rec.noise, len(jobs))
	}
	if len(rec.All()) != 2*len(jobs) {
		t.Errorf("%d figures of 2 implementations and %d jobs", len(rec.All()), len(jobs))
	}
	for _, f := range rec.All() {
		if !slices.Equal(f.rounds, []int{0, 1, 2}) || len(f.Samples) != 3 {
			t.Errorf("%s, %s, %s: %d samples of rounds %v, want one of each of three", f.Impl, f.Workload, f.Metric, len(f.Samples), f.rounds)
		}
	}
}

// A figure is wide if its middle three quarters are wider than half of its value, not of its
// highest.
func TestWide(t *testing.T) {
	f := Figure{Result: Result{Value: 10, Reps: 3}, Low: 10, High: 15}
	if f.Wide() {
		t.Error("half of the value is wide")
	}
	if f.High = 15.5; !f.Wide() {
		t.Error("more than half of the value is not wide")
	}
	if f.Reps = 2; f.Wide() {
		t.Error("two repetitions are wide")
	}
}

// A wrong checksum on either side leaves no ratio.
func TestRatioOfWrongChecksum(t *testing.T) {
	rec := NewRecorder()
	j := toyJob()
	for _, impl := range []string{j.Family.Baseline, "x"} {
		for _, m := range []string{"right", "base", "own"} {
			got := uint64(1)
			if m == "base" && impl != "x" || m == "own" && impl == "x" {
				got = 2
			}
			rec.Add(impl, j, m, "ns", 1, got, 1)
		}
	}
	for m, want := range map[string]bool{"right": true, "base": false, "own": false} {
		if r := Index(rec)[j.At("x", m)].Ratio; (r != nil) != want {
			t.Errorf("%s: ratio %+v", m, r)
		}
	}
}

// A sample and steps that are recorded after All count in the next All.
func TestRecordAfterAll(t *testing.T) {
	steps := toyJob()
	steps.Workload.Steps = &Steps{Count: 1, Unit: "ns", Metrics: []StepMetric{
		{"first", "ns", func(ns []float64) float64 { return ns[0] }},
	}}
	for what, add := range map[string]func(rec *Recorder, v float64){
		"samples": func(rec *Recorder, v float64) { rec.Add("x", toyJob(), "m", "ns", v, 1, 1) },
		"steps":   func(rec *Recorder, v float64) { rec.AddSteps("x", steps, []float64{v}, 1, 1) },
	} {
		rec := NewRecorder()
		for i, want := range []float64{10, 20} {
			add(rec, 10+float64(i)*20)
			if all := rec.All(); len(all) != 1 || all[0].Value != want || all[0].Reps != i+1 {
				t.Errorf("after %d %s: %+v", i+1, what, all[0].Result)
			}
		}
	}
}

// PerCall returns the time of one call, not of a batch. Three of its five batches took as long as
// their median or longer, and it makes less than six times as many calls as a batch has. So all
// calls take at most twice the time that has passed.
func TestPerCall(t *testing.T) {
	n := 0
	tr, began := &Trial{Job: Job{Quick: true}}, time.Now()
	ns, calls := tr.PerCall(func() { n++ })
	if passed := float64(time.Since(began)); calls != n || ns <= 0 || ns*float64(calls) > 2*passed {
		t.Errorf("%v ns a call, %d calls of %d, in %v ns", ns, calls, n, passed)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 9999: "9999", 10_000: "10 000", 999_999: "999 999", 1_000_000: "1 000 000",
	} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
}

// each is a Progress that records the order of the implementations.
type each struct {
	Silent
	at []string
}

func (e *each) At(_, _ int, impl string) { e.at = append(e.at, impl) }

// Each round begins with another implementation.
func TestRoundsRotate(t *testing.T) {
	f := toyFamily()
	w := f.Workloads[0]
	w.Want = func(Job) any { return nil }
	w.Start = func(*Trial) func() error { return func() error { return nil } }
	jobs, err := Plan([]Work{{w, f}}, Sizing{N: 10, Elem: 8, Reps: 3})
	testkit.Must(t, err)
	var order each
	testkit.Must(t, Run(t.Context(), jobs, f.Impls, NewRecorder(), &order))
	if want := []string{"[]T", "x", "x", "[]T", "[]T", "x"}; !slices.Equal(order.at, want) {
		t.Errorf("the implementations ran in the order %v, want %v", order.at, want)
	}
}
