package crowds

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// stays is the distance between the values that stay when the crowd leaves: 0.1 % do.
const stays = 1000

var crowdHeld = crowd{64, 8}

var held = &measure.Workload{
	Name:  "shared-memory",
	About: "bytes held when 64 goroutines have inserted, and when 0.1 % stay; one collection",
	Method: "64 goroutines insert n values of 32 bytes with GOMAXPROCS 8, and remove all but one " +
		"in 1000. bytes_full and bytes_left are the bytes of the Go heap before the removals, " +
		"per value, and after them, of all, after two collections and less those before; the " +
		"list of keys is not counted. collect is the time of one collection while all live, the " +
		"median of five. The checksum is that of the values that stay, found by key, and of the " +
		"removals.",
	N: 100_000, QuickN: 2000, MoreN: []int{1_000_000}, SlowN: []int{1_000_000},
	MaxN: 10_000_000, NMeans: "values",
	Elems: []int{32}, Own: true,
	Reps: 5, QuickReps: 1,
	Budget: 2 * time.Second, ImplBudget: time.Second,
	Key: []string{"collect", "bytes_full", "bytes_left"},
	Metrics: func(im measure.Impl) []string {
		if im.Remote != nil {
			return []string{"bytes_full", "bytes_left"}
		}
		return []string{"collect", "bytes_full", "bytes_left"}
	},
	Runs:   runs,
	Want:   func(j measure.Job) any { return wantHeld(j.N) },
	Start:  func(t *measure.Trial) func() error { return func() error { return heldOnce(t) } },
	Expect: expect,
}

func heldOnce(t *measure.Trial) error {
	if err := t.Pause(); err != nil {
		return err
	}
	keys := make([]uint64, t.N)
	base := measure.HeapBytes()
	table := t.Impl.Kit.(Kit).Table()
	crowdHeld.as(func() { insertAll(table, keys) })
	want := t.Want.(map[string]uint64)
	full, sum := max(1, measure.HeapBytes()-base), total(table, keys)
	t.Add("bytes_full", "bytes", full/float64(t.N), sum, want["bytes_full"])
	t.Add("collect", "ns", measure.Batched(5, runtime.GC), sum, want["collect"])
	removed := uint64(0)
	crowdHeld.as(func() { removed = removeMost(table, keys) })
	left := max(1, measure.HeapBytes()-base) // few values can be less than what else changes
	t.Add("bytes_left", "bytes", left, total(table, keys)+removed, want["bytes_left"])
	for i := 0; i < len(keys); i += stays {
		table.Remove(keys[i])
	}
	return t.Ctx.Err()
}

// insertAll inserts the values of all keys, each goroutine those of its part.
func insertAll(table Table, keys []uint64) {
	crowdHeld.do(func(g int) {
		for from, to := crowdHeld.part(g, len(keys)); from < to; from++ {
			keys[from] = table.Insert(wordsOf(uint64(from + 1)))
		}
	})
}

// removeMost removes most values, each goroutine those that its neighbour has inserted, and returns
// how many.
func removeMost(table Table, keys []uint64) uint64 {
	var removed atomic.Uint64
	crowdHeld.do(func(g int) {
		n := uint64(0)
		neighbour := (g + 1) % crowdHeld.goroutines
		for i, to := crowdHeld.part(neighbour, len(keys)); i < to; i++ {
			if i%stays != 0 && table.Remove(keys[i]) {
				n++
			}
		}
		removed.Add(n)
	})
	return removed.Load()
}

// haser is a Table whose Get panics if there is no value.
type haser interface{ Has(key uint64) bool }

// total adds up the values that keys find.
func total(table Table, keys []uint64) (sum uint64) {
	h, loud := table.(haser)
	for _, k := range keys {
		if !loud || h.Has(k) {
			sum += table.Get(k).A
		}
	}
	return sum
}
