// Package freelists measures free lists of indices.
package freelists

import (
	"math/bits"
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

// nearlyFree is the number of free entries in nearly_full.
const nearlyFree = 64

// workload is the workload freelist, whose name is taken by the package it measures.
var workload = &measure.Workload{
	Name:  "freelist",
	About: "pop and push the free ones of n entries",
	Method: "Time of one pop and one push together. " +
		"pair repeatedly pops an entry and pushes it back at once. " +
		"lifo pops all n and pushes them back, the last popped first. " +
		"nearly_full pops all but 64 (a quarter, if n is less than 256), then repeatedly " +
		"pushes back a random one of those that are out and pops another instead; the " +
		"choices are drawn beforehand, into a cyclic table of 65 536 indices. " +
		"random is lifo with all pushed back in shuffled order, which is done once before the " +
		"clock starts: the state of a list after long use. " +
		"Each pops a million entries in 16 batches, whose median counts; " +
		"lifo and random use fewer batches for larger lists, and at least one. " +
		"Popped entries are written to a list made beforehand, and those to push " +
		"are read from one. " +
		"bytes_per_entry is the size of a new list on the heap, divided by n; the array " +
		"behind pointers is not counted.",
	N: freeSmall, QuickN: freeSmall, MaxN: freeLarge, NMeans: "entries",
	MoreN: []int{freeMiddle, freeLarge}, MoreQuickN: []int{4096}, SlowN: []int{freeLarge},
	Elems: []int{4}, Own: true,
	Reps: 5, QuickReps: 2,
	Budget: 2 * time.Second, ImplBudget: 400 * time.Millisecond,
	Key:     []string{"pair", "lifo", "nearly_full", "random", "bytes_per_entry"},
	Metrics: measure.Everyone("pair", "lifo", "nearly_full", "random", "bytes_per_entry"),
	Runs:    func(measure.Impl) bool { return true },
	Want:    func(j measure.Job) any { return wantFree(j.N, freeTurns(j)) },
	Start:   func(t *measure.Trial) func() error { return func() error { return freeOnce(t) } },
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

// freeRounds is the number of times that lifo and random go through n entries: batches, and rounds
// in each.
func freeRounds(n, turns int) (batches, rounds int) {
	all := max(1, turns/n)
	batches = min(all, 16)
	return batches, all / batches
}

// freeSpare is the number of entries that nearly_full leaves free.
func freeSpare(n int) int {
	if n < 4*nearlyFree {
		return n / 4
	}
	return nearlyFree
}

// freeWindow is the number of indices that pair writes to in turn: a power of two that fits easily
// in a first-level cache.
func freeWindow(n int) int { return 1 << (bits.Len(uint(min(n, 256))) - 1) }

// freePlaces lists the popped entries that nearly_full pushes back, in a cycle.
type freePlaces [1 << 16]uint32

// drawFree returns the shuffled order of n entries, and the choices of nearly_full.
func drawFree(n int) (order []uint32, places *freePlaces) {
	order = make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	measure.Shuffle(&measure.RNG{S: measure.Seed ^ 7}, order)
	places = new(freePlaces)
	r := measure.RNG{S: measure.Seed ^ 8}
	for k := range places {
		places[k] = uint32(r.Below(uint64(n - freeSpare(n))))
	}
	return order, places
}

// FreeList hands out free entries, for freelist. It keeps the popped ones in a list of its own.
type FreeList interface {
	// New drops the list and makes one of n entries, which pops 0 first, then 1, and so on.
	New()
	// Pair repeatedly pops an entry, writes it to one of the first window indices in turn, and
	// pushes it. It returns the number of pops.
	Pair(pairs, window int) int
	// Drain pops n entries into the first n indices. It returns the number of pops.
	Drain(n int) int
	// Back pushes the entries at the first n indices, the last one first.
	Back(n int)
	// Swap pushes the entry at an index and pops another into it, for each of places. It returns
	// the number of pops.
	Swap(places *freePlaces) int
	// Plan sets the order in which Scatter pushes.
	Plan(order []uint32)
	// Scatter pushes all entries in the planned order.
	Scatter()
	// Sum returns the weighted sum of the entries at the first n indices.
	Sum(n int) uint64
}

// Kit holds the constructors of a free list.
type Kit struct {
	New   func(n int) FreeList
	Gives *discipline // the order in which it pops
}

// kitOf returns the kit of an implementation.
func kitOf(im measure.Impl) Kit {
	k, _ := im.Kit.(Kit)
	return k
}

// owner holds the entries popped from a FreeList, and those to push. V is the type of its entries:
// an index, a pointer, a value.
type owner[V any] struct {
	out    []V
	in     []V
	entry  func(i uint32) V
	number func(v V) uint32 // the inverse of entry
}

// newOwner touches the memory of both lists, so that the first loop does not pay for that. Plan
// writes to in.
func newOwner[V any](n int, entry func(uint32) V, number func(V) uint32) owner[V] {
	o := owner[V]{make([]V, n), make([]V, n), entry, number}
	clear(o.out)
	return o
}

func (o *owner[V]) Plan(order []uint32) {
	for i, v := range order {
		o.in[i] = o.entry(v)
	}
}

func (o *owner[V]) Sum(n int) (sum uint64) {
	for i, v := range o.out[:n] {
		sum += freeTerm(i, o.number(v))
	}
	return sum
}

// freeTerm is the term of a checksum for popping entry v into index i. It is never 0, so that a
// loop that pops nothing is detected.
func freeTerm(i int, v uint32) uint64 { return uint64(i+1) * (uint64(v) + 1) }

// newIndexOwner is newOwner for indices.
func newIndexOwner[I uint8 | uint16 | uint32](n int) owner[I] {
	return newOwner(n, func(i uint32) I { return I(i) }, func(i I) uint32 { return uint32(i) })
}

// newFree makes a list and returns its bytes on the heap. It makes many small ones, since the heap
// varies by some hundred bytes.
func newFree(t *measure.Trial) (l FreeList, bytes float64) {
	lists := make([]FreeList, max(1, 4096/t.N))
	for i := range lists {
		lists[i] = kitOf(t.Impl).New(t.N)
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
	sums := want.sums[kitOf(t.Impl).Gives]
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
