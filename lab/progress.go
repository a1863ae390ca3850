package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// progress tells on stderr how far a run has come: on a terminal in one line that is written over,
// elsewhere in one plain line per workload.
type progress struct {
	w     io.Writer
	live  bool // w is a terminal
	job   job
	ims   int
	start time.Time
	last  time.Time
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.live = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

func (p *progress) begin(j job, ims int) {
	p.job, p.ims, p.start, p.last = j, ims, time.Now(), time.Time{}
}

// at is called before each repetition of each implementation. Writing ten times a second is enough
// for an eye and little enough for a benchmark.
func (p *progress) at(round, k int, impl string) {
	if !p.live || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	done := 100 * (round*p.ims + k) / (p.job.reps * p.ims)
	fmt.Fprintf(p.w, "\r\x1b[K%-24s %3d%%  repetition %d of at most %d, %s",
		p.job.label(), done, round+1, p.job.reps, impl)
}

func (p *progress) end(note string) {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	if note != "" {
		note = "  " + note
	}
	fmt.Fprintf(p.w, "%-24s %5.1f s%s\n", p.job.label(), time.Since(p.start).Seconds(), note)
}

// skip tells that a job is not run.
func (p *progress) skip(j job, why string) { fmt.Fprintf(p.w, "%-24s %s\n", j.label(), why) }

// label names a job in a few words.
func (j job) label() string {
	switch {
	case len(j.w.moreN) > 0:
		return fmt.Sprintf("%s, n = %s", j.w.name, grouped(j.n))
	case j.w.own && len(j.w.elems) == 1:
		return j.w.name
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
