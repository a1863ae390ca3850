package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// fixedReport makes a report of invented figures: every metric, some of them extreme, one wrong.
func fixedReport(partial bool) *Report {
	jobs, err := measure.Plan(catalogue.All.Works(), measure.Sizing{})
	if err != nil {
		panic(err)
	}
	if partial {
		jobs = jobs[:3]
	}
	r := invented(jobs)
	r.Partial = partial
	return r
}

// invented makes a report of invented figures of jobs.
func invented(jobs []measure.Job) *Report {
	rec := measure.NewRecorder()
	r := measure.RNG{S: measure.Seed}
	for _, j := range jobs {
		for k, im := range j.Runners(catalogue.All.Impls()) {
			k %= 7 // more powers than that make figures that nobody prints
			if j.Workload.Steps != nil {
				ns := make([]float64, j.Workload.Steps.Count)
				for i := range ns {
					ns[i] = float64(50*(k+1)) + float64(r.Below(40))
					if i >= j.Workload.Steps.Event {
						ns[i] *= 1000 * math.Exp(-float64(i-j.Workload.Steps.Event)/20*float64(7-k))
					}
				}
				rec.AddSteps(im.Name, j, ns, 7, 7)
				continue
			}
			for _, m := range j.Workload.Always(im) {
				for range measure.BandedReps {
					rec.Add(im.Name, j, m, "ns", math.Pow(30, float64(k))/10+float64(r.Below(20)), 7, 7)
				}
			}
		}
	}
	rec.Add(impls.Family.Impls[0].Name, jobs[0], "iter_sum_values", "ns", 1.5, 7, 7)
	rec.Add(impls.Family.Impls[1].Name, jobs[0], "iter_sum", "ns", 1.5, 8, 7)
	return &Report{
		Catalogue: catalogue.All, Recorder: rec, Impls: catalogue.All.Impls(), Jobs: jobs,
		Started: time.Unix(1_800_000_000, 0).UTC(), Took: time.Minute,
		Command: "go run ./lab <&> '$(x)'", Machine: measure.Machine{CPU: "A processor", Go: "go1.26", OS: "linux/amd64", Cores: 2, Procs: 2, Berth: "of a test"},
	}
}

// fullReport makes a report of invented figures as a full run has them.
func fullReport(t *testing.T) *Report {
	t.Helper()
	jobs, err := measure.Plan(catalogue.All.Works(), measure.Sizing{Full: true})
	if err != nil {
		t.Fatal(err)
	}
	return invented(jobs)
}

// shownVerdict is a verdict as the page has it: not told by colour alone.
func shownVerdict(class, text string) string {
	return `<span class="` + class + `"><span aria-hidden="true">` + verdict{Class: class}.Mark() + ` </span>` + text + `</span>`
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// job returns a job of the named workload, whatever its own sizes are.
func job(name string, n, elem int) measure.Job {
	for _, w := range catalogue.All.Works() {
		if w.Name == name {
			return measure.Job{Family: w.Family, Workload: w.Workload, N: n, Elem: elem}
		}
	}
	panic("no workload " + name)
}

// html returns the report's page.
func (r *Report) html() ([]byte, error) { return r.page().html() }
