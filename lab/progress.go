package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress tells on stderr how far a run has come: on a terminal by a bar with the time left,
// elsewhere in one plain line per workload.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil where w is no terminal
	done  time.Duration            // of what the jobs may take, those that have ended
	job   job
	ims   int
	start time.Time
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
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

// isTerminal reports whether somebody looks at what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// share is what a job may take of the bar: of the time that it has until no further round starts.
func (j job) share() time.Duration { return max(j.w.budget, time.Second) }

// plan tells of all jobs that are to come.
func (p *progress) plan(jobs []job) {
	total := time.Duration(0)
	for _, j := range jobs {
		total += j.share()
	}
	if p.bar != nil {
		p.bar.ChangeMax64(int64(total))
	}
}

func (p *progress) begin(j job, ims int) { p.job, p.ims, p.start = j, ims, time.Now() }

// at is called before each repetition of each implementation.
func (p *progress) at(round, k int, impl string) {
	if p.bar == nil {
		return
	}
	p.bar.Describe(fmt.Sprintf("%-24s %-18s", p.job.label(), impl))
	// The job ends when its repetitions are done or its time is over, whichever is first.
	byReps := float64(round*p.ims+k) / float64(p.job.reps*p.ims)
	byTime := float64(time.Since(p.start)) / float64(p.job.share())
	part := min(1, max(byReps, byTime))
	p.set(p.done + time.Duration(part*float64(p.job.share())))
}

// set moves the bar. An error of it would be one of a terminal that has gone.
func (p *progress) set(done time.Duration) {
	if p.bar != nil {
		_ = p.bar.Set64(int64(done))
	}
}

func (p *progress) end(note string) {
	p.done += p.job.share()
	if note != "" {
		note = "  " + note
	}
	p.say(fmt.Sprintf("%-24s %5.1f s%s", p.job.label(), time.Since(p.start).Seconds(), note))
	p.set(p.done)
}

// skip tells that a job is not run.
func (p *progress) skip(j job, why string) {
	p.done += j.share()
	p.say(fmt.Sprintf("%-24s %s", j.label(), why))
}

// say writes a line, above the bar if there is one.
func (p *progress) say(line string) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(p.w, line)
}

// passes tells how far a replay has come.
func (p *progress) passes(done, total int, what string) {
	if p.bar == nil || total == 0 {
		return
	}
	p.bar.ChangeMax(total)
	p.bar.Describe(fmt.Sprintf("%-40s", what))
	_ = p.bar.Set(done)
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
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

// grouped writes a number with its digits in groups, as in "65 536".
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && n > 9999; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
