package freelists

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

func TestDisciplines(t *testing.T) {
	freed := []uint32{3, 0, 4, 1, 2}
	for _, tc := range []struct {
		name string
		d    *discipline
		want []uint32
	}{
		{"stack", stackOrder, []uint32{2, 1, 4, 0, 3}},
		{"queue", queueOrder, []uint32{3, 0, 4, 1, 2}},
		{"lowest", lowestOrder, []uint32{0, 1, 2, 3, 4}},
	} {
		var one []uint32
		for _, v := range freed {
			one = slices.Insert(one, tc.d.place(one, v), v)
		}
		if !slices.Equal(one, tc.want) {
			t.Errorf("%s, one by one: got %v, want %v", tc.name, one, tc.want)
		}
		all := slices.Clone(freed)
		tc.d.sort(all)
		if !slices.Equal(all, tc.want) {
			t.Errorf("%s, all at once: got %v, want %v", tc.name, all, tc.want)
		}
	}
}

// sumOf is an independent freeSum.
func sumOf(popped ...int) (sum uint64) {
	for i, v := range popped {
		sum += uint64((i + 1) * (v + 1))
	}
	return sum
}

// Four entries, of which nearly_full leaves one: 3 turns, and lifo twice.
func TestFreeModelByHand(t *testing.T) {
	w := &freeWant{order: []uint32{2, 0, 3, 1}, places: &freePlaces{1, 0, 1}}
	for _, tc := range []struct {
		name string
		d    *discipline
		want freeSums
	}{
		// Always 0. lifo changes nothing: 0 1 2 are out, and come back at once.
		{"stack", stackOrder, freeSums{
			pair: sumOf(0, 0, 0) + 3, lifo: sumOf(0, 1, 2, 3), nearlyFull: sumOf(0, 1, 2) + 3, random: sumOf(1, 3, 0, 2),
		}},
		// 0 1 2 go round, which leaves 3 0 1 2; then comes lifo, twice, of which the second pops
		// 2 1 0 3, so that it is as before. 3 0 1 are out, 2 is free: 0 goes for 2, 3 for 0, 2 for 3.
		{"queue", queueOrder, freeSums{
			pair: sumOf(0, 1, 2) + 3, lifo: sumOf(2, 1, 0, 3), nearlyFull: sumOf(0, 3, 1) + 3, random: sumOf(2, 0, 3, 1),
		}},
		// 0 1 2 are out: each is lower than 3.
		{"lowest", lowestOrder, freeSums{
			pair: sumOf(0, 0, 0) + 3, lifo: sumOf(0, 1, 2, 3), nearlyFull: sumOf(0, 1, 2) + 3, random: sumOf(0, 1, 2, 3),
		}},
	} {
		if got := modelFree(4, 3, 2, tc.d, w); got != tc.want {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
	one := &freeWant{order: []uint32{0}, places: new(freePlaces)}
	for _, d := range []*discipline{stackOrder, queueOrder, lowestOrder} {
		if got, want := modelFree(1, 2, 1, d, one), (freeSums{1 + 2, 1, 1 + 2, 1}); got != want {
			t.Errorf("one entry: got %+v, want %+v", got, want)
		}
	}
}

func TestFreeShape(t *testing.T) {
	for _, n := range []int{1, 2, 3, 64, 255, 256, 257, 1 << 16} {
		if s := freeSpare(n); s < 0 || s >= n || s > n/4 || s > nearlyFree {
			t.Errorf("freeSpare(%d) = %d", n, s)
		}
		if w := freeWindow(n); w > n || w > 256 || w&(w-1) != 0 || len(freePlaces{})%w != 0 {
			t.Errorf("freeWindow(%d) = %d", n, w)
		}
		order, places := drawFree(n)
		if int(slices.Max(places[:])) >= n-freeSpare(n) {
			t.Errorf("n=%d: place %d is not popped", n, slices.Max(places[:]))
		}
		slices.Sort(order)
		for i, v := range order {
			if int(v) != i {
				t.Fatalf("n=%d: the order lacks %d", n, i)
			}
		}
	}
	for _, tc := range []struct{ n, turns, batches, rounds int }{
		{1, 1 << 20, 16, 1 << 16}, {256, 1 << 20, 16, 256}, {65_536, 1 << 20, 16, 1}, {100_000, 1 << 20, 10, 1}, {1 << 24, 1 << 20, 1, 1},
	} {
		if b, r := freeRounds(tc.n, tc.turns); b != tc.batches || r != tc.rounds {
			t.Errorf("freeRounds(%d, %d) = %d, %d; want %d, %d", tc.n, tc.turns, b, r, tc.batches, tc.rounds)
		}
	}
}

// A tile and an item are identified by their numbers, as indices are.
func TestEntriesKeepTheirNumbers(t *testing.T) {
	for _, i := range []uint32{0, 1, 255, 256, 65_535, 65_536, freeLarge - 1} {
		if got := tileOf(i).index(); got != i {
			t.Errorf("tile %d has the number %d", i, got)
		}
	}
	o := newItemOwner(newItems(3))
	if got := o.number(o.entry(2)); got != 2 {
		t.Errorf("item 2 has the number %d", got)
	}
}

// Each of these free lists has one defect.
type (
	idleFree      struct{ bareSliceList } // does nothing
	losingFree    struct{ bareSliceList } // loses the first pushed entry
	doublingFree  struct{ bareSliceList } // pops its last but one twice, and never the last
	unswappedFree struct{ bareSliceList } // drops a single pushed entry
	forwardFree   struct{ bareSliceList } // keeps another order
)

func (c *idleFree) Pair(int, int) int { return 0 }

func (c *idleFree) Drain(int) int { return 0 }

func (c *idleFree) Back(int) {}

func (c *idleFree) Swap(*freePlaces) int { return 0 }

func (c *idleFree) Scatter() {}

func (c *losingFree) New() {
	c.bareSliceList.New()
	c.s = c.s[1:]
}

func (c *doublingFree) New() {
	c.bareSliceList.New()
	c.s[0] = c.s[1]
}

func (c *doublingFree) Plan(order []uint32) {
	c.bareSliceList.Plan(order)
	c.in[0] = c.in[1]
}

func (c *unswappedFree) Swap(places *freePlaces) int {
	for _, i := range places {
		c.out[i] = c.s[len(c.s)-1]
	}
	return len(places)
}

func (c *forwardFree) New() {
	c.bareSliceList.New()
	slices.Reverse(c.s)
}

func (c *forwardFree) Scatter() {
	c.bareSliceList.Scatter()
	slices.Sort(c.s)
}

func TestWrongFreeListIsFound(t *testing.T) {
	bare := func(n int) bareSliceList { return bareSliceList{owner: newIndexOwner[uint32](n), n: n} }
	bad := func(name, wrong string, free func(n int) FreeList) measuretest.Defect {
		return measuretest.Defect{Name: name, Kit: Kit{Gives: stackOrder, New: free}, Wrong: wrong}
	}
	const all = "pair lifo nearly_full random bytes_per_entry"
	for _, n := range []int{16, 300, 100_000} {
		measuretest.CheckDefects(t, Family, []measure.Impl{linkedImpl}, []measuretest.Defect{
			bad("idle", all, func(n int) FreeList { return &idleFree{bare(n)} }),
			bad("losing", "lifo bytes_per_entry", func(n int) FreeList { return &losingFree{bare(n)} }),
			bad("doubling", "lifo random bytes_per_entry", func(n int) FreeList { return &doublingFree{bare(n)} }),
			bad("unswapped", "nearly_full", func(n int) FreeList { return &unswappedFree{bare(n)} }),
			bad("forward", all, func(n int) FreeList { return &forwardFree{bare(n)} }),
		}, measure.Sizing{N: n, Quick: true})
	}
}
