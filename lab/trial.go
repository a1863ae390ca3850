package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

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

// addSteps records one repetition of a workload that has steps, unless the implementation is warming
// up.
func (t *trial) addSteps(steps []float64, got, want uint64) {
	if t.rec != nil {
		t.rec.addSteps(t.im.name, t.job, steps, got, want)
	}
}

// expect returns the checksum that a metric of a peer must come to, or false if there is none.
func (t *trial) expect(metric string) (uint64, bool) {
	if t.w.expect == nil {
		return 0, false
	}
	return t.w.expect(t.job, t.want, metric)
}

// fail notes with all figures that there are of the job and the implementation why there are no
// more.
func (t *trial) fail(err error) {
	if t.rec == nil {
		return
	}
	for _, f := range t.rec.figures {
		if f.Impl == t.im.name && t.has(f) {
			f.Note = fmt.Sprintf("it failed in repetition %d: %v", t.rec.round+1, err)
		}
	}
}

// recorded reports whether samples are taken: not while warming up.
func (t *trial) recorded() bool { return t.rec != nil }

// errStopped ends a repetition that was interrupted.
var errStopped = errors.New("interrupted")

// begin sets up the trial's series of repetitions, here or in another process.
func (t *trial) begin() func() error {
	if t.im.remote != nil {
		return t.im.remote.Start(t)
	}
	return t.w.start(t)
}

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

// batched runs f so many times and returns the median of the times. One alone might have been
// stopped by the system half way.
func batched(batches int, f func()) float64 {
	times := make([]float64, batches)
	for i := range times {
		times[i] = timed(f)
	}
	return quantile(times, 0.5)
}
