package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// closer is a Values with memory outside Go's heap to release.
type closer interface {
	Close()
	// Note returns a note on the memory, if any.
	Note() string
}

var arenaPool = &measure.Workload{
	Name:  "arena-pool",
	About: "insert, visit, find and remove every value once, in memory of an arena",
	Method: "Time of a loop over all n values, divided by n. insert inserts into an empty " +
		"collection without room; iterate adds up all values; get_random and remove_random go " +
		"through the shuffled handles. Memory off Go's heap is new in each repetition: its first " +
		"touch is in insert.",
	N: 1_000_000, QuickN: 2_000, MaxN: collections.MaxValues, NMeans: "values",
	MoreN: []int{10_000}, SlowN: []int{1_000_000},
	Elems: []int{32}, Own: true,
	Reps: 100, QuickReps: 2, Warm: true,
	Budget: 4 * time.Second, ImplBudget: 800 * time.Millisecond,
	Key:   []string{"insert", "iterate", "get_random", "remove_random"},
	Runs:  collections.HasValues,
	Want:  func(j measure.Job) any { return collections.WantBasic(j.N) },
	Start: startBacking,
}

var Backings = &measure.Family{
	ID:        "backings",
	Workloads: []*measure.Workload{arenaPool},
	Title:     "The pools and their memory",
	Stale:     "A handle to a removed value",
	Impls: []measure.Impl{
		backedHugeImpl, backedImpl, impls.ArenaPool, impls.ArenaHandles, impls.ArenaNarrow,
		impls.Pool,
	},
	Baseline: "berth.Pool",
	Subjects: []string{
		"Pool huge pages", "Pool 4 KiB pages", "arena.Pool", "arena.Handles",
	},
}

// startBacking draws as startBasic does.
func startBacking(t *measure.Trial) func() error {
	r := &measure.RNG{S: measure.Seed ^ 1 ^ uint64(t.N)}
	return func() error { return backingOnce(t, r) }
}

func backingOnce(t *measure.Trial, r *measure.RNG) error {
	n, want := t.N, t.Want.(collections.BasicSums).Fresh
	each := func(metric string, ns float64, got uint64) {
		t.Add(metric, "ns", ns/float64(n), got, want)
	}
	v := collections.KitOf(t.Impl).Values(t.Elem)
	v.Keep(n)
	v.New(0)
	if c, ok := v.(closer); ok {
		defer c.Close()
		t.Note(c.Note())
	}
	if err := t.Pause(); err != nil {
		return err
	}
	ns := measure.Time(func() { v.Insert(0, n) })
	each("insert", ns, v.Sum())
	ns, sum := measure.TimeSum(v.Sum)
	each("iterate", ns, sum)
	v.Shuffle(r)
	ns, sum = measure.TimeSum(v.Get)
	each("get_random", ns, sum)
	v.Plan(r)
	ns, sum = measure.TimeSum(func() uint64 { return v.Drain(0, n) })
	each("remove_random", ns, sum)
	return nil
}
