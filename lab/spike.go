package main

import (
	"runtime"
	"slices"
	"time"
)

// spikeMetrics lists what is held before the burst, with it, and when all of it has gone.
var spikeMetrics = []stepMetric{
	{"bytes_before", "bytes", func(b []float64) float64 { return b[burstStep-1] }},
	{"bytes_peak", "bytes", slices.Max[[]float64]},
	{"bytes_149", "bytes", func(b []float64) float64 { return b[149] }},
	{"bytes_after", "bytes", func(b []float64) float64 { return b[154] }},
	{"bytes_254", "bytes", func(b []float64) float64 { return b[254] }},
}

var spike = &workload{
	name:  "spike",
	about: "the steps of ephemeral once more: what is held behind each of them",
	method: "Bytes of the Go heap behind every fifth step and each of ten from the burst on, " +
		"after a collection, less what it held before the first. bytes_after is behind step " +
		"154, when the last of the burst is gone.",
	n: 10_000, quickN: 10_000, maxN: 1_000_000, nMeans: "particles in the burst",
	elems: []int{4}, own: true,
	reps: 1, quickReps: 1,
	budget: 6 * time.Second, implBudget: time.Second,
	key:   []string{"bytes_before", "bytes_peak", "bytes_149", "bytes_after", "bytes_254"},
	runs:  hasParticles,
	want:  func(j job) any { return wantEphemeral(j.n) },
	start: startSpike,
	steps: &stepping{
		count: steps, event: burstStep, eventName: "burst",
		title: "What is held behind each step", unit: "bytes", least: 64,
		metrics: spikeMetrics, file: "spike-memory",
	},
}

func startSpike(t *trial) func() error {
	ttls := drawLifetimes(t.n)
	held := make([]float64, steps)
	return func() error {
		if err := t.pause(); err != nil {
			return err
		}
		var sum lifeSums
		base := heapBytes()
		c, rest := kitOf(t.im).Particles(), ttls
		for step := range steps {
			k := arrivals(step, t.n)
			c.Insert(rest[:k])
			visits, deaths := c.Age()
			rest = rest[k:]
			sum.add(c.Len(), visits, deaths)
			if looksAfter(step) {
				runtime.GC()
				held[step] = heapNow() - base
			} else if step > 0 {
				held[step] = held[step-1]
			}
		}
		t.addSteps(held, sum.checksum(), t.want.(uint64))
		runtime.KeepAlive(c)
		return nil
	}
}

// looksAfter reports whether what is held is looked at behind a step. To collect garbage behind
// each of them would take longer than any other workload.
func looksAfter(step int) bool {
	return step%5 == 4 || step >= burstStep && step < burstStep+10
}
