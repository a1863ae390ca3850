// Package migrating has no code: its tests and benchmarks compare the programs before and after
// they moved to berth. docs/migrating.md explains them.
//
// For ratios, run both sides in turns, ten times and more:
//
//	for i in {1..10}; do go test -run '^$' -bench . ./examples/migrating; done | tee turns.txt
//	go -C tools/lint tool benchstat -col /impl "$PWD"/turns.txt
package migrating

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// Sizes of the benchmarks.
const (
	many  = 10_000  // values in the steady state
	burst = 100_000 // values that come at once
	few   = 10      // values that stay when the others have gone
)

// newRand returns a generator that returns the same numbers in each run.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// heap returns the bytes of all objects that are reachable.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // a second one, for what finalizers and pools have kept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// held reports how much the heap has grown since it had the given size, as the metric held-B.
// Nothing that keeps must hold may be dropped before.
func held(b *testing.B, before uint64, keep any) {
	b.Helper()
	b.ReportMetric(float64(heap()-before), "held-B")
	runtime.KeepAlive(keep)
}

// collect measures a garbage collection.
func collect(b *testing.B, keep any) {
	for b.Loop() {
		runtime.GC()
	}
	runtime.KeepAlive(keep)
}
