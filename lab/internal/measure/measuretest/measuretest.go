// Package measuretest runs jobs in tests, and checks their figures.
package measuretest

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Plan returns the jobs of workloads.
func Plan(t testing.TB, works []measure.Work, z measure.Sizing) []measure.Job {
	t.Helper()
	jobs, err := measure.Plan(works, z)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// Of returns the named workloads of a family, or all if there is no name.
func Of(t testing.TB, f *measure.Family, names ...string) (works []measure.Work) {
	t.Helper()
	for _, w := range f.Workloads {
		if len(names) == 0 || slices.Contains(names, w.Name) {
			works = append(works, measure.Work{Workload: w, Family: f})
		}
	}
	if len(works) < len(names) {
		t.Fatalf("%s has no workloads %q", f.ID, names)
	}
	return works
}

// With returns the family with other implementations.
func With(f *measure.Family, ims ...measure.Impl) *measure.Family {
	other := *f
	other.Impls = ims
	return &other
}

// Run measures on one processor, since on several a forced garbage collection may spin for long. A
// workload that needs more sets their number itself.
func Run(t testing.TB, jobs []measure.Job, ims []measure.Impl) *measure.Recorder {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rec := measure.NewRecorder()
	if err := measure.Run(t.Context(), jobs, ims, rec, measure.Silent{}); err != nil {
		t.Fatalf("measure.Run: %v", err)
	}
	return rec
}

// Check fails for a missing figure or a wrong checksum.
func Check(t testing.TB, rec *measure.Recorder, jobs []measure.Job, ims []measure.Impl) {
	t.Helper()
	at := measure.Index(rec)
	for _, j := range jobs {
		for _, im := range j.Runners(ims) {
			for _, m := range j.Workload.Always(im) {
				if f := at[j.At(im.Name, m)]; f == nil {
					t.Errorf("%s, %s n=%d elem=%d: no %s", im.Name, j.Workload.Name, j.N, j.Elem, m)
				} else if f.Unit != "bytes" && f.Value < 0 { // heap sizes may shrink
					t.Errorf("%s, %s n=%d %s: got %g", im.Name, j.Workload.Name, j.N, m, f.Value)
				}
			}
		}
	}
	for _, f := range rec.All() {
		if !f.ChecksumOK {
			t.Errorf("%s, %s n=%d elem=%d %s: checksum %d, want %d", f.Impl, f.Workload, f.N,
				f.ElemBytes, f.Metric, f.Checksum, f.Want)
		}
	}
}

// CheckRight fails if a figure's checksum is right or wrong against expectation. right reports
// which ones should be right.
func CheckRight(
	t testing.TB, rec *measure.Recorder, right func(impl, workload, metric string) bool,
) {
	t.Helper()
	if len(rec.All()) == 0 {
		t.Error("nothing was measured")
	}
	for _, f := range rec.All() {
		if want := right(f.Impl, f.Workload, f.Metric); f.ChecksumOK != want {
			t.Errorf("n=%d, %s, %s, %s: checksum is right: %t", f.N, f.Workload, f.Impl, f.Metric,
				f.ChecksumOK)
		}
	}
}

// Defect is an implementation that is wrong in one way. If Wrong is empty, all of its metrics are
// wrong but those of Right.
type Defect struct {
	Name         string
	Kit          any
	Wrong, Right string // metrics, separated by spaces
}

// CheckDefects fails unless the checksums of a family find all defects beside sound
// implementations.
func CheckDefects(
	t testing.TB, f *measure.Family, sound []measure.Impl, defects []Defect, z measure.Sizing,
) {
	t.Helper()
	ims, of, seen := slices.Clone(sound), map[string]Defect{}, map[string]bool{}
	for _, d := range defects {
		ims = append(ims, measure.Impl{Name: d.Name, Kit: d.Kit})
		of[d.Name] = d
	}
	f = With(f, ims...)
	rec := Run(t, Plan(t, Of(t, f), z), ims)
	CheckRight(t, rec, func(im, _, metric string) bool {
		seen[im] = true
		d, ok := of[im]
		if d.Wrong != "" {
			return !slices.Contains(strings.Fields(d.Wrong), metric)
		}
		return !ok || slices.Contains(strings.Fields(d.Right), metric)
	})
	if len(seen) != len(ims) {
		t.Errorf("figures of %d implementations, want %d", len(seen), len(ims))
	}
}
