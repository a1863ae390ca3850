package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// job is a workload at one size.
type job struct {
	family  *family
	w       *workload
	n, elem int
	reps    int
	exact   bool // reps was asked for: no budget cuts it short
	more    bool // another size of the same comes before: it can be left out
	quick   bool
	full    bool // take the time that it takes
	many    bool // the run has the workload at several sizes
}

// maxHeld bounds what the flags can ask for: bytes of elements, before what any collection adds to
// them.
const maxHeld = 512 << 20

// sizing is what was asked for of all workloads; n, elem and reps are 0 where each decides.
type sizing struct {
	n, elem, reps int
	quick, full   bool
}

// plan makes the jobs.
func plan(works []work, z sizing) ([]job, error) {
	var jobs []job
	for _, wk := range works {
		w := wk.workload
		elems := w.elementSizes(z)
		for _, e := range elems {
			if most := w.most(e); z.n > most {
				return nil, fmt.Errorf("-n %d: %s takes at most %d %s of %d bytes",
					z.n, w.name, most, w.nMeans, e)
			}
			sizes := w.sizes(z)
			for _, n := range sizes {
				j := job{
					family: wk.family, w: w, n: n, elem: e, reps: w.reps,
					quick: z.quick, full: z.full, many: len(sizes) > 1,
				}
				if z.quick {
					j.reps = w.quickReps
				}
				if z.reps != 0 {
					j.reps, j.exact = z.reps, true
				}
				j.more = len(jobs) > 0 && jobs[len(jobs)-1].w == w && z.reps == 0
				jobs = append(jobs, j)
			}
		}
	}
	return jobs, nil
}

// runners returns those of chosen that do the job.
func (j job) runners(chosen []impl) []impl {
	return slices.DeleteFunc(j.family.runners(j.w, chosen), func(im impl) bool {
		return !im.can(j)
	})
}

// id names a job among all others.
func (j job) id() string {
	switch {
	case len(j.w.moreN) > 0:
		return fmt.Sprintf("%s-%d", j.w.name, j.n)
	case j.many:
		return fmt.Sprintf("%s-%d-%d", j.w.name, j.n, j.elem)
	}
	return fmt.Sprintf("%s-%d", j.w.name, j.elem)
}

// label names a job in a few words.
func (j job) label() string {
	switch {
	case len(j.w.moreN) > 0:
		return fmt.Sprintf("%s, n = %s", j.w.name, grouped(j.n))
	case j.w.own && len(j.w.elems) == 1:
		return j.w.name
	case j.many:
		return fmt.Sprintf("%s, n = %s, %d B", j.w.name, grouped(j.n), j.elem)
	}
	return fmt.Sprintf("%s, %d B", j.w.name, j.elem)
}

// facts says of what size a job is.
func (j job) facts() string {
	return fmt.Sprintf("%s: %d, %d bytes each", j.w.nMeans, j.n, j.elem)
}

// units names the units of a job's figures, as in "ns".
func (j job) units(rec *recorder) string {
	var units []string
	for _, f := range rec.all() {
		if j.has(f) && !slices.Contains(units, f.Unit) {
			units = append(units, f.Unit)
		}
	}
	return strings.Join(units, " or ")
}

// at returns the place of the job's figure.
func (j job) at(impl, metric string) place {
	return place{impl, j.w.name, metric, j.n, j.elem}
}

// has reports whether a figure is the job's.
func (j job) has(f *figure) bool {
	return f.Workload == j.w.name && f.N == j.n && f.ElemBytes == j.elem
}

// share is what a job may take of a run's time: that until no further round starts.
func (j job) share() time.Duration { return max(j.w.budget, time.Second) }

// late reports whether a run that began then has taken so long that the job is to be cut short.
func (j job) late(began time.Time) bool { return !j.full && time.Since(began) > longEnough }

// grouped writes a number with its digits in groups, as in "65 536".
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && n > 9999; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
