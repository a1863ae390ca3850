package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Job is a workload at one size.
type Job struct {
	Family   *Family
	Workload *Workload
	N, Elem  int
	Reps     int
	exact    bool // -reps was given, so no budget applies
	more     bool // another size of the same workload precedes it, so it may be left out
	Quick    bool
	full     bool // no time limit
	brief    bool // half of the time budgets
	many     bool // the run has the workload at several sizes
	hasty    bool // no collections between timed parts
}

// MaxHeld bounds the bytes of elements that the flags may request, without the overhead of a
// collection.
const MaxHeld = 512 << 20

// Sizing holds the sizes chosen for all workloads. If N, Elem or Reps is 0, each workload uses its
// own.
type Sizing struct {
	N, Elem, Reps int
	Quick, Full   bool
	// Brief is a run of everything in a minute and a half: the first element size of each workload,
	// no slow sizes, half of the time budgets.
	Brief bool
	// Hasty is a run for tests, whose figures mean nothing: the timed parts follow each other
	// without a garbage collection, which takes most of the time of a small run.
	Hasty bool
}

// Plan makes the jobs.
func Plan(works []Work, z Sizing) ([]Job, error) {
	var jobs []Job
	for _, wk := range works {
		w := wk.Workload
		elems := w.elementSizes(z)
		for _, e := range elems {
			if most := w.most(e); z.N > most {
				return nil, fmt.Errorf("-n %d: %s takes at most %d %s of %d bytes",
					z.N, w.Name, most, w.NMeans, e)
			}
			sizes := w.Sizes(z)
			for _, n := range sizes {
				j := Job{
					Family: wk.Family, Workload: w, N: n, Elem: e, Reps: w.Reps,
					Quick: z.Quick, full: z.Full, brief: z.Brief, many: len(sizes) > 1,
					hasty: z.Hasty,
				}
				if z.Quick {
					j.Reps = w.QuickReps
				}
				if z.Reps != 0 {
					j.Reps, j.exact = z.Reps, true
				}
				j.more = len(jobs) > 0 && jobs[len(jobs)-1].Workload == w && z.Reps == 0
				jobs = append(jobs, j)
			}
		}
	}
	return jobs, nil
}

// Runners returns those of chosen that run the job.
func (j Job) Runners(chosen []Impl) []Impl {
	return slices.DeleteFunc(j.Family.Runners(j.Workload, chosen), func(im Impl) bool {
		return !im.can(j)
	})
}

// ID returns a unique identifier of a job.
func (j Job) ID() string {
	switch {
	case len(j.Workload.MoreN) > 0:
		return fmt.Sprintf("%s-%d", j.Workload.Name, j.N)
	case j.many:
		return fmt.Sprintf("%s-%d-%d", j.Workload.Name, j.N, j.Elem)
	}
	return fmt.Sprintf("%s-%d", j.Workload.Name, j.Elem)
}

// Label returns a short name of a job.
func (j Job) Label() string {
	switch {
	case len(j.Workload.MoreN) > 0:
		return fmt.Sprintf("%s, n = %s", j.Workload.Name, Grouped(j.N))
	case j.Workload.Own && len(j.Workload.Elems) == 1:
		return j.Workload.Name
	case j.many:
		return fmt.Sprintf("%s, n = %s, %d B", j.Workload.Name, Grouped(j.N), j.Elem)
	}
	return fmt.Sprintf("%s, %d B", j.Workload.Name, j.Elem)
}

// Facts describes the size of a job.
func (j Job) Facts() string {
	return fmt.Sprintf("%s: %d, %d bytes each", j.Workload.NMeans, j.N, j.Elem)
}

// Units names the units of a job's figures, as in "ns".
func (j Job) Units(rec *Recorder) string {
	var units []string
	for _, f := range rec.All() {
		if j.Has(f) && !slices.Contains(units, f.Unit) {
			units = append(units, f.Unit)
		}
	}
	return strings.Join(units, " or ")
}

// At returns the place of a figure of the job.
func (j Job) At(impl, metric string) Place {
	return Place{impl, j.Workload.Name, metric, j.N, j.Elem}
}

// Has reports whether a figure belongs to the job.
func (j Job) Has(f *Figure) bool {
	return f.Workload == j.Workload.Name && f.N == j.N && f.ElemBytes == j.Elem
}

// Share returns the time after which no further round starts.
func (j Job) Share() time.Duration { return max(j.budget(j.Workload.Budget), time.Second) }

// budget returns the job's share of a time budget of its workload.
func (j Job) budget(of time.Duration) time.Duration {
	if j.brief {
		return of / 2
	}
	return of
}

// late reports whether a run that has taken this long cuts the job short.
func (j Job) late(took time.Duration) bool {
	switch {
	case j.full:
		return false
	case j.brief:
		return took > briefEnough
	}
	return took > longEnough
}

// Grouped formats a number with its digits in groups, as in "65 536".
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && n > 9999; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// A run stops repeating after longEnough, or a brief one after briefEnough, whatever the budgets,
// so that it ends within three minutes, or two, even on a slow machine. Every workload still gets
// one repetition at its first size.
const (
	longEnough  = 110 * time.Second
	briefEnough = 75 * time.Second
)
