// Package arenas measures arenas, the containers in them, and what Go programs use instead.
package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Each workload of an arena has its own family, since each has other rivals. Those of an Arena
// itself are in bump.go and pages.go, those of its containers in deque.go, vec.go and map.go, and
// berth.Pool in an arena's memory is in pool.go.

// Kit holds the constructors of an implementation. Most have one.
type Kit struct {
	Bump  func(elemBytes int) Bump
	Pages func() Pages
	Queue func() Queue
	Array func() Array
	Table func() Table
}

// kitOf returns the kit of an implementation.
func kitOf(im measure.Impl) Kit {
	k, _ := im.Kit.(Kit)
	return k
}

// bumpElem is a value allocated in an arena.
type bumpElem interface{ [2]uint64 | [8]uint64 }

// Bump hands out zeroed values and frees all at once, for arena-bump.
type Bump interface {
	// New makes one with room for n values.
	New(n int)
	// Fill repeats rounds times: free all, and hand out n values. The k-th value of all, from 1 on,
	// gets k in its first word. It adds up the first words, reading each after the next value is
	// handed out.
	Fill(rounds int) uint64
	// Check frees all, hands out n values, and writes to all of their words. It adds up the words,
	// and a large number for each that was not zero.
	Check() uint64
	// Close releases memory outside Go's heap.
	Close()
}

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
	Key:     []string{"ns_per_value"},
	Metrics: measure.Everyone("ns_per_value"),
	Runs:    func(im measure.Impl) bool { return kitOf(im).Bump != nil },
	Want:    func(j measure.Job) any { return wantBump(j) },
	Start:   func(t *measure.Trial) func() error { return func() error { return bumpOnce(t) } },
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

// The shape of the workloads of arenas: a batch is long enough for the clock, and the median of 16
// batches counts.
const (
	arenaBatches = 16
	arenaBatch   = 1 << 16
)

// batches returns the number of batches of a job.
func batches(j measure.Job) int {
	if j.Quick {
		return 2
	}
	return arenaBatches
}

// bumpValues is the maximum number of values in use.
func bumpValues(j measure.Job) int { return max(1, j.N/j.Elem) }

// bumpRounds is the number of times that a batch allocates all.
func bumpRounds(j measure.Job) int { return max(1, arenaBatch/bumpValues(j)) }

// notZero is what Check adds for a word that is not zero.
const notZero = 1 << 40

func bumpOnce(t *measure.Trial) error {
	c := kitOf(t.Impl).Bump(t.Elem)
	n, rounds := bumpValues(t.Job), bumpRounds(t.Job)
	c.New(n)
	defer c.Close()
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

// checkBump is Check for an implementation that hands out n values by take.
func checkBump[E bumpElem](n int, take func() *E) (sum uint64) {
	out := make([]*E, n)
	for i := range out {
		p := take()
		if p == nil {
			return 0
		}
		for k := range len(*p) {
			if (*p)[k] != 0 {
				sum += notZero
			}
			(*p)[k] = uint64(i + 1)
		}
		out[i] = p
	}
	for _, p := range out {
		for k := range len(*p) {
			sum += (*p)[k]
		}
	}
	return sum
}
