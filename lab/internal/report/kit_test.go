package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/lists"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/testkit"
)

var must = testkit.Must

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

// loops are metrics of other loops of collections of this library, besides those that all have.
var loops = map[string][]string{
	"basic":        {"iter_sum_values", "iter_mut_values"},
	"cross":        {"ns_per_pair_pairs", "ns_per_pair_twokey", "ns_per_pair_values", "ns_per_pair_spans"},
	"sparse":       {"remove50_sum_spans", "remove90_sum_spans", "keep25_random_pass_values", "keep25_first_pass_spans"},
	"memory":       {"left_25_random_clip"},
	"thesis-basic": {"iterate_values"},
	"broadphase":   {"pairs_values"},
}

// invented makes a report of invented figures of jobs.
func invented(jobs []measure.Job) *Report { return inventedOf(jobs, catalogue.All.Impls()) }

// inventedOf makes a report of invented figures of jobs on implementations.
func inventedOf(jobs []measure.Job, ims []measure.Impl) *Report {
	rec := measure.NewRecorder()
	r := measure.RNG{S: measure.Seed}
	for _, j := range jobs {
		for k, im := range j.Runners(ims) {
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
			metrics := j.Workload.Always(im)
			if im.Ours {
				metrics = slices.Concat(metrics, loops[j.Workload.Name])
			}
			for _, m := range metrics {
				for range measure.BandedReps {
					rec.Add(im.Name, j, m, "ns", math.Pow(30, float64(k))/10+float64(r.Below(20)), 7, 7)
				}
			}
		}
	}
	rec.Add(impls.Family.Impls[0].Name, jobs[0], "iter_sum_values", "ns", 1.5, 7, 7)
	rec.Add(impls.Family.Impls[1].Name, jobs[0], "iter_sum", "ns", 1.5, 8, 7)
	return &Report{
		Catalogue: catalogue.All, Recorder: rec, Impls: ims, Jobs: jobs,
		Started: time.Unix(1_800_000_000, 0).UTC(), Took: time.Minute,
		Command: "go run ./lab <&> '$(x)'", Machine: measure.Machine{CPU: "A processor", Go: "go1.26", OS: "linux/amd64", Cores: 2, Procs: 2, Berth: "of a test"},
	}
}

// fullReport makes a report of invented figures as a full run has them.
func fullReport(t *testing.T) *Report {
	t.Helper()
	jobs, err := measure.Plan(catalogue.All.Works(), measure.Sizing{Full: true})
	must(t, err)
	return invented(jobs)
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
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

// defaultReport makes a report of invented figures as a run without flags has them, and of invented
// answers of all collections that take part.
func defaultReport() *Report {
	works := slices.DeleteFunc(catalogue.All.Works(), func(w measure.Work) bool { return w.OnlyFull })
	jobs, err := measure.Plan(works, measure.Sizing{Brief: true})
	if err != nil {
		panic(err)
	}
	ims := slices.DeleteFunc(catalogue.All.Impls(), func(im measure.Impl) bool { return im.Variant })
	r := inventedOf(jobs, ims)
	r.Laws = &laws.Table{}
	for k := range 20 {
		r.Laws.Questions = append(r.Laws.Questions, fmt.Sprintf("a stale handle finds nothing, memory given back and taken (law %d)", k))
	}
	for _, im := range ims {
		if im.Stale != "A handle to a removed value" && !im.Among(impls.Family.Impls) && !im.Among(lists.Family.Impls) {
			continue
		}
		row := laws.Row{Impl: im.Name}
		for k := range r.Laws.Questions {
			row.Cells = append(row.Cells, []laws.Cell{{Kept: "yes", Text: "finds nothing"}, {Kept: "no", Text: "reads somebody else's value"}, {Kept: "-"}}[k%3])
		}
		r.Laws.Rows = append(r.Laws.Rows, row)
	}
	return r
}
