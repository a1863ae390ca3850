package collections

import (
	"runtime"
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// spikeMetrics covers the memory before the burst, with it, and after all of it has gone.
var spikeMetrics = []measure.StepMetric{
	{Name: "bytes_before", Unit: "bytes", Of: func(b []float64) float64 { return b[burstStep-1] }},
	{Name: "bytes_peak", Unit: "bytes", Of: slices.Max[[]float64]},
	{Name: "bytes_149", Unit: "bytes", Of: func(b []float64) float64 { return b[149] }},
	{Name: "bytes_after", Unit: "bytes", Of: func(b []float64) float64 { return b[154] }},
	{Name: "bytes_254", Unit: "bytes", Of: func(b []float64) float64 { return b[254] }},
}

var spike = &measure.Workload{
	Name:  "spike",
	About: "the steps of ephemeral again: the memory held after them",
	Method: "Bytes of the Go heap after every fifth step and each of ten from the burst on, " +
		"after a collection, less those before the first. bytes_after is after step " +
		"154, when the last of the burst is gone.",
	N: 10_000, QuickN: 10_000, MaxN: 1_000_000, NMeans: "particles in the burst",
	Elems: []int{4}, Own: true,
	Reps: 1, QuickReps: 1,
	Budget: 6 * time.Second, ImplBudget: time.Second,
	Key:   []string{"bytes_before", "bytes_peak", "bytes_149", "bytes_after", "bytes_254"},
	Runs:  HasParticles,
	Want:  func(j measure.Job) any { return WantEphemeral(j.N) },
	Start: startSpike,
	Steps: &measure.Steps{
		Count: StepCount, Event: burstStep, EventName: "burst",
		Title: "Memory held after each step", Unit: "bytes", Least: 64,
		Metrics: spikeMetrics, File: "spike-memory",
	},
}

func startSpike(t *measure.Trial) func() error {
	ttls := drawLifetimes(t.N)
	held := make([]float64, StepCount)
	return func() error {
		if err := t.Pause(); err != nil {
			return err
		}
		var sum lifeSums
		base := measure.HeapBytes()
		c, rest := KitOf(t.Impl).Particles(), ttls
		for step := range StepCount {
			k := arrivals(step, t.N)
			c.Insert(rest[:k])
			visits, deaths := c.Age()
			rest = rest[k:]
			sum.add(c.Len(), visits, deaths)
			if looksAfter(step) {
				runtime.GC()
				held[step] = measure.HeapNow() - base
			} else if step > 0 {
				held[step] = held[step-1]
			}
		}
		t.AddSteps(held, sum.checksum(), t.Want.(uint64))
		runtime.KeepAlive(c)
		return nil
	}
}

// looksAfter reports whether memory is measured after a step. A garbage collection after each step
// would take longer than any other workload.
func looksAfter(step int) bool {
	return step%5 == 4 || step >= burstStep && step < burstStep+10
}
