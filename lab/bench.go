package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// workload is one of the twenty-four. Its run does one repetition on one implementation.
type workload struct {
	name       string
	about      string
	method     string // how its figures come about, for the report
	family     *family
	n, quickN  int   // what -n replaces
	moreN      []int // further sizes, each a job of its own, which -n replaces too
	moreQuickN []int
	maxN       int
	nMeans     string // what n counts
	beside     int    // how many values there may be beside the n
	elems      []int  // element sizes
	own        bool   // the element is the workload's own, and its size not to be chosen
	fullN      []int  // the sizes beyond n and moreN that a full run has
	fullElems  []int  // the element sizes of a full run; elems if nil
	onlyFull   bool   // it takes so long that it is left out unless it is asked for
	stepUnit   string // the unit of what is measured at each step; ns if empty
	reps       int
	quickReps  int
	bands      bool          // the report draws how the repetitions are spread
	peaks      bool          // how far a single step sticks out is a figure
	warm       bool          // one repetition goes unrecorded; not worth it where one takes seconds
	budget     time.Duration // no further round starts after this
	implBudget time.Duration // an implementation that has used this much sits out further rounds
	key        []string      // the metrics of the printed table
	runs       runner        // says whom it can run
	want       func(j job) any
	// start sets up one implementation's series of repetitions.
	start func(t *trial) func() error
}

// runner reports whether an implementation has what a workload asks for.
type runner func(im impl) bool

// job is a workload at one size.
type job struct {
	w       *workload
	n, elem int
	reps    int
	exact   bool // reps was asked for: no budget cuts it short
	more    bool // another size of the same comes before: it can be left out
	quick   bool
	full    bool // take the time that it takes
	many    bool // the run has the workload at several sizes
}

// runners returns those of chosen that do the job.
func (j job) runners(chosen []impl) []impl {
	return slices.DeleteFunc(j.w.of(chosen), func(im impl) bool { return !im.can(j) })
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

// at returns the place of the job's figure.
func (j job) at(impl, metric string) place {
	return place{impl, j.w.name, metric, j.n, j.elem}
}

// has reports whether a figure is the job's.
func (j job) has(f *figure) bool {
	return f.Workload == j.w.name && f.N == j.n && f.ElemBytes == j.elem
}

// trial is one job on one implementation.
type trial struct {
	job
	ctx  context.Context
	im   impl
	rec  *recorder
	want any // what the job's want returned
	said string
}

// note says something about all figures to come, unless it is empty.
func (t *trial) note(text string) { t.said = text }

// add records a sample, unless the implementation is warming up.
func (t *trial) add(metric, unit string, value float64, got, want uint64) {
	if t.rec != nil {
		t.rec.add(t.im.name, t.job, metric, unit, value, got, want)
		t.rec.at[t.at(t.im.name, metric)].Note = t.said
	}
}

func (t *trial) addSteps(steps []float64, got, want uint64) {
	if t.rec != nil {
		t.rec.addSteps(t.im.name, t.job, steps, got, want)
	}
}

// errStopped ends a repetition that was interrupted.
var errStopped = errors.New("interrupted")

// pause is called between timed parts: it reports whether to stop, and collects the garbage of
// what came before, lest the next part pay for it.
func (t *trial) pause() error {
	if t.ctx.Err() != nil {
		return errStopped
	}
	runtime.GC()
	return nil
}

// timed returns the time f takes, in ns.
func timed(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start).Nanoseconds())
}

// timedSum is timed for a loop that returns a sum.
func timedSum(f func() uint64) (ns float64, sum uint64) {
	start := time.Now()
	sum = f()
	return float64(time.Since(start).Nanoseconds()), sum
}

// perCall times a loop that may be too short for the clock: after a call to warm up, it doubles the
// number of calls in a batch until a batch takes a millisecond, or in a quick run a tenth of that,
// and returns the median of five such batches, per call. One batch alone might have been stopped by
// the system half way. A loop of more than 20 ms is not so easily disturbed, and runs once. calls
// counts all calls.
func (t *trial) perCall(f func()) (ns float64, calls int) {
	long := 1e6
	if t.quick {
		long = 1e5
	}
	f()
	calls = 1
	run := func(batch int) float64 {
		calls += batch
		return timed(func() {
			for range batch {
				f()
			}
		})
	}
	batch, first := 1, run(1)
	for first < long {
		batch *= 2
		first = run(batch)
	}
	times := []float64{first}
	for first < 20e6 && len(times) < 5 {
		times = append(times, run(batch))
	}
	return quantile(times, 0.5) / float64(batch), calls
}

// longEnough is when a run stops repeating, whatever is left of the budgets, to end within three
// minutes on a slow machine too. Every workload gets one repetition all the same, at its first
// size.
const longEnough = 110 * time.Second

// late reports whether a run that began then has taken so long that the job is to be cut short.
func (j job) late(began time.Time) bool { return !j.full && time.Since(began) > longEnough }

// measure runs the jobs on the implementations. All of them do the first repetition before any does
// the second, each round beginning with another one: what disturbs the machine disturbs all alike.
// It returns errStopped if ctx ended first; what was recorded until then is good.
func measure(ctx context.Context, jobs []job, ims []impl, rec *recorder, p *progress) error {
	began := time.Now()
	p.plan(jobs)
	defer p.finish()
	for _, j := range jobs {
		if j.more && j.late(began) {
			p.skip(j, "left out: the run has taken long enough")
			continue
		}
		if err := measureJob(ctx, j, ims, rec, p, began); err != nil {
			p.end("interrupted")
			return err
		}
	}
	return nil
}

// measureJob is measure for one job of a run that began then.
func measureJob(
	ctx context.Context, j job, ims []impl, rec *recorder, p *progress, began time.Time,
) error {
	ims = j.runners(ims)
	p.begin(j, len(ims))
	if ctx.Err() != nil {
		return errStopped
	}
	want := j.w.want(j)
	once := make([]func() error, len(ims))
	for i, im := range ims {
		t := &trial{job: j, ctx: ctx, im: im, want: want}
		once[i] = t.begin()
		if j.w.warm {
			if err := once[i](); err != nil {
				return err
			}
		}
		t.rec = rec
	}
	start := time.Now()
	used := make([]time.Duration, len(ims))
	spent := func(i int) bool {
		return used[i] > j.w.implBudget || time.Since(start) > j.w.budget ||
			j.late(began)
	}
	for round := range j.reps {
		rec.round = round
		rec.noise = append(rec.noise, disturbance())
		for k := range ims {
			i := (round + k) % len(ims)
			if round > 0 && !j.exact && spent(i) {
				continue
			}
			p.at(round, k, ims[i].name)
			t0 := time.Now()
			if err := once[i](); err != nil {
				return err
			}
			used[i] += time.Since(t0)
		}
	}
	p.end("")
	return nil
}
