// Package freelists measures free lists of indices.
package freelists

import (
	"math/bits"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// nearlyFree is the number of free entries in nearly_full.
const nearlyFree = 64

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

func newIndexOwner[I uint8 | uint16 | uint32](n int) owner[I] {
	return newOwner(n, func(i uint32) I { return I(i) }, func(i I) uint32 { return uint32(i) })
}
