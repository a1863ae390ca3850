package collections

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// growBlocks is the number of parts of the growth between measurements.
const growBlocks = 64

var memory = &measure.Workload{
	Name:  "memory",
	About: "bytes held when full, at most while growing, and when 25 are left of all",
	Method: "Bytes of the Go heap, after two collections, less those before; the list of handles " +
		"is not counted. For the peak the collector is stopped for a 64th of the inserts at a " +
		"time and runs in between: it is the largest heap at the end of such a part. It includes " +
		"what a growing collection copies from and to at once. left_25 is taken after one loop " +
		"over the rest, since a collection may defer closing its holes until then. " +
		"left_25_random_clip is after the call that releases memory (Clip, or slices.Clone), " +
		"where there is one.",
	N: 1_000_000, QuickN: 50_000, MaxN: MaxValues, NMeans: "values",
	Elems: []int{8, 32},
	Reps:  1, QuickReps: 1, Last: true,
	Budget: 8 * time.Second, ImplBudget: 3 * time.Second,
	Key: []string{
		"bytes_per_value", "peak_bytes_per_value",
		"left_25_random", "left_25_first", "left_25_last",
	},
	Runs: HasValues,
	Drawn: measure.Charts{
		TableOnly: func(metric string) bool { return strings.HasSuffix(metric, "_clip") },
	},
	Want:  func(j measure.Job) any { return wantSparse(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return memoryOnce(t) } },
	Expect: func(j measure.Job, want any, metric string) (uint64, bool) {
		if metric == "bytes_per_value" || metric == "peak_bytes_per_value" {
			return WantBasic(j.N).Fresh, true
		}
		which, ok := strings.CutPrefix(metric, "left_25_")
		if !ok {
			return 0, false
		}
		sum, ok := want.(map[string]uint64)["keep25_"+strings.TrimSuffix(which, "_clip")]
		return sum, ok
	},
}

func memoryOnce(t *measure.Trial) error {
	n, want := t.N, t.Want.(map[string]uint64)
	v := KitOf(t.Impl).Values(t.Elem)
	v.Keep(n)
	v.New(0)
	base := measure.HeapBytes()

	peak, err := grow(t, v)
	if err != nil {
		return err
	}
	t.Add(
		"bytes_per_value", "bytes", (measure.HeapBytes()-base)/float64(n), v.Sum(),
		WantBasic(n).Fresh,
	)
	t.Add("peak_bytes_per_value", "bytes", (peak-base)/float64(n), v.Sum(), WantBasic(n).Fresh)

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
		t.Add(metric, "bytes", measure.HeapBytes()-base, sum, want[d.name])
		if c, ok := v.(clipper); ok && d.name == "keep25_random" {
			c.Clip()
			t.Add(metric+"_clip", "bytes", measure.HeapBytes()-base, v.Sum(), want[d.name])
		}
	}
	runtime.KeepAlive(v)
	return nil
}

// grow inserts n values into an empty v and returns the largest heap meanwhile.
func grow(t *measure.Trial, v Values) (peak float64, err error) {
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	for k := range growBlocks {
		if err := t.Pause(); err != nil {
			return 0, err
		}
		v.Insert(t.N*k/growBlocks, t.N*(k+1)/growBlocks)
		peak = max(peak, measure.HeapNow())
	}
	return peak, nil
}
