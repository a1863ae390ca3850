package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// bar reports on stderr how far a run has come: a line per workload, and on a terminal a bar with
// the time left.
type bar struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil where w is no terminal
	done  time.Duration            // of what the jobs may take, those that have ended
	job   measure.Job
	ims   int
	start time.Time
}

func newBar(w io.Writer) *bar {
	p := &bar{w: w}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions64(1,
			progressbar.OptionSetWriter(w),
			progressbar.OptionThrottle(100*time.Millisecond), // enough for an eye, and little
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth(),
		)
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Plan reports the jobs to come.
func (p *bar) Plan(jobs []measure.Job) {
	total := time.Duration(0)
	for _, j := range jobs {
		total += j.Share()
	}
	if p.bar != nil {
		p.bar.ChangeMax64(int64(total))
	}
}

// Begin reports the next job and its number of implementations.
func (p *bar) Begin(j measure.Job, ims int) { p.job, p.ims, p.start = j, ims, time.Now() }

// At is called before each repetition of each implementation.
func (p *bar) At(round, k int, impl string) {
	if p.bar == nil {
		return
	}
	p.bar.Describe(fmt.Sprintf("%-24s %-18s", p.job.Label(), impl))
	// The job ends when its repetitions are done or its time is over, whichever is first.
	byReps := float64(round*p.ims+k) / float64(p.job.Reps*p.ims)
	byTime := float64(time.Since(p.start)) / float64(p.job.Share())
	part := min(1, max(byReps, byTime))
	p.set(p.done + time.Duration(part*float64(p.job.Share())))
}

// set moves the bar. Its error, that of a terminal that has gone, is ignored.
func (p *bar) set(done time.Duration) {
	if p.bar != nil {
		_ = p.bar.Set64(int64(done))
	}
}

// End reports that the job is done.
func (p *bar) End(note string) {
	p.done += p.job.Share()
	if note != "" {
		note = "  " + note
	}
	p.say(fmt.Sprintf("%-24s %5.1f s%s", p.job.Label(), time.Since(p.start).Seconds(), note))
	p.set(p.done)
}

// Skip reports that a job is not run.
func (p *bar) Skip(j measure.Job, why string) {
	p.done += j.Share()
	p.say(fmt.Sprintf("%-24s %s", j.Label(), why))
}

// say writes a line, above the bar if there is one.
func (p *bar) say(line string) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(p.w, line)
}

// passes reports how far a replay has come.
func (p *bar) passes(done, total int, what string) {
	if p.bar == nil || total == 0 {
		return
	}
	p.bar.ChangeMax(total)
	p.bar.Describe(fmt.Sprintf("%-40s", what))
	_ = p.bar.Set(done)
}

// Finish removes the bar.
func (p *bar) Finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
