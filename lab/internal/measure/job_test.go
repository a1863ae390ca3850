package measure

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

// toy is a workload without measurements, with several sizes and elements.
func toy(name string, own bool) *Workload {
	return &Workload{
		Name: name, N: 10_000, QuickN: 100, MaxN: 1_000_000, NMeans: "values",
		Elems: []int{8, 32}, Own: own, Reps: 5, QuickReps: 2,
		Runs: func(Impl) bool { return true },
	}
}

// toyFamily has a workload of each kind.
func toyFamily() *Family {
	several := toy("several", true)
	several.Elems, several.MoreN, several.MoreQuickN = []int{4}, []int{65_536, 1_000_000}, []int{4096}
	return &Family{
		ID: "toys", Baseline: "[]T", Subjects: []string{"x"},
		Impls:     []Impl{{Name: "[]T"}, {Name: "x"}},
		Workloads: []*Workload{toy("free", false), toy("own", true), several},
	}
}

// toyJob is a job of a family whose baseline is []T.
func toyJob() Job {
	f := toyFamily()
	return Job{Family: f, Workload: f.Workloads[0], N: 1, Elem: 8}
}

func TestPlan(t *testing.T) {
	f := toyFamily()
	free, own := f.Workloads[0], f.Workloads[1]
	works := Catalogue{f}.Works()[:2]
	jobs, err := Plan(works, Sizing{Elem: 128})
	testkit.Must(t, err)
	want := []Job{
		{Family: f, Workload: free, N: 10_000, Elem: 128, Reps: 5},
		{Family: f, Workload: own, N: 10_000, Elem: 8, Reps: 5},
		{Family: f, Workload: own, N: 10_000, Elem: 32, Reps: 5, more: true},
	}
	if !slices.Equal(jobs, want) {
		t.Errorf("plan with -elem 128: got %v, want %v", jobs, want)
	}
	jobs, err = Plan(works[:1], Sizing{N: 9, Reps: 2, Quick: true})
	if want := []Job{{Family: f, Workload: free, N: 9, Elem: 8, Reps: 2, exact: true, Quick: true}}; err != nil || !slices.Equal(jobs, want) {
		t.Errorf("plan with -quick -n 9 -reps 2: got %v (%v), want %v", jobs, err, want)
	}
	if _, err := Plan(works[:1], Sizing{N: 1_000_001}); err == nil || !strings.Contains(err.Error(), "free takes at most 1000000 values") {
		t.Errorf("too many: %v", err)
	}
}

func TestPlanOfSizes(t *testing.T) {
	f := toyFamily()
	w := f.Workloads[2]
	at := func(n, reps int, more, exact, quick bool) Job {
		return Job{Family: f, Workload: w, N: n, Elem: 4, Reps: reps, more: more, exact: exact, Quick: quick, many: n != 1000}
	}
	for _, tc := range []struct {
		asked Sizing
		want  []Job
	}{
		{Sizing{Elem: 128}, []Job{at(10_000, 5, false, false, false), at(65_536, 5, true, false, false), at(1_000_000, 5, true, false, false)}},
		{Sizing{Reps: 1}, []Job{at(10_000, 1, false, true, false), at(65_536, 1, false, true, false), at(1_000_000, 1, false, true, false)}},
		{Sizing{Quick: true}, []Job{at(100, 2, false, false, true), at(4096, 2, true, false, true)}},
		{Sizing{N: 1000, Quick: true}, []Job{at(1000, 2, false, false, true)}},
	} {
		jobs, err := Plan([]Work{{w, f}}, tc.asked)
		if err != nil || !slices.Equal(jobs, tc.want) {
			t.Errorf("plan(%+v) = %v (%v), want %v", tc.asked, jobs, err, tc.want)
		}
	}
}

// A workload marked Last runs after those of all families.
func TestWorksInOrder(t *testing.T) {
	first, second := toyFamily(), toyFamily()
	first.Workloads[0].Last = true
	var got []string
	for _, w := range (Catalogue{first, second}).Works() {
		got = append(got, w.Name)
	}
	if want := []string{"own", "several", "free", "own", "several", "free"}; !slices.Equal(got, want) {
		t.Errorf("works in the order %v, want %v", got, want)
	}
}

// An implementation takes at most its Most of the n and the values besides them.
func TestRunnersTake(t *testing.T) {
	for _, tc := range []struct {
		im   Impl
		n    int
		want int
	}{{Impl{}, 1000, 1}, {Impl{Most: 10}, 7, 1}, {Impl{Most: 10}, 8, 0}} {
		w := toy("beside", false)
		w.Beside = 3
		f := &Family{Workloads: []*Workload{w}, Impls: []Impl{tc.im}}
		j := Job{Family: f, Workload: w, N: tc.n}
		if got := len(j.Runners(f.Impls)); got != tc.want {
			t.Errorf("%+v with n = %d: %d runners, want %d", tc.im, tc.n, got, tc.want)
		}
	}
}

// A brief run takes the first element size, no slow sizes and half of the time budgets, and stops
// repeating earlier. A full run does not stop.
func TestBrief(t *testing.T) {
	f := toyFamily()
	w := f.Workloads[2]
	w.SlowN, w.Elems, w.Budget = []int{10_000, 1_000_000}, []int{4, 8}, 8*time.Second
	sizes := func(z Sizing) (out []int) {
		jobs, err := Plan([]Work{{w, f}}, z)
		testkit.Must(t, err)
		for _, j := range jobs {
			out = append(out, j.N*100+j.Elem)
		}
		return out
	}
	if got, want := sizes(Sizing{Brief: true}), []int{6_553_604}; !slices.Equal(got, want) {
		t.Errorf("a brief run has %v, want %v", got, want)
	}
	if got, want := sizes(Sizing{}), []int{1_000_004, 6_553_604, 100_000_004, 1_000_008, 6_553_608, 100_000_008}; !slices.Equal(got, want) {
		t.Errorf("another run has %v, want %v", got, want)
	}
	if got := sizes(Sizing{}); !slices.Equal(w.MoreN, []int{65_536, 1_000_000}) || len(got) != 6 {
		t.Errorf("the sizes have become %v", w.MoreN)
	}
	for _, tc := range []struct {
		j     Job
		share time.Duration
		late  []bool // after 60, 100 and 1000 seconds
	}{
		{Job{Workload: w}, 8 * time.Second, []bool{false, false, true}},
		{Job{Workload: w, brief: true}, 4 * time.Second, []bool{false, true, true}},
		{Job{Workload: w, full: true}, 8 * time.Second, []bool{false, false, false}},
	} {
		for i, s := range []time.Duration{60, 100, 1000} {
			if got := tc.j.late(s * time.Second); got != tc.late[i] || tc.j.Share() != tc.share {
				t.Errorf("%+v: late after %d s: %t; share %v, want %v", tc.j, s, got, tc.j.Share(), tc.share)
			}
		}
	}
}
