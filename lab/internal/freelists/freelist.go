// Package freelists measures what hands out indices, and takes them back.
package freelists

import (
	"math/bits"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The sizes of freelist: bytes number the entries of the first, half-words those of the second, and
// the third is beyond every cache.
const (
	freeSmall  = 256
	freeMiddle = 65_536
	freeLarge  = 16_777_216
)

// nearlyFree is how many entries are free in nearly_full.
const nearlyFree = 64

// freelist has the name of its workload with "Work" behind it, since the package that it
// measures is called freelist too.
var workload = &measure.Workload{
	Name:  "freelist",
	About: "hand out which of n entries is free",
	Method: "Time of one pop and one push together. " +
		"pair pops an entry and pushes it back at once, over and over. " +
		"lifo pops all n and pushes them back, the last popped first. " +
		"nearly_full pops all but 64 (a quarter, if n is less than 256), then over and over " +
		"pushes back a random one of those that are out and pops another in its stead; which " +
		"ones is drawn beforehand, into a table of 65 536 places that is walked round. " +
		"random is lifo with all pushed back in a shuffled order, as they were once before the " +
		"clock starts: what a list comes to that is long in use. " +
		"In each, a million entries go out in 16 batches, whose median counts; " +
		"lifo and random go through larger lists in fewer, and once at least. " +
		"The entries popped are written into a list that was made before, and those to push " +
		"are read from one. " +
		"bytes_per_entry is what a new list adds to the heap, divided by n; the array " +
		"that pointers point into is not counted.",
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

// Family is what hands out indices, packed indices, pointers or values.
var Family = &measure.Family{
	ID:        "free-lists",
	Workloads: []*measure.Workload{workload},
	Title:     "What each free list is",
	Stale:     "Freeing what is free already",
	Impls: []measure.Impl{
		stack8Impl, stack16Impl, stack32Impl, stackPointersImpl, stackTilesImpl,
		packedImpl, packed24Impl, checkedImpl, checkedPointersImpl, lowestImpl,
		linkedImpl, bareSliceImpl, chanImpl,
	},
	Baseline: "linked list",
	Subjects: []string{"Stack[uint32]"},
}

// freeTurns is how many entries go out and back again in each metric.
func freeTurns(j measure.Job) int {
	if j.Quick {
		return len(freePlaces{})
	}
	return 16 * len(freePlaces{})
}

// freeRounds is how often lifo and random go through n entries: batches, and rounds in each.
func freeRounds(n, turns int) (batches, rounds int) {
	all := max(1, turns/n)
	batches = min(all, 16)
	return batches, all / batches
}

// freeSpare is how many entries nearly_full leaves free.
func freeSpare(n int) int {
	if n < 4*nearlyFree {
		return n / 4
	}
	return nearlyFree
}

// freeWindow is how many places of the list of popped entries pair writes to, in turn: a power of
// two, and no more than a processor's first cache holds easily.
func freeWindow(n int) int { return 1 << (bits.Len(uint(min(n, 256))) - 1) }

// freePlaces says which of the popped entries nearly_full pushes back, in a walk round all of it.
type freePlaces [1 << 16]uint32

// drawFree returns the shuffled order of n entries, and the places of nearly_full.
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

// FreeList hands out which of n entries is free: what freelist asks for. It keeps what it has
// handed out in a list of its own.
type FreeList interface {
	// New drops the list and makes one of all entries, that hands out 0 first, then 1, and so on.
	New()
	// Pair pops an entry, writes it to one of the first window places in turn, and pushes it, over
	// and over. It returns how many it popped.
	Pair(pairs, window int) int
	// Drain pops n entries into the first n places. It returns how many it popped.
	Drain(n int) int
	// Back pushes the entries of the first n places, the last one first.
	Back(n int)
	// Swap pushes the entry of a place and pops another into it, for each of places. It returns how
	// many it popped.
	Swap(places *freePlaces) int
	// Plan sets in which order Scatter pushes.
	Plan(order []uint32)
	// Scatter pushes all entries in the planned order.
	Scatter()
	// Sum returns the weighted sum of the entries of the first n places.
	Sum(n int) uint64
}

// Kit is what a free list has.
type Kit struct {
	New   func(n int) FreeList
	Gives *discipline // what it hands out next
}

// kitOf returns the kit of an implementation.
func kitOf(im measure.Impl) Kit {
	k, _ := im.Kit.(Kit)
	return k
}

// owner holds what a FreeList handed out, and what it is to be given back. V is what the list deals
// in: an index, a pointer, a value.
type owner[V any] struct {
	out    []V
	in     []V
	entry  func(i uint32) V
	number func(v V) uint32 // undoes entry
}

// newOwner touches the memory of both lists, lest the first loop pay for that. Plan writes to in.
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

// freeTerm is what entry v adds to a checksum if it was popped into place i. It is never 0, so that
// a loop that pops nothing is found.
func freeTerm(i int, v uint32) uint64 { return uint64(i+1) * (uint64(v) + 1) }

// newIndexOwner is newOwner for who deals in indices.
func newIndexOwner[I uint8 | uint16 | uint32](n int) owner[I] {
	return newOwner(n, func(i uint32) I { return I(i) }, func(i I) uint32 { return uint32(i) })
}

// newFree makes a list and returns how many bytes of the heap that took. Of small ones it makes
// many, since some hundred bytes come and go by themselves.
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

// freeOnce does one repetition: a list is made, and goes through all metrics in turn.
func freeOnce(t *measure.Trial) error {
	if err := t.Pause(); err != nil { // the list before this one goes, before there are two
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

	// all runs a loop over all entries as often as it takes.
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
