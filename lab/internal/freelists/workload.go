package freelists

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The sizes of freelist. The entries of the first fit in bytes, those of the second in half-words,
// and the third exceeds every cache.
const (
	freeSmall  = 256
	freeMiddle = 65_536
	freeLarge  = 16_777_216
)

// workload is the workload freelist, whose name is taken by the package it measures.
var workload = &measure.Workload{
	Name:  "freelist",
	About: "pop and push the free ones of n entries",
	Method: "Time of one pop and one push together. pair repeatedly pops an entry and pushes it " +
		"back at once. lifo pops all n and pushes them back, the last popped first. nearly_full " +
		"pops all but 64 (a quarter, if n is less than 256), then repeatedly pushes back a " +
		"random one of those that are out and pops another instead; the choices are drawn " +
		"beforehand, into a cyclic table of 65 536 indices. random is lifo with all pushed back " +
		"in shuffled order, which is done once before the clock starts: the state of a list " +
		"after long use. Each pops a million entries in 16 batches, whose median counts; lifo " +
		"and random use fewer batches for larger lists, and at least one. Popped entries are " +
		"written to a list made beforehand, and those to push are read from one. bytes_per_entry " +
		"is the size of a new list on the heap, divided by n; the array behind pointers is not " +
		"counted.",
	N: freeSmall, QuickN: freeSmall, MaxN: freeLarge, NMeans: "entries",
	MoreN: []int{freeMiddle, freeLarge}, MoreQuickN: []int{4096}, SlowN: []int{freeLarge},
	Elems: []int{4}, Own: true,
	Reps: 5, QuickReps: 2,
	Budget: 2 * time.Second, ImplBudget: 400 * time.Millisecond,
	Key:   []string{"pair", "lifo", "nearly_full", "random", "bytes_per_entry"},
	Runs:  func(measure.Impl) bool { return true },
	Want:  func(j measure.Job) any { return wantFree(j.N, freeTurns(j)) },
	Start: func(t *measure.Trial) func() error { return func() error { return freeOnce(t) } },
}

// Family is the family of free lists of indices, packed indices, pointers or values.
var Family = &measure.Family{
	ID:        "free-lists",
	Workloads: []*measure.Workload{workload},
	Title:     "The free lists",
	Stale:     "A double free",
	Impls: []measure.Impl{
		stack8Impl, stack16Impl, stack32Impl, stackPointersImpl, stackTilesImpl,
		packedImpl, packed24Impl, checkedImpl, checkedPointersImpl, lowestImpl,
		linkedImpl, bareSliceImpl, chanImpl,
	},
	Baseline: "linked list",
	Subjects: []string{"Stack[uint32]"},
}

// freeTurns is the number of entries popped and pushed in each metric.
func freeTurns(j measure.Job) int {
	if j.Quick {
		return len(freePlaces{})
	}
	return 16 * len(freePlaces{})
}

// newFree makes a list and returns its bytes on the heap. It makes many small ones, since the heap
// varies by some hundred bytes.
func newFree(t *measure.Trial) (l FreeList, bytes float64) {
	lists := make([]FreeList, max(1, 4096/t.N))
	for i := range lists {
		lists[i] = measure.KitOf[Kit](t.Impl).New(t.N)
	}
	base := measure.HeapBytes()
	for _, l := range lists {
		l.New()
	}
	bytes = measure.HeapBytes() - base
	return lists[0], bytes / float64(len(lists))
}

// freeOnce does one repetition: it makes a list and measures all metrics in turn.
func freeOnce(t *measure.Trial) error {
	if err := t.Pause(); err != nil { // frees the previous list before the next one is made
		return err
	}
	n, turns, walk := t.N, freeTurns(t.Job), len(freePlaces{})
	batches, rounds := freeRounds(n, turns)
	want := t.Want.(*freeWant)
	sums := want.sums[measure.KitOf[Kit](t.Impl).Gives]
	l, bytes := newFree(t)

	popped := 0
	ns := measure.Batched(turns/walk, func() { popped += l.Pair(walk, freeWindow(n)) })
	sum := l.Sum(min(popped, freeWindow(n))) + uint64(popped)
	t.Add("pair", "ns", ns/float64(walk), sum, sums.pair)

	// all repeats a loop over all entries as often as the metric needs.
	all := func(f func()) float64 {
		return measure.Batched(batches, func() {
			for range rounds {
				f()
			}
		}) / float64(rounds) / float64(n)
	}
	if err := t.Pause(); err != nil {
		return err
	}
	ns = all(func() {
		popped = l.Drain(n)
		l.Back(popped)
	})
	lifo := l.Sum(popped)
	t.Add("lifo", "ns", ns, lifo, sums.lifo)

	if err := t.Pause(); err != nil {
		return err
	}
	out := l.Drain(n - freeSpare(n))
	popped = 0
	ns = measure.Batched(turns/walk, func() { popped += l.Swap(want.places) })
	t.Add("nearly_full", "ns", ns/float64(walk), l.Sum(out)+uint64(popped), sums.nearlyFull)

	l.Drain(freeSpare(n))
	l.Plan(want.order)
	l.Scatter()
	if err := t.Pause(); err != nil {
		return err
	}
	ns = all(func() {
		popped = l.Drain(n)
		l.Scatter()
	})
	t.Add("random", "ns", ns, l.Sum(popped), sums.random)
	t.Add("bytes_per_entry", "bytes", bytes/float64(n), lifo, sums.lifo)
	return nil
}
