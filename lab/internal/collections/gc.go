package collections

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

const (
	frameTime   = time.Second / 60
	gcFrames    = 15 * 60 // frames to watch, and fewer in a quick run
	gcQuick     = 6
	garbagePart = 1 << 10 // of a frame's garbage, which is a MiB
	gcCollects  = 5
)

var gc = &measure.Workload{
	Name:  "gc",
	About: "the cost of a large collection for the garbage collector and for a game's frames",
	Method: "collect is the time of a whole garbage collection with all n values live, the " +
		"median of 5; collect_pointers is the same with values of a pointer, a string and a " +
		"word, which the collector must scan one by one. Beside the values of collect, 900 " +
		"frames, 60 a second, on one processor, make a MiB of garbage each, in parts of a KiB: " +
		"p50, p99 and worst are the times of a frame, from when it is due until its garbage is " +
		"made; late counts those that took longer than a frame may; collections counts the runs " +
		"of the collector, and gc_share is its share of the processor.",
	N: 10_000_000, QuickN: 100_000, MaxN: 16_000_000, NMeans: "values",
	Elems: []int{32}, OnlyFull: true, Own: true, Last: true,
	Reps: 1, QuickReps: 1,
	Budget: time.Hour, ImplBudget: time.Hour,
	Key: append([]string{"collect", "collect_pointers"}, gcMetrics[1:]...),
	Metrics: func(im measure.Impl) []string {
		if hasKinds(im) {
			return append([]string{"collect_pointers"}, gcMetrics...)
		}
		return gcMetrics
	},
	Runs: HasValues,
	Drawn: measure.Charts{
		TableOnly: func(metric string) bool { return slices.Contains(frameMetrics, metric) },
		Frames: &measure.Frames{
			File:  "gc",
			Title: "Frames of a game beside %s live values",
			Note: "ms for a frame, log axis: the median, the 99th percentile and the longest; " +
				"late frames took longer than 16.7 ms",
			Unit: "ms", Metrics: frameMetrics, Count: "late", CountName: "late",
		},
	},
	Want:  func(j measure.Job) any { return WantBasic(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return gcOnce(t) } },
}

// gcMetrics are the metrics that all have.
var gcMetrics = []string{"collect", "p50", "p99", "worst", "late", "collections", "gc_share"}

// frameMetrics are those of the chart.
var frameMetrics = []string{"p50", "p99", "worst"}

func gcOnce(t *measure.Trial) error {
	if hasKinds(t.Impl) {
		if err := collectPointers(t); err != nil {
			return err
		}
	}
	v := KitOf(t.Impl).Values(t.Elem)
	collect, err := collectOnce(t, v)
	if err != nil {
		return err
	}
	frames := gcFrames
	if t.Quick {
		frames = gcQuick
	}
	f, err := watchFrames(t, frames)
	if err != nil {
		return err
	}
	want := WantBasic(t.N).Fresh
	got := v.Sum()
	add := func(metric, unit string, value float64) { t.Add(metric, unit, value, got, want) }
	add("collect", "ms", collect)
	add("p50", "ms", measure.SortedQuantile(f.ms, 0.5))
	add("p99", "ms", measure.SortedQuantile(f.ms, 0.99))
	add("worst", "ms", f.ms[len(f.ms)-1])
	add("late", "frames", float64(f.late))
	add("collections", "times", float64(f.collections))
	add("gc_share", "%", 100*f.share)
	runtime.KeepAlive(v)
	return nil
}

// collectPointers measures a garbage collection with values that hold pointers.
func collectPointers(t *measure.Trial) error {
	v := KitOf(t.Impl).Kinds(OfPointers)
	ms, err := collectOnce(t, v)
	if err != nil {
		return err
	}
	t.Add("collect_pointers", "ms", ms, v.Sum(), WantBasic(t.N).Fresh)
	return nil
}

// collectOnce fills v, and returns the ms of a garbage collection.
func collectOnce(t *measure.Trial, v Values) (ms float64, err error) {
	v.Keep(t.N)
	v.New(t.N)
	if err := t.Pause(); err != nil {
		return 0, err
	}
	v.Insert(0, t.N)
	v.Keep(0) // the handles are not part of the collection, and may be pointers
	runtime.GC()
	return measure.Batched(gcCollects, runtime.GC) / 1e6, nil
}

// frameTimes holds the times of frames that made garbage beside a collection of values.
type frameTimes struct {
	ms          []float64 // sorted
	late        int
	collections uint64
	share       float64 // of the processor's time spent in the collector
}

// garbage holds the last frame's garbage, so that it is allocated on the heap.
var garbage [1 << 20 / garbagePart]*[garbagePart]byte

// watchFrames runs frames on one processor, and restores GOMAXPROCS.
func watchFrames(t *measure.Trial, frames int) (f frameTimes, err error) {
	procs := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(procs)
	defer clear(garbage[:])
	before := readGC()
	start := time.Now()
	for i := range frames {
		due := start.Add(time.Duration(i) * frameTime)
		time.Sleep(time.Until(due))
		if t.Ctx.Err() != nil {
			return f, measure.ErrStopped
		}
		for k := range garbage {
			garbage[k] = new([garbagePart]byte)
		}
		took := time.Since(due)
		f.ms = append(f.ms, float64(took.Nanoseconds())/1e6)
		if took > frameTime {
			f.late++
		}
	}
	took := time.Since(start)
	after := readGC()
	f.collections = after.cycles - before.cycles
	f.share = (after.seconds - before.seconds) / took.Seconds()
	slices.Sort(f.ms)
	return f, nil
}

// gcTotals holds the collector's totals since the process began.
type gcTotals struct {
	cycles  uint64
	seconds float64 // of processors, without idle marking
}

func readGC() gcTotals {
	s := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	metrics.Read(s)
	return gcTotals{s[0].Value.Uint64(), s[1].Value.Float64() - s[2].Value.Float64()}
}
