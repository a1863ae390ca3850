package main

import "time"

// Array is a sequence of uint64 that grows at its end: what arena-vec asks for.
type Array interface {
	// New drops everything and makes an empty one with room for as many values.
	New(room int)
	// Push pushes 0, …, n-1.
	Push(n int)
	// Sum returns the weighted sum of all.
	Sum() uint64
	// Close gives back what the collector does not.
	Close()
}

var arenaVec = &workload{
	name:  "arena-vec",
	about: "push values at the end, one by one",
	method: "Time of pushing n values, divided by n, the median of 16. push_reserved pushes into " +
		"one that was made with room for n; push_new makes an empty one and pushes, within " +
		"the timed part. What has room is used again and again, be it an arena or a slice.",
	n: 10_000, quickN: 2_000, maxN: maxValues, nMeans: "values",
	elems: []int{8}, own: true,
	reps: 60, quickReps: 2, warm: true,
	budget: time.Second, implBudget: 400 * time.Millisecond,
	key:   []string{"push_reserved", "push_new"},
	runs:  func(im impl) bool { return arenaKitOf(im).Array != nil },
	want:  func(j job) any { return uint64(batches(j)) * weightedSum(0, j.n) },
	start: func(t *trial) func() error { return func() error { return arrayOnce(t) } },
}

var arrays = &family{
	id:        "arrays",
	workloads: []*workload{arenaVec},
	title:     "What each array is",
	stale:     "A pointer to a value, kept while the array grows",
	impls: []impl{
		arrayVirtualImpl, arrayChunkedImpl, arrayAppendImpl, arraySliceImpl, arrayFieldImpl,
	},
	baseline: "append",
	subjects: []string{"arena.Vec", "arena.Append"},
}

func arrayOnce(t *trial) error {
	c := arenaKitOf(t.im).Array()
	defer c.Close()
	for _, m := range []struct {
		name string
		room int
	}{{"push_reserved", t.n}, {"push_new", 0}} {
		c.New(t.n)
		if err := t.pause(); err != nil {
			return err
		}
		var times []float64
		sum := uint64(0)
		for range batches(t.job) {
			if m.room > 0 {
				c.New(m.room)
			}
			times = append(times, timed(func() {
				if m.room == 0 {
					c.New(0)
				}
				c.Push(t.n)
			}))
			sum += c.Sum()
		}
		t.add(m.name, "ns", quantile(times, 0.5)/float64(t.n), sum, t.want.(uint64))
	}
	return nil
}

// sumArray is Sum of a slice.
func sumArray(s []uint64) (sum uint64) {
	for i, v := range s {
		sum += weighted(i, v)
	}
	return sum
}
