// Package report prints, draws and writes what was measured.
package report

import (
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

const (
	ReportFile  = "report.html"
	ResultsFile = "results.json"
)

// Report is a run, ready to be written.
type Report struct {
	Catalogue measure.Catalogue
	Recorder  *measure.Recorder
	Impls     []measure.Impl
	Jobs      []measure.Job
	Started   time.Time
	Took      time.Duration
	Command   string
	Machine   measure.Machine
	Partial   bool
	Laws      *laws.Table // nil if no collection was asked
	Out       string      // the folder that it is written to, or empty
}

// figure returns a job's figure, or nil.
func (r *Report) figure(j measure.Job, impl, metric string) *measure.Figure {
	return measure.Index(r.Recorder)[j.At(impl, metric)]
}

// firstOf returns the first job of a family's workload, if the run has one.
func (r *Report) firstOf(fam *measure.Family, workload string) (measure.Job, bool) {
	for _, j := range r.Jobs {
		if j.Family == fam && j.Workload.Name == workload {
			return j, true
		}
	}
	return measure.Job{}, false
}

// first reports whether a job is the first of its workload in the run.
func (r *Report) first(j measure.Job) bool {
	f, ok := r.firstOf(j.Family, j.Workload.Name)
	return ok && f == j
}

// shown returns the implementations that a job is shown with: those that its workload runs, and
// others of its family that have figures of it.
func (r *Report) shown(j measure.Job) []measure.Impl {
	return slices.DeleteFunc(j.Family.Of(r.Impls), func(im measure.Impl) bool {
		return !j.Workload.Runs(im) &&
			!slices.ContainsFunc(r.Recorder.All(), func(f *measure.Figure) bool {
				return f.Impl == im.Name && j.Has(f)
			})
	})
}

// published reports whether a family's workloads are those of a publication.
func published(f *measure.Family) bool {
	return slices.ContainsFunc(f.Workloads, func(w *measure.Workload) bool {
		return len(w.Drawn.Figures) > 0
	})
}
