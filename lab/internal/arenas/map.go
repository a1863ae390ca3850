package arenas

import (
	"runtime"
	"time"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

var arenaMap = &measure.Workload{
	Name:  "arena-map",
	About: "a map from uint64 to uint64, with random keys",
	Method: "Time divided by n. insert makes an empty map and inserts; insert_reserved inserts " +
		"into one with room for n, made untimed. get_random finds each key once, in shuffled " +
		"order. churn deletes a random key and inserts a new one, n times, and is the time of " +
		"both. iterate visits all, before churn. bytes_per_entry is the memory of the map after " +
		"n inserts, on Go's heap and off it, with the tables that it has left in its arena; " +
		"bytes_reserved is that of insert_reserved. collect is the time of a garbage collection " +
		"with the full map live, the median of 5, not divided. The memory of an arena has been " +
		"used before, as Go's heap.",
	N: 100_000, QuickN: 5_000, MaxN: collections.MaxValues, NMeans: "entries",
	MoreN: []int{1_000_000}, SlowN: []int{1_000_000},
	Elems: []int{16}, Own: true,
	Reps: 5, QuickReps: 2,
	Budget: 3 * time.Second, ImplBudget: time.Second,
	Key: []string{
		"insert", "insert_reserved", "get_random", "churn", "iterate", "bytes_per_entry",
		"bytes_reserved", "collect",
	},
	Runs:  func(im measure.Impl) bool { return measure.KitOf[Kit](im).Table != nil },
	Want:  func(j measure.Job) any { return wantTable(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return tableOnce(t) } },
}

var Maps = &measure.Family{
	ID:        "tables",
	Workloads: []*measure.Workload{arenaMap},
	Title:     "The maps",
	Stale:     "A pointer to a value, kept while the map grows",
	Impls:     []measure.Impl{tableArenaImpl, tableHugeImpl, tableGoImpl},
	Baseline:  "map[uint64]uint64",
	Subjects:  []string{"arena.Map", "arena.Map huge"},
}

// tableWant is the state that all implementations share at one size.
type tableWant struct {
	keys  []uint64
	order []uint64 // the same, shuffled
	in    []uint64 // other keys, since the generator never repeats a number

	values, full, churned uint64 // checksums
}

func wantTable(n int) *tableWant {
	w := &tableWant{
		keys: make([]uint64, n), order: make([]uint64, n), in: make([]uint64, n),
		values: collections.WantBasic(n).Fresh,
	}
	r := measure.RNG{S: measure.Seed ^ 10}
	for i := range n {
		w.keys[i], w.in[i] = r.Next(), r.Next()
		w.full += mixed(w.keys[i], uint64(i))
		w.churned += mixed(w.in[i], uint64(n+i))
	}
	copy(w.order, w.keys)
	measure.Shuffle(&r, w.order)
	return w
}

func tableOnce(t *measure.Trial) error {
	want := t.Want.(*tableWant)
	c := measure.KitOf[Kit](t.Impl).Table()
	defer closing(c)
	each := func(metric string, ns float64, got, want uint64) {
		t.Add(metric, "ns", ns/float64(t.N), got, want)
	}
	insert := func(metric, bytes string, room int) error {
		c.New(0, t.N)
		base := measure.HeapBytes()
		c.New(room, t.N)
		if t.Ctx.Err() != nil {
			return measure.ErrStopped
		}
		ns := measure.Time(func() { c.Insert(want.keys) })
		sum := c.Sum()
		each(metric, ns, sum, want.full)
		held := max(0, measure.HeapBytes()-base+float64(c.OffHeap()))
		t.Add(bytes, "bytes", held/float64(t.N), sum, want.full)
		return nil
	}
	if err := insert("insert_reserved", "bytes_reserved", t.N); err != nil {
		return err
	}
	if err := insert("insert", "bytes_per_entry", 0); err != nil {
		return err
	}
	t.Note(c.Note())
	collect := measure.Batched(5, runtime.GC)
	ns, sum := measure.TimeSum(func() uint64 { return c.Get(want.order) })
	each("get_random", ns, sum, want.values)
	ns, sum = measure.TimeSum(c.Sum)
	each("iterate", ns, sum, want.full)
	t.Add("collect", "ns", collect, sum, want.full)
	ns = measure.Time(func() { c.Churn(want.order, want.in, uint64(t.N)) })
	each("churn", ns, c.Sum(), want.churned)
	return nil
}
