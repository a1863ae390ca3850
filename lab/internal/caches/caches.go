// Package caches measures caches that evict the entry that was not used for longest.
package caches

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Cache has a value for each key of at most as many as it was made for.
type Cache interface {
	// Add adds a key, or changes its value, and makes it the one used last.
	Add(key, value uint64)
	// Get returns the value of a key, and makes it the one used last. It returns 0 if it is not
	// there.
	Get(key uint64) uint64
	// Len returns the number of keys.
	Len() int
}

// Kit makes the empty Cache of an implementation, for at most n entries.
type Kit func(n int) Cache

// gets is the number of lookups in a loop.
const gets = 1 << 16

// collects is the number of garbage collections, whose median counts.
const collects = 5

var lru = &measure.Workload{
	Name:  "lru",
	About: "a cache that evicts the entry that was not used for longest",
	Method: "A cache of n entries, from a number to a number, with a Go map of its keys. " +
		"bytes_per_entry is its heap when n were added in random order, and collect the " +
		"median of 5 garbage collections then. Before the others, entries come and go in " +
		"random order. get finds keys that are there, most of which are frequent, by a Zipf " +
		"distribution of exponent 1.1: time per lookup. add adds n new keys, each of which " +
		"evicts one: time per key. The checksum is that of the values found; that of get " +
		"includes the entries that stay when half as many others are added.",
	N: 10_000, QuickN: 500, MoreN: []int{1_000_000}, SlowN: []int{1_000_000},
	MaxN: 10_000_000, NMeans: "entries",
	Elems: []int{16}, Own: true,
	Reps: 15, QuickReps: 2, Warm: true,
	Budget: 6 * time.Second, ImplBudget: 2 * time.Second,
	Key:   []string{"add", "get", "collect", "bytes_per_entry"},
	Runs:  func(im measure.Impl) bool { _, ok := im.Kit.(Kit); return ok },
	Want:  func(j measure.Job) any { return wantCache(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return once(t) } },
}

// weighted is the part of key i, of value i+1, in a checksum.
func weighted(i int) uint64 { return uint64(i+1) * uint64(i+1) }

// want has the checksums, and the choices at random.
type want struct {
	order     []uint32 // all keys
	keys      []uint32 // of a loop of get
	all       uint64   // the entries of all keys
	get, stay uint64   // what the loop finds, and what stays after it
}

func wantCache(n int) *want {
	w := &want{order: make([]uint32, n), keys: make([]uint32, gets)}
	used := make([]int, n) // when each key was used last
	for i := range w.order {
		w.order[i] = uint32(i)
		w.all += weighted(i)
	}
	measure.Shuffle(&measure.RNG{S: measure.Seed ^ 17}, w.order)
	for k, i := range w.order {
		used[i] = k - n
	}
	z := rand.NewZipf(rand.New(rand.NewPCG(measure.Seed, 17)), 1.1, 8, uint64(n-1))
	for k := range w.keys {
		i := w.order[z.Uint64()]
		w.keys[k] = i
		w.get += uint64(i + 1)
		used[i] = k
	}
	last := slices.Clone(w.order)
	slices.SortFunc(last, func(a, b uint32) int { return used[a] - used[b] })
	for _, i := range last[n/2:] {
		w.stay += weighted(int(i))
	}
	return w
}

func once(t *measure.Trial) error {
	w := t.Want.(*want)
	base := measure.HeapBytes()
	c := t.Impl.Kit.(Kit)(t.N)
	for _, i := range w.order {
		c.Add(uint64(i), uint64(i)+1)
	}
	bytes := measure.HeapBytes() - base
	ns := measure.Batched(collects, runtime.GC)
	all := sum(c, 0, t.N)
	t.Add("bytes_per_entry", "bytes", bytes/float64(t.N), all, w.all)
	t.Add("collect", "ns", ns, all, w.all)

	age(c, w.order)
	if err := t.Pause(); err != nil {
		return err
	}
	var found uint64
	ns, _ = t.PerCall(func() { found = find(c, w.keys) })
	next := t.N
	for range t.N / 2 {
		c.Add(uint64(next), 1)
		next++
	}
	t.Add("get", "ns", ns/gets, 3*found+sum(c, 0, t.N), 3*w.get+w.stay)

	if err := t.Pause(); err != nil {
		return err
	}
	ns, _ = t.PerCall(func() {
		for i := range uint64(t.N) {
			c.Add(uint64(next), i+1)
			next++
		}
	})
	all = sum(c, next-t.N, t.N) + sum(c, 0, next-t.N) + uint64(c.Len())
	t.Add("add", "ns", ns/float64(t.N), all, w.all+uint64(t.N))
	return nil
}

// sum looks up n keys from first on.
func sum(c Cache, first, n int) (sum uint64) {
	for i := range n {
		sum += uint64(i+1) * c.Get(uint64(first+i))
	}
	return sum
}

func find(c Cache, keys []uint32) (sum uint64) {
	for _, i := range keys {
		sum += c.Get(uint64(i))
	}
	return sum
}

// age lets entries come and go, so that those that follow each other do not lie side by side. In
// the end the keys of order were used in that order.
func age(c Cache, order []uint32) {
	r := &measure.RNG{S: measure.Seed ^ 18}
	n := uint64(len(order))
	for range 2 {
		for _, i := range order {
			c.Add(n+r.Below(n), 1)
			c.Add(uint64(i), 1)
		}
	}
	for _, i := range order {
		c.Add(uint64(i), uint64(i)+1)
	}
}
