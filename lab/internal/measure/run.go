package measure

import (
	"context"
	"time"
)

// Progress receives the progress of a run.
type Progress interface {
	Plan(jobs []Job)              // all jobs of the run
	Begin(j Job, ims int)         // a job, and its number of implementations
	At(round, k int, impl string) // a repetition: the k-th of its round
	End(note string)              // of the job
	Skip(j Job, why string)       // instead of Begin
	Finish()
}

// Silent is a Progress that does nothing.
type Silent struct{}

func (Silent) Plan([]Job)          {}
func (Silent) Begin(Job, int)      {}
func (Silent) At(int, int, string) {}
func (Silent) End(string)          {}
func (Silent) Skip(Job, string)    {}
func (Silent) Finish()             {}

// Run runs the jobs on the implementations. All implementations do one repetition before any does
// the next, and each round begins with another one, so that a disturbance of the machine affects
// all alike. It returns ErrStopped if ctx ends first; the samples recorded until then are valid.
func Run(ctx context.Context, jobs []Job, ims []Impl, rec *Recorder, p Progress) error {
	began := time.Now()
	p.Plan(jobs)
	defer p.Finish()
	for _, j := range jobs {
		if j.more && j.late(time.Since(began)) {
			p.Skip(j, "left out: the run's time is over")
			continue
		}
		if err := runJob(ctx, j, ims, rec, p, began); err != nil {
			p.End("interrupted")
			return err
		}
	}
	return nil
}

// runJob is Run for one job of a run that began at the given time.
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
