// Package arenas measures arenas, what lies in them, and what Go programs have in their place.
package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The workloads of arena each have a family: what stands beside an arena is another thing in each.
// Those of an Arena itself are in arena_bump.go and arena_pages.go, those of its containers in
// arena_queue.go, arena_array.go and arena_table.go, and berth.Pool in memory of an arena is in
// arena_backing.go.

// Kit is what stands beside an arena, or is in one: it has one of these, or some.
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

// bumpElem is a value that is taken of an arena.
type bumpElem interface{ [2]uint64 | [8]uint64 }

// Bump hands out zeroed values, and takes back all at once: what arena-bump asks for.
type Bump interface {
	// New makes one with room for n values.
	New(n int)
	// Fill does so many times: take back all, and hand out n values. The k-th of all, from 1 on,
	// gets k for its first word. It adds up the first words, each read when the next value is out.
	Fill(rounds int) uint64
	// Check takes back all, hands out n values, and writes to all of their words. It adds up what
	// they hold, and a lot for each that was not zero.
	Check() uint64
	// Close gives back what the collector does not.
	Close()
}

var bump = &measure.Workload{
	Name:  "arena-bump",
	About: "hand out small values one by one, and take all back at once",
	Method: "Time of handing out a zeroed value, writing a word to it and reading that of the " +
		"value before. When 8 KiB are out, all are taken back, which is part of the time, and " +
		"the same memory goes out again. A million values go out in 16 batches, whose median " +
		"counts. new(T) has no way to take back: the last 8 KiB stay reachable, and the " +
		"collector does the rest.",
	N: 8192, QuickN: 8192, MaxN: 1 << 20, NMeans: "bytes that are out at most",
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
	Title:     "What hands out values",
	Stale:     "A pointer that is kept when all is taken back",
	Impls: []measure.Impl{
		bumpFixedImpl, bumpChunkedImpl, bumpVirtualImpl, bumpBlocksImpl, bumpTypedImpl,
		bumpSliceImpl, bumpFieldImpl, bumpNewImpl, nukeImpl, moderncImpl,
	},
	Baseline: "slice by index",
	Subjects: []string{
		"New on Fixed", "New on Chunked", "New on Virtual", "Bump on Fixed", "Typed",
	},
}

// The shape of the workloads of arena: a batch is long enough for the clock, and of 16 the median
// counts.
const (
	arenaBatches = 16
	arenaBatch   = 1 << 16
)

// batches returns how many batches a job of arena makes.
func batches(j measure.Job) int {
	if j.Quick {
		return 2
	}
	return arenaBatches
}

// bumpValues is how many values are out at most.
func bumpValues(j measure.Job) int { return max(1, j.N/j.Elem) }

// bumpRounds is how often a batch hands out all.
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

// wantBump is the sum of what Fill writes, once and in all batches, and of what Check does.
func wantBump(j measure.Job) uint64 {
	n, words := uint64(bumpValues(j)), uint64(j.Elem/8)
	first := func(n uint64) uint64 { return n * (n + 1) / 2 }
	all := n * uint64(bumpRounds(j))
	return first(n) + uint64(batches(j))*first(all) + words*first(n)
}

// checkBump is Check for who hands out values by take, of which there are n.
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
