package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

var bump = &measure.Workload{
	Name:  "arena-bump",
	About: "allocate small values one by one, and free all at once",
	Method: "Time of allocating a zeroed value, writing a word to it and reading that of the " +
		"value before. After 8 KiB, all are freed, which is part of the time, and the same " +
		"memory is used again. A million values are allocated in 16 batches, whose median " +
		"counts. new(T) cannot free: the last 8 KiB stay reachable, and the collector does the " +
		"rest.",
	N: 8192, QuickN: 8192, MaxN: 1 << 20, NMeans: "bytes in use at most",
	Elems: []int{16, 64}, Own: true,
	Reps: 7, QuickReps: 2, Warm: true,
	Budget: 1500 * time.Millisecond, ImplBudget: 400 * time.Millisecond,
	Key:   []string{"ns_per_value"},
	Runs:  func(im measure.Impl) bool { return measure.KitOf[Kit](im).Bump != nil },
	Want:  func(j measure.Job) any { return wantBump(j) },
	Start: func(t *measure.Trial) func() error { return func() error { return bumpOnce(t) } },
}

var Bumps = &measure.Family{
	ID:        "bumps",
	Workloads: []*measure.Workload{bump},
	Title:     "The allocators",
	Stale:     "A pointer kept after all is freed",
	Impls: []measure.Impl{
		bumpFixedImpl, bumpChunkedImpl, bumpVirtualImpl, bumpBlocksImpl, bumpTypedImpl,
		bumpSliceImpl, bumpFieldImpl, bumpNewImpl, nukeImpl, moderncImpl,
	},
	Baseline: "slice by index",
	Subjects: []string{
		"New on Fixed", "New on Chunked", "New on Virtual", "Bump on Fixed", "Typed",
	},
}

// bumpValues is the maximum number of values in use.
func bumpValues(j measure.Job) int { return max(1, j.N/j.Elem) }

// bumpRounds is the number of times that a batch allocates all.
func bumpRounds(j measure.Job) int { return max(1, arenaBatch/bumpValues(j)) }

func bumpOnce(t *measure.Trial) error {
	c := measure.KitOf[Kit](t.Impl).Bump(t.Elem)
	n, rounds := bumpValues(t.Job), bumpRounds(t.Job)
	c.New(n)
	defer closing(c)
	if err := t.Pause(); err != nil {
		return err
	}
	sum := c.Fill(1)
	ns := measure.Batched(batches(t.Job), func() { sum += c.Fill(rounds) })
	t.Add("ns_per_value", "ns", ns/float64(n*rounds), sum+c.Check(), t.Want.(uint64))
	return nil
}

// wantBump is the sum of the words that Fill writes, once and in all batches, and of Check.
func wantBump(j measure.Job) uint64 {
	n, words := uint64(bumpValues(j)), uint64(j.Elem/8)
	first := func(n uint64) uint64 { return n * (n + 1) / 2 }
	all := n * uint64(bumpRounds(j))
	return first(n) + uint64(batches(j))*first(all) + words*first(n)
}
