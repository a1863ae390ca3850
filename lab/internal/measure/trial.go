package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Trial is one job on one implementation.
type Trial struct {
	Job
	Ctx      context.Context
	Impl     Impl
	Recorder *Recorder // nil while the implementation warms up
	Want     any       // what the job's want returned
	said     string
}

// Note says something about all figures to come, unless it is empty.
func (t *Trial) Note(text string) { t.said = text }

// Add records a sample, unless the implementation is warming up.
func (t *Trial) Add(metric, unit string, value float64, got, want uint64) {
	if t.Recorder != nil {
		t.Recorder.Add(t.Impl.Name, t.Job, metric, unit, value, got, want)
		t.Recorder.at[t.At(t.Impl.Name, metric)].Note = t.said
	}
}

// AddSteps records one repetition of a workload that has steps, unless the implementation is
// warming up.
func (t *Trial) AddSteps(steps []float64, got, want uint64) {
	if t.Recorder != nil {
		t.Recorder.AddSteps(t.Impl.Name, t.Job, steps, got, want)
	}
}

// Expect returns the checksum that a metric of a peer must come to, or false if there is none.
func (t *Trial) Expect(metric string) (uint64, bool) {
	if t.Workload.Expect == nil {
		return 0, false
	}
	return t.Workload.Expect(t.Job, t.Want, metric)
}

// Fail notes with all figures that there are of the job and the implementation why there are no
// more.
func (t *Trial) Fail(err error) {
	if t.Recorder == nil {
		return
	}
	for _, f := range t.Recorder.figures {
		if f.Impl == t.Impl.Name && t.Has(f) {
			f.Note = fmt.Sprintf("it failed in repetition %d: %v", t.Recorder.round+1, err)
		}
	}
}

// Recorded reports whether samples are taken: not while warming up.
func (t *Trial) Recorded() bool { return t.Recorder != nil }

// ErrStopped ends a repetition that was interrupted.
var ErrStopped = errors.New("interrupted")

// begin sets up the trial's series of repetitions, here or in another process.
func (t *Trial) begin() func() error {
	if t.Impl.Remote != nil {
		return t.Impl.Remote.Start(t)
	}
	return t.Workload.Start(t)
}

// Pause is called between timed parts: it reports whether to stop, and collects the garbage of
// what came before, lest the next part pay for it.
func (t *Trial) Pause() error {
	if t.Ctx.Err() != nil {
		return ErrStopped
	}
	runtime.GC()
	return nil
}

// Time returns the time f takes, in ns.
func Time(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start).Nanoseconds())
}

// TimeSum is timed for a loop that returns a sum.
func TimeSum(f func() uint64) (ns float64, sum uint64) {
	start := time.Now()
	sum = f()
	return float64(time.Since(start).Nanoseconds()), sum
}

// PerCall times a loop that may be too short for the clock: after a call to warm up, it doubles the
// number of calls in a batch until a batch takes a millisecond, or in a quick run a tenth of that,
// and returns the median of five such batches, per call. One batch alone might have been stopped by
// the system half way. A loop of more than 20 ms is not so easily disturbed, and runs once. calls
// counts all calls.
func (t *Trial) PerCall(f func()) (ns float64, calls int) {
	long := 1e6
	if t.Quick {
		long = 1e5
	}
	f()
	calls = 1
	run := func(batch int) float64 {
		calls += batch
		return Time(func() {
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
	return Quantile(times, 0.5) / float64(batch), calls
}

// Batched runs f so many times and returns the median of the times. One alone might have been
// stopped by the system half way.
func Batched(batches int, f func()) float64 {
	times := make([]float64, batches)
	for i := range times {
		times[i] = Time(f)
	}
	return Quantile(times, 0.5)
}
