package measure

import (
	"context"
	"time"
)

// A run stops repeating after longEnough, or a brief one after briefEnough, whatever is left of the
// budgets, so that it ends within three minutes, or two, on a slow machine too. Every workload
// still has one repetition at its first size.
const (
	longEnough  = 110 * time.Second
	briefEnough = 75 * time.Second
)

// Progress is told how far a run has come.
type Progress interface {
	Plan(jobs []Job)              // all that are to come
	Begin(j Job, ims int)         // a job, and how many implementations do it
	At(round, k int, impl string) // a repetition: the k-th of its round
	End(note string)              // of the job
	Skip(j Job, why string)       // in place of beginning it
	Finish()
}

// Silent is the Progress of a run that nobody watches.
type Silent struct{}

func (Silent) Plan([]Job)          {}
func (Silent) Begin(Job, int)      {}
func (Silent) At(int, int, string) {}
func (Silent) End(string)          {}
func (Silent) Skip(Job, string)    {}
func (Silent) Finish()             {}

// Run runs the jobs on the implementations. All of them do the first repetition before any does
// the second, each round beginning with another one: what disturbs the machine disturbs all alike.
// It returns ErrStopped if ctx ended first; what was recorded until then is good.
func Run(ctx context.Context, jobs []Job, ims []Impl, rec *Recorder, p Progress) error {
	began := time.Now()
	p.Plan(jobs)
	defer p.Finish()
	for _, j := range jobs {
		if j.more && j.late(time.Since(began)) {
			p.Skip(j, "left out: the run has taken long enough")
			continue
		}
		if err := runJob(ctx, j, ims, rec, p, began); err != nil {
			p.End("interrupted")
			return err
		}
	}
	return nil
}

// runJob is Run for one job of a run that began then.
func runJob(
	ctx context.Context, j Job, ims []Impl, rec *Recorder, p Progress, began time.Time,
) error {
	ims = j.Runners(ims)
	p.Begin(j, len(ims))
	if ctx.Err() != nil {
		return ErrStopped
	}
	want := j.Workload.Want(j)
	once := make([]func() error, len(ims))
	for i, im := range ims {
		t := &Trial{Job: j, Ctx: ctx, Impl: im, Want: want}
		once[i] = t.begin()
		if j.Workload.Warm {
			if err := once[i](); err != nil {
				return err
			}
		}
		t.Recorder = rec
	}
	start := time.Now()
	used := make([]time.Duration, len(ims))
	spent := func(i int) bool {
		return used[i] > j.budget(j.Workload.ImplBudget) ||
			time.Since(start) > j.budget(j.Workload.Budget) || j.late(time.Since(began))
	}
	for round := range j.Reps {
		rec.round = round
		rec.noise = append(rec.noise, disturbance())
		for k := range ims {
			i := (round + k) % len(ims)
			if round > 0 && !j.exact && spent(i) {
				continue
			}
			p.At(round, k, ims[i].Name)
			t0 := time.Now()
			if err := once[i](); err != nil {
				return err
			}
			used[i] += time.Since(t0)
		}
	}
	p.End("")
	return nil
}
