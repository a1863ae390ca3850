package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// growBlocks is how many parts the growth is looked at in.
const growBlocks = 64

var memory = &workload{
	name:  "memory",
	about: "bytes held when full, at most while growing, and when 25 are left of all",
	method: "Bytes of the Go heap, after two collections, less what it held before; the list " +
		"of handles is not counted. " +
		"The peak is taken with the collector stopped for a 64th of the inserts at a time " +
		"and run in between: " +
		"the largest heap at the end of such a part. It holds what a growing collection " +
		"copies from and to at once, alike for all. " +
		"left_25 is taken when what is left has been visited once, since a collection may put " +
		"off until then what it does about holes. " +
		"left_25_random_clip is after the call that gives memory back (Clip, or " +
		"slices.Clone), where there is one.",
	n: 1_000_000, quickN: 50_000, maxN: maxValues, nMeans: "values",
	elems: []int{8, 32},
	reps:  1, quickReps: 1, last: true,
	budget: 8 * time.Second, implBudget: 3 * time.Second,
	key: []string{
		"bytes_per_value", "peak_bytes_per_value",
		"left_25_random", "left_25_first", "left_25_last",
	},
	runs: hasValues,
	drawn: workCharts{
		tableOnly: func(metric string) bool { return strings.HasSuffix(metric, "_clip") },
	},
	want:  func(j job) any { return wantSparse(j.n) },
	start: func(t *trial) func() error { return func() error { return memoryOnce(t) } },
	expect: func(j job, want any, metric string) (uint64, bool) {
		if metric == "bytes_per_value" || metric == "peak_bytes_per_value" {
			return wantBasic(j.n).fresh, true
		}
		which, ok := strings.CutPrefix(metric, "left_25_")
		if !ok {
			return 0, false
		}
		sum, ok := want.(map[string]uint64)["keep25_"+strings.TrimSuffix(which, "_clip")]
		return sum, ok
	},
}

func memoryOnce(t *trial) error {
	n, want := t.n, t.want.(map[string]uint64)
	v := kitOf(t.im).Values(t.elem)
	v.Keep(n)
	v.New(0)
	base := heapBytes()

	peak, err := grow(t, v)
	if err != nil {
		return err
	}
	t.add("bytes_per_value", "bytes", (heapBytes()-base)/float64(n), v.Sum(), wantBasic(n).fresh)
	t.add("peak_bytes_per_value", "bytes", (peak-base)/float64(n), v.Sum(), wantBasic(n).fresh)

	for _, d := range removals {
		if !d.few {
			continue
		}
		if err := thin(t, v, d); err != nil {
			return err
		}
		v.Forget()
		sum := v.Sum()
		metric := "left_25" + d.name[len("keep25"):]
		t.add(metric, "bytes", heapBytes()-base, sum, want[d.name])
		if c, ok := v.(clipper); ok && d.name == "keep25_random" {
			c.Clip()
			t.add(metric+"_clip", "bytes", heapBytes()-base, v.Sum(), want[d.name])
		}
	}
	runtime.KeepAlive(v)
	return nil
}

// grow inserts n values into an empty v and returns the most bytes the heap held meanwhile.
func grow(t *trial, v Values) (peak float64, err error) {
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	for k := range growBlocks {
		if err := t.pause(); err != nil {
			return 0, err
		}
		v.Insert(t.n*k/growBlocks, t.n*(k+1)/growBlocks)
		peak = max(peak, heapNow())
	}
	return peak, nil
}
