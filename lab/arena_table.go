package main

import (
	"runtime"
	"time"
)

// Table is a map of uint64: what arena-map asks for.
type Table interface {
	// New drops everything and makes an empty one with room for as many entries. most is how many
	// there are going to be.
	New(room, most int)
	// Insert makes i the value of keys[i].
	Insert(keys []uint64)
	// Get adds up the values of keys.
	Get(keys []uint64) uint64
	// Churn deletes out[i], and makes next+i the value of in[i], for each of them.
	Churn(out, in []uint64, next uint64)
	// Sum visits all and adds up each key and its value, mixed.
	Sum() uint64
	// OffHeap returns the bytes that it has elsewhere than on Go's heap.
	OffHeap() int
	// Note is what else there is to say of the memory, if anything.
	Note() string
	// Close gives back what the collector does not.
	Close()
}

// mixed is what a key and its value add to a checksum.
func mixed(key, value uint64) uint64 { return key ^ value }

var arenaMap = &workload{
	name:  "arena-map",
	about: "a map from uint64 to uint64, of random keys",
	method: "Time divided by n. insert makes an empty map and inserts; insert_reserved makes one " +
		"with room for n first, which is not timed. get_random finds each key once, in shuffled " +
		"order. churn deletes a random key and inserts a new one, n times, and is the time of " +
		"both. iterate visits all, before churn. bytes_per_entry is what the map holds when n " +
		"have been inserted, on Go's heap and off it, with the tables that it has left behind " +
		"in its arena; bytes_reserved is that of insert_reserved. collect is the time of a " +
		"collection of all garbage with the full map alive, the median of 5, not divided. " +
		"An arena has been used before, as Go's heap has.",
	n: 100_000, quickN: 5_000, maxN: maxValues, nMeans: "entries",
	moreN: []int{1_000_000},
	elems: []int{16}, own: true,
	reps: 5, quickReps: 2,
	budget: 3 * time.Second, implBudget: time.Second,
	key: []string{
		"insert", "insert_reserved", "get_random", "churn", "iterate", "bytes_per_entry",
		"bytes_reserved", "collect",
	},
	runs:  func(im impl) bool { return arenaKitOf(im).Table != nil },
	want:  func(j job) any { return wantTable(j.n) },
	start: func(t *trial) func() error { return func() error { return tableOnce(t) } },
}

var tables = &family{
	id:        "tables",
	workloads: []*workload{arenaMap},
	title:     "What each map is",
	stale:     "A pointer to a value, kept while the map grows",
	impls:     []impl{tableArenaImpl, tableHugeImpl, tableGoImpl},
	baseline:  "map[uint64]uint64",
	subjects:  []string{"arena.Map", "arena.Map huge"},
}

// tableWant is what all implementations share at one size.
type tableWant struct {
	keys  []uint64
	order []uint64 // the same, shuffled
	in    []uint64 // other keys: no generator draws a number twice

	values, full, churned uint64 // checksums
}

func wantTable(n int) *tableWant {
	w := &tableWant{
		keys: make([]uint64, n), order: make([]uint64, n), in: make([]uint64, n),
		values: wantBasic(n).fresh,
	}
	r := rng{seed ^ 10}
	for i := range n {
		w.keys[i], w.in[i] = r.next(), r.next()
		w.full += mixed(w.keys[i], uint64(i))
		w.churned += mixed(w.in[i], uint64(n+i))
	}
	copy(w.order, w.keys)
	shuffle(&r, w.order)
	return w
}

func tableOnce(t *trial) error {
	want := t.want.(*tableWant)
	c := arenaKitOf(t.im).Table()
	defer c.Close()
	each := func(metric string, ns float64, got, want uint64) {
		t.add(metric, "ns", ns/float64(t.n), got, want)
	}
	insert := func(metric, bytes string, room int) error {
		c.New(0, t.n)
		base := heapBytes()
		c.New(room, t.n)
		if t.ctx.Err() != nil {
			return errStopped
		}
		ns := timed(func() { c.Insert(want.keys) })
		sum := c.Sum()
		each(metric, ns, sum, want.full)
		held := max(0, heapBytes()-base+float64(c.OffHeap()))
		t.add(bytes, "bytes", held/float64(t.n), sum, want.full)
		return nil
	}
	if err := insert("insert_reserved", "bytes_reserved", t.n); err != nil {
		return err
	}
	if err := insert("insert", "bytes_per_entry", 0); err != nil {
		return err
	}
	t.note(c.Note())
	collect := batched(5, runtime.GC)
	ns, sum := timedSum(func() uint64 { return c.Get(want.order) })
	each("get_random", ns, sum, want.values)
	ns, sum = timedSum(c.Sum)
	each("iterate", ns, sum, want.full)
	t.add("collect", "ns", collect, sum, want.full)
	ns = timed(func() { c.Churn(want.order, want.in, uint64(t.n)) })
	each("churn", ns, c.Sum(), want.churned)
	return nil
}
