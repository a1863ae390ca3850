package main

import "time"

// closer is a Values that has to give back what the collector does not.
type closer interface {
	Close()
	// Note is what else there is to say of the memory, if anything.
	Note() string
}

var arenaPool = &workload{
	name:  "arena-pool",
	about: "insert, visit, find and remove every value once, in memory of an arena",
	method: "Time of one loop over all n, divided by n. insert inserts into an empty collection " +
		"that was made without room; iterate adds up all values; get_random and " +
		"remove_random go through the shuffled handles. " +
		"Memory off Go's heap is new in each repetition: that the system makes it is in " +
		"insert. All but berth.Pool are judged against berth.Pool.",
	n: 1_000_000, quickN: 2_000, maxN: maxValues, nMeans: "values",
	moreN: []int{10_000},
	elems: []int{32}, own: true,
	reps: 100, quickReps: 2, warm: true,
	budget: 4 * time.Second, implBudget: 800 * time.Millisecond,
	key:   []string{"insert", "iterate", "get_random", "remove_random"},
	runs:  hasValues,
	want:  func(j job) any { return wantBasic(j.n) },
	start: startBacking,
}

var backings = &family{
	id:        "backings",
	workloads: []*workload{arenaPool},
	title:     "What each pool lies in",
	stale:     "A handle to a removed value",
	impls: []impl{
		backedHugeImpl, backedImpl, arenaPoolImpl, arenaHandlesImpl, arenaNarrowImpl, poolImpl,
	},
	baseline: "berth.Pool",
	subjects: []string{
		"Pool huge pages", "Pool 4 KiB pages", "arena.Pool", "arena.Handles",
	},
	against: "berth.Pool",
}

// startBacking draws as startBasic does.
func startBacking(t *trial) func() error {
	r := &rng{seed ^ 1 ^ uint64(t.n)}
	return func() error { return backingOnce(t, r) }
}

func backingOnce(t *trial, r *rng) error {
	n, want := t.n, t.want.(basicSums).fresh
	each := func(metric string, ns float64, got uint64) {
		t.add(metric, "ns", ns/float64(n), got, want)
	}
	v := kitOf(t.im).Values(t.elem)
	v.Keep(n)
	v.New(0)
	if c, ok := v.(closer); ok {
		defer c.Close()
		t.note(c.Note())
	}
	if err := t.pause(); err != nil {
		return err
	}
	ns := timed(func() { v.Insert(0, n) })
	each("insert", ns, v.Sum())
	ns, sum := timedSum(v.Sum)
	each("iterate", ns, sum)
	v.Shuffle(r)
	ns, sum = timedSum(v.Get)
	each("get_random", ns, sum)
	v.Plan(r)
	ns, sum = timedSum(v.Drain)
	each("remove_random", ns, sum)
	return nil
}
