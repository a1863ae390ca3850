package main

import (
	"runtime"
	"time"
)

// roomValues is how many values each of many small collections holds.
const roomValues = 5

// roomPairs is how often a value of each room is replaced.
const roomPairs = 20

var rooms = &workload{
	name:  "rooms",
	about: "a collection of five values for each of a thousand rooms",
	method: "Bytes of the Go heap for each collection, after two collections of garbage; the " +
		"list of handles is not counted. fill makes each collection and inserts its five values: " +
		"time for each value. visit is one loop over each, in turn: time for each value. churn " +
		"removes a random one and inserts another, 20 times in each: time for a pair.",
	n: 1_000, quickN: 100, maxN: 100_000, nMeans: "collections of five",
	elems: []int{8},
	reps:  3, quickReps: 2,
	budget: 6 * time.Second, implBudget: 2 * time.Second,
	key:   []string{"bytes_each", "fill", "visit", "churn"},
	runs:  hasValues,
	want:  func(j job) any { return wantRooms(j.n) },
	start: func(t *trial) func() error { return func() error { return roomsOnce(t) } },
}

// roomsSums are the sum over all values when they have come, and of those that churn removes.
type roomsSums struct{ full, removed uint64 }

// wantRooms does the same on bare arrays.
func wantRooms(n int) (want roomsSums) {
	r := &rng{seed ^ 9}
	for range n {
		room := [roomValues]uint64{}
		for i := range room {
			room[i] = uint64(i)
			want.full += uint64(i)
		}
		for k := range roomPairs {
			i := r.below(roomValues)
			want.removed += room[i]
			room[i] = uint64(roomValues + k)
		}
	}
	return want
}

func roomsOnce(t *trial) error {
	want := t.want.(roomsSums)
	all := make([]Values, t.n)
	for i := range all {
		all[i] = kitOf(t.im).Values(t.elem)
		all[i].Keep(roomValues)
	}
	base := heapBytes()
	fill := timed(func() {
		for _, v := range all {
			v.New(0)
			v.Insert(0, roomValues)
		}
	})
	if err := t.pause(); err != nil {
		return err
	}
	bytes := heapBytes() - base
	sum := func() (sum uint64) {
		for _, v := range all {
			sum += v.Sum()
		}
		return sum
	}
	n, values := float64(t.n), float64(t.n*roomValues)
	t.add("bytes_each", "bytes", bytes/n, sum(), want.full)
	t.add("fill", "ns", fill/values, sum(), want.full)
	got := want.full
	ns, _ := t.perCall(func() {
		if s := sum(); s != want.full {
			got = s
		}
	})
	t.add("visit", "ns", ns/values, got, want.full)
	r := &rng{seed ^ 9}
	ns, removed := timedSum(func() (removed uint64) {
		for _, v := range all {
			removed += v.Churn(r, roomValues, roomPairs)
		}
		return removed
	})
	t.add("churn", "ns", ns/(n*roomPairs), removed, want.removed)
	runtime.KeepAlive(all)
	return nil
}
