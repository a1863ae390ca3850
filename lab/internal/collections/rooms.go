package collections

import (
	"runtime"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// roomValues is the number of values in each small collection.
const roomValues = 5

// roomPairs is the number of times that a value of each room is replaced.
const roomPairs = 20

var rooms = &measure.Workload{
	Name:  "rooms",
	About: "a thousand collections of five values",
	Method: "Bytes of the Go heap for each collection, after two garbage collections; the " +
		"list of handles is not counted. fill makes each collection and inserts its five values: " +
		"time per value. visit is one loop over each, in turn: time per value. churn " +
		"removes a random one and inserts another, 20 times in each: time per pair.",
	N: 1_000, QuickN: 100, MaxN: 100_000, NMeans: "collections of five",
	Elems: []int{8},
	Reps:  3, QuickReps: 2,
	Budget: 6 * time.Second, ImplBudget: 2 * time.Second,
	Key:   []string{"bytes_each", "fill", "visit", "churn"},
	Runs:  HasValues,
	Want:  func(j measure.Job) any { return wantRooms(j.N) },
	Start: func(t *measure.Trial) func() error { return func() error { return roomsOnce(t) } },
}

// roomsSums holds the sum of all inserted values, and of those that churn removes.
type roomsSums struct{ full, removed uint64 }

// wantRooms does the same on bare arrays.
func wantRooms(n int) (want roomsSums) {
	r := &measure.RNG{S: measure.Seed ^ 9}
	for range n {
		room := [roomValues]uint64{}
		for i := range room {
			room[i] = uint64(i)
			want.full += uint64(i)
		}
		for k := range roomPairs {
			i := r.Below(roomValues)
			want.removed += room[i]
			room[i] = uint64(roomValues + k)
		}
	}
	return want
}

func roomsOnce(t *measure.Trial) error {
	want := t.Want.(roomsSums)
	all := make([]Values, t.N)
	for i := range all {
		all[i] = KitOf(t.Impl).Values(t.Elem)
		all[i].Keep(roomValues)
	}
	base := measure.HeapBytes()
	fill := measure.Time(func() {
		for _, v := range all {
			v.New(0)
			v.Insert(0, roomValues)
		}
	})
	if err := t.Pause(); err != nil {
		return err
	}
	bytes := measure.HeapBytes() - base
	sum := func() (sum uint64) {
		for _, v := range all {
			sum += v.Sum()
		}
		return sum
	}
	n, values := float64(t.N), float64(t.N*roomValues)
	t.Add("bytes_each", "bytes", bytes/n, sum(), want.full)
	t.Add("fill", "ns", fill/values, sum(), want.full)
	got := want.full
	ns, _ := t.PerCall(func() {
		if s := sum(); s != want.full {
			got = s
		}
	})
	t.Add("visit", "ns", ns/values, got, want.full)
	r := &measure.RNG{S: measure.Seed ^ 9}
	ns, removed := measure.TimeSum(func() (removed uint64) {
		for _, v := range all {
			removed += v.Churn(r, roomValues, roomPairs)
		}
		return removed
	})
	t.Add("churn", "ns", ns/(n*roomPairs), removed, want.removed)
	runtime.KeepAlive(all)
	return nil
}
