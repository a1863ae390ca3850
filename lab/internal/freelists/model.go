package freelists

import "slices"

// discipline is the order in which a free list pops. The models keep the free entries in that
// order.
type discipline struct {
	// place returns the position of v among the free entries after it is freed.
	place func(free []uint32, v uint32) int
	// sort reorders all entries, in the order of their frees, to the order of their pops.
	sort func(all []uint32)
}

var (
	stackOrder = &discipline{
		place: func([]uint32, uint32) int { return 0 },
		sort:  slices.Reverse[[]uint32],
	}
	queueOrder = &discipline{
		place: func(free []uint32, _ uint32) int { return len(free) },
		sort:  func([]uint32) {},
	}
	lowestOrder = &discipline{
		place: func(free []uint32, v uint32) int {
			i, _ := slices.BinarySearch(free, v)
			return i
		},
		sort: countUp, // they are 0 to n-1, each once
	}
)

// countUp sets v to 0, 1, …
func countUp(v []uint32) {
	for i := range v {
		v[i] = uint32(i)
	}
}

// freeSums holds the checksums of freelist's metrics.
type freeSums struct{ pair, lifo, nearlyFull, random uint64 }

// freeWant is the state that all implementations share at one size.
type freeWant struct {
	order  []uint32
	places *freePlaces
	sums   map[*discipline]freeSums
}

func wantFree(n, turns int) *freeWant {
	w := &freeWant{sums: map[*discipline]freeSums{}}
	w.order, w.places = drawFree(n)
	for _, d := range []*discipline{stackOrder, queueOrder, lowestOrder} {
		batches, rounds := freeRounds(n, turns)
		w.sums[d] = modelFree(n, turns, batches*rounds, d, w)
	}
	return w
}

func modelFree(n, turns, rounds int, d *discipline, w *freeWant) (s freeSums) {
	free := make([]uint32, n)
	countUp(free)

	out := make([]uint32, freeWindow(n))
	for k := range turns {
		v := free[0]
		out[k%len(out)] = v
		// If the position is the first, nothing needs to move.
		if i := d.place(free[1:], v); i > 0 {
			free = slices.Insert(free[1:], i, v)
		}
	}
	s.pair = freeSum(out[:min(turns, len(out))]) + uint64(turns)

	for range rounds {
		s.lifo = freeSum(free)
		slices.Reverse(free)
		d.sort(free)
	}

	spare := freeSpare(n)
	out, free = free[:n-spare], slices.Clone(free[n-spare:])
	for k := range turns {
		p := &out[w.places[k%len(w.places)]]
		free = slices.Insert(free, d.place(free, *p), *p)
		*p = free[0]
		free = slices.Delete(free, 0, 1)
	}
	s.nearlyFull = freeSum(out) + uint64(turns)

	all := slices.Clone(w.order)
	d.sort(all)
	s.random = freeSum(all)
	return s
}

func freeSum(popped []uint32) (sum uint64) {
	for i, v := range popped {
		sum += uint64(i+1) * (uint64(v) + 1)
	}
	return sum
}
