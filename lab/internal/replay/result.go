package replay

import (
	"math"
	"slices"
	"time"
)

// Result is the result of a replay. Durations are nanoseconds in JSON.
type Result struct {
	Frames     int           `json:"frames"`
	Ops        int           `json:"ops"`
	Counts     Counts        `json:"counts"`
	Tracks     []Track       `json:"tracks"`
	Frame      time.Duration `json:"frame_budget_ns"`
	Rounds     int           `json:"rounds"`
	Noise      Noise         `json:"noise"`
	Itself     Times         `json:"itself"`      // the cost of the replay without a container
	EmptyGC    time.Duration `json:"empty_gc_ns"` // a garbage collection with no container
	Containers []*Figures    `json:"containers"`  // in order of p99
	Spent      *Spent        `json:"spent"`       // of the recommended container
	Advice     Advice        `json:"advice"`
	Notes      []string      `json:"notes,omitempty"`
}

// Noise is the relative excess of the median time of each frame over its minimum of all rounds, for
// the median container. For garbage collections it is the excess of the median over the minimum.
type Noise struct {
	P99   float64 `json:"p99"`
	Worst float64 `json:"worst"`
	GC    float64 `json:"gc"`
}

// Figures are the measurements of one container.
type Figures struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Stale   string `json:"stale"`   // what a stale handle does
	Safe    bool   `json:"safe"`    // it finds nothing
	Forever bool   `json:"forever"` // and never will
	Pinned  bool   `json:"pinned"`  // values do not move while they live
	Naive   bool   `json:"naive"`   // plain Go
	Ours    bool   `json:"ours"`
	Times
	// GC is the time of a garbage collection at the peak: the minimum of several that are forced at
	// the end of the frame with the most live bytes.
	GC time.Duration `json:"gc_ns"`
	// Objects is the number of heap objects at that time.
	Objects     int64   `json:"objects"`
	Peak        int64   `json:"peak_bytes"` // the maximum over the frames measured
	End         int64   `json:"end_bytes"`
	Allocs      uint64  `json:"allocs"`
	AllocBytes  uint64  `json:"alloc_bytes"`
	FrameAllocs float64 `json:"allocs_per_frame"`
	FrameBytes  float64 `json:"alloc_bytes_per_frame"`
	StaleFound  int     `json:"stale_found"` // of Counts.Misses
	Noise       Noise   `json:"noise"`
}

// Times are those of the frames. The time of a frame is its median over all rounds. If there are
// several frames, the first is excluded: a program fills its containers there, and may take longer.
type Times struct {
	First time.Duration `json:"first_ns"`
	P50   time.Duration `json:"p50_ns"`
	P99   time.Duration `json:"p99_ns"`
	Worst time.Duration `json:"worst_ns"`
	Total time.Duration `json:"total_ns"` // includes the first frame
	// WorstOfAll is the worst frame of any round. It includes pauses of the machine.
	WorstOfAll time.Duration `json:"worst_of_all_ns"`
}

// The assumed noise after a single round. The noise of the worst frame is unknown then, since it
// may be a pause of the machine.
const (
	unknownNoise = 0.30
	unknownWorst = 1
)

// summary computes Times from the rounds. With an even number of rounds, the median is the lower of
// the two middle times, since disturbances only lengthen a replay.
func summary(rounds [][]float32) (t Times, n Noise) {
	frames, k := len(rounds[0]), len(rounds)
	if frames == 0 {
		return t, n
	}
	// By frame: the minimum, the median, and with an even number of rounds the upper middle.
	least, mid, high := make([]float32, frames), make([]float32, frames), make([]float32, frames)
	one := make([]float32, k)
	for f := range frames {
		for i := range rounds {
			one[i] = rounds[i][f]
		}
		slices.Sort(one)
		least[f], mid[f], high[f] = one[0], one[(k-1)/2], one[k/2]
		t.Total += time.Duration(mid[f])
		if f > 0 || frames == 1 {
			t.WorstOfAll = max(t.WorstOfAll, time.Duration(one[k-1]))
		}
	}
	t.First = time.Duration(mid[0])
	if frames > 1 {
		least, mid, high = least[1:], mid[1:], high[1:]
	}
	slices.Sort(least)
	slices.Sort(mid)
	slices.Sort(high)
	last := len(mid) - 1
	t.P50, t.P99, t.Worst = at(mid, 0.50), at(mid, 0.99), time.Duration(mid[last])
	if k == 1 {
		return t, Noise{P99: unknownNoise, Worst: unknownWorst}
	}
	n.P99 = above(at(high, 0.99), at(least, 0.99))
	n.Worst = above(time.Duration(high[last]), time.Duration(least[last]))
	return t, n
}

// shortest returns the minimum of some times, and the relative excess of the median.
func shortest(times []time.Duration) (least time.Duration, noise float64) {
	if len(times) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[0], above(sorted[len(sorted)/2], sorted[0])
}

// above returns by how much a exceeds b, relative to b.
func above(a, b time.Duration) float64 { return float64(a-b) / float64(max(1, b)) }

// at returns the smallest time that is not below the given part of all.
func at(sorted []float32, part float64) time.Duration {
	i := int(math.Ceil(part*float64(len(sorted)))) - 1
	return time.Duration(sorted[max(0, i)])
}

// Spent is how a container's time is divided, in parts of 1.
type Spent struct {
	Container string  `json:"container"`
	Passes    float64 `json:"passes"`
	Lookups   float64 `json:"lookups"`
	Changes   float64 `json:"inserts_and_removals"`
}

// newSpent computes the parts from the time of the whole, of the passes, and of inserts and
// removals. A negative rest is noise.
func newSpent(name string, whole, passes, changes time.Duration, c Counts) *Spent {
	lookups := max(0, whole-passes-changes)
	if c.Gets+c.Misses == 0 {
		lookups = 0
	}
	sum := float64(max(1, passes+lookups+changes))
	return &Spent{name, float64(passes) / sum, float64(lookups) / sum, float64(changes) / sum}
}

// Advice recommends a container. choose.go describes the rule.
type Advice struct {
	Take string `json:"take"` // empty if no container meets the conditions
	// Reason is the measure by which Take is clearly better than berth.Pool, or if Take is
	// berth.Pool, than the best of the clearly worse ones: "missed frame", "frame p99", "worst
	// frame", "collection", "memory", "allocations"; "none" if there is no such measure.
	Reason   string `json:"reason"`
	RunnerUp string `json:"runner_up"` // the recommendation if Take did not exist
	// RunnerUpReason is the first measure by which Take is clearly better than RunnerUp.
	RunnerUpReason string   `json:"runner_up_reason"`
	Equal          []string `json:"equal"`   // no measure distinguishes them from Take
	Matters        bool     `json:"matters"` // whether any measure distinguishes two candidates
	Noisy          bool     `json:"noisy"`   // whether the times were too noisy to decide
	// Sentences are the recommendation with its reason, the figures, and the caveats.
	Sentences [3]string `json:"sentences"`
}
