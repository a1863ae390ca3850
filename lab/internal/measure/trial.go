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
	Recorder *Recorder // nil during the warm-up
	Want     any       // the result of the job's want
	said     string
}

// Note adds a note to all later figures, unless text is empty.
func (t *Trial) Note(text string) { t.said = text }

// Add records a sample, except during the warm-up.
func (t *Trial) Add(metric, unit string, value float64, got, want uint64) {
	if t.Recorder != nil {
		t.Recorder.Add(t.Impl.Name, t.Job, metric, unit, value, got, want)
		t.Recorder.at[t.At(t.Impl.Name, metric)].Note = t.said
	}
}

// AddSteps records one repetition of a workload with steps, except during the warm-up.
func (t *Trial) AddSteps(steps []float64, got, want uint64) {
	if t.Recorder != nil {
		t.Recorder.AddSteps(t.Impl.Name, t.Job, steps, got, want)
	}
}

// Expect returns the checksum that a peer's metric must have, or false if peers have no such
// metric.
func (t *Trial) Expect(metric string) (uint64, bool) {
	if t.Workload.Expect == nil {
		return 0, false
	}
	return t.Workload.Expect(t.Job, t.Want, metric)
}

// Fail adds a note to the existing figures of the job and the implementation, with the reason why
// there are no more.
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

// Recorded reports whether samples are recorded, that is, not during the warm-up.
func (t *Trial) Recorded() bool { return t.Recorder != nil }

// ErrStopped ends an interrupted repetition.
var ErrStopped = errors.New("interrupted")

// begin sets up the trial's series of repetitions, here or in another process.
func (t *Trial) begin() func() error {
	if t.Impl.Remote != nil {
		return t.Impl.Remote.Start(t)
	}
	return t.Workload.Start(t)
}

// Pause is called between timed parts. It collects the garbage of the previous part, so that the
// next does not pay for it, and returns an error if the run is to stop. A hasty run collects
// nothing.
func (t *Trial) Pause() error {
	if t.Ctx.Err() != nil {
		return ErrStopped
	}
	if !t.hasty {
		runtime.GC()
	}
	return nil
}

// Time returns the time of f, in ns.
func Time(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start).Nanoseconds())
}

// TimeSum is Time for a loop that returns a sum.
func TimeSum(f func() uint64) (ns float64, sum uint64) {
	start := time.Now()
	sum = f()
	return float64(time.Since(start).Nanoseconds()), sum
}

// PerCall times a loop that may be too short for the clock. After a warm-up call, it doubles the
// calls in a batch until a batch takes a millisecond, or a tenth of that in a quick run. It returns
// the median of five such batches per call, since the system may have preempted one. A loop of more
// than 20 ms runs once. calls counts all calls.
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

// Batched returns the median time of f over the batches, since the system may have preempted one.
func Batched(batches int, f func()) float64 {
	times := make([]float64, batches)
	for i := range times {
		times[i] = Time(f)
	}
	return Quantile(times, 0.5)
}
