package arenas

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

func TestArenaSumsByHand(t *testing.T) {
	// Four values of 16 bytes: 1 to 4 are written at first, then 1 to 65 536 in each of two batches,
	// and in the end both words of all four.
	j := measure.Job{Workload: bump, N: 64, Elem: 16, Quick: true}
	if got, want := wantBump(j), uint64(10+2*(65_536*65_537/2)+2*10); got != want {
		t.Errorf("wantBump: got %d, want %d", got, want)
	}
	if got, want := wantPages(3, 7), uint64(7+8+9); got != want {
		t.Errorf("wantPages: got %d, want %d", got, want)
	}
	if got, want := weightedSum(5, 3), uint64(1*6+2*7+3*8); got != want {
		t.Errorf("weightedSum: got %d, want %d", got, want)
	}
	// Three values: fifo pops 0, 1, … in two batches, and 131 072, … that are left; lifo pops 3, 2, 1,
	// 21 845 times in each; drain pops 0, 1, 2, four times.
	want := queueSums{
		fifo:  weightedSum(0, 65_536) + weightedSum(65_536, 65_536) + 1*131_073 + 2*131_074 + 3*131_075,
		lifo:  2 * 21_845 * (1*4 + 2*3 + 3*2),
		drain: 4 * (1*1 + 2*2 + 3*3),
	}
	if got := wantQueue(measure.Job{Workload: arenaDeque, N: 3, Quick: true}); got != want {
		t.Errorf("wantQueue: got %+v, want %+v", got, want)
	}
}

// The sums of arena-map, computed with a map.
func TestTableModel(t *testing.T) {
	for _, n := range []int{1, 2, 777} {
		w := wantTable(n)
		m := map[uint64]uint64{}
		sum := func() (s uint64) {
			for k, v := range m {
				s += k ^ v
			}
			return s
		}
		for i, k := range w.keys {
			m[k] = uint64(i)
		}
		if len(m) != n || sum() != w.full {
			t.Errorf("n=%d: %d entries that come to %d, want %d", n, len(m), sum(), w.full)
		}
		found := uint64(0)
		for _, k := range w.order {
			found += m[k]
		}
		for i, k := range w.order {
			delete(m, k)
			m[w.in[i]] = uint64(n + i)
		}
		if len(m) != n || found != w.values || sum() != w.churned {
			t.Errorf("n=%d: %d entries, %d and %d, want %d and %d", n, len(m), found, sum(), w.values, w.churned)
		}
		if keys := slices.Concat(w.keys, w.in); len(slices.Compact(slices.Sorted(slices.Values(keys)))) != 2*n {
			t.Errorf("n=%d: a key comes twice", n)
		}
	}
}

// Each of these has one defect.
type (
	dirtyBump   struct{ bumpField[[2]uint64] } // does not zero
	sharingBump struct{ bumpField[[2]uint64] } // returns a value twice
	idleBump    struct{ bumpField[[2]uint64] }

	dirtyPages   struct{ slicePages } // does not zero
	sharingPages struct{ slicePages } // returns a page twice

	stackQueue  struct{ sliceQueue } // pops at the wrong end
	losingQueue struct{ sliceQueue } // loses one

	losingArray struct{ sliceArray }
	swapArray   struct{ sliceArray } // keeps another order

	keepingTable struct{ goTable } // does not delete
	losingTable  struct{ goTable }
	mutingTable  struct{ goTable } // finds nothing
)

func (c *dirtyBump) Check() uint64 {
	c.i = 0
	return checkBump(len(c.s), func() *[2]uint64 {
		c.i++
		return &c.s[c.i-1]
	})
}

func (c *sharingBump) Check() uint64 {
	return checkBump(len(c.s), func() *[2]uint64 {
		c.i = 0
		return c.take()
	})
}

func (c *idleBump) Fill(int) uint64 { return 0 }

func (c *dirtyPages) Take(first uint64) {
	if c.used = false; len(c.all) > 1 {
		c.all[1] = 1
	}
	c.slicePages.Take(first)
}

func (c *sharingPages) Take(first uint64) {
	c.slicePages.Take(first)
	c.takenPages[1][0] = 0
	c.takenPages[1] = c.takenPages[0]
}

func (c *stackQueue) Shift(n int) uint64 { return c.sliceQueue.Pop(n) }

func (c *stackQueue) Pop(n int) uint64 { return c.sliceQueue.Shift(n) }

func (c *stackQueue) Pass(next uint64, pairs int) (sum uint64) {
	for i := range pairs {
		sum += weighted(i, next)
		next++
	}
	return sum
}

func (c *losingQueue) Push(from, to uint64) { c.sliceQueue.Push(from, to-1) }

func (c *losingArray) Push(n int) { c.sliceArray.Push(n - 1) }

func (c *swapArray) Push(n int) {
	c.sliceArray.Push(n)
	slices.Reverse(c.s)
}

func (c *keepingTable) Churn(out, in []uint64, next uint64) {
	out = slices.Clone(out)
	out[0] = in[0]
	c.goTable.Churn(out, in, next)
}

func (c *losingTable) Insert(keys []uint64) { c.goTable.Insert(keys[1:]) }

func (c *mutingTable) Get([]uint64) uint64 { return 0 }

func TestWrongArenasAreFound(t *testing.T) {
	bump := func(c func() Bump) Kit { return Kit{Bump: func(int) Bump { return c() }} }
	for _, c := range []struct {
		family  *measure.Family
		sound   measure.Impl
		defects []measuretest.Defect
	}{
		{Bumps, bumpSliceImpl, []measuretest.Defect{
			{Name: "dirty", Kit: bump(func() Bump { return new(dirtyBump) })},
			{Name: "sharing", Kit: bump(func() Bump { return new(sharingBump) })},
			{Name: "idle", Kit: bump(func() Bump { return new(idleBump) })},
		}},
		{PageFamily, pagesSliceImpl, []measuretest.Defect{
			// Without used memory, it is right.
			{Name: "dirty", Kit: Kit{Pages: func() Pages { return new(dirtyPages) }}, Right: "first_touch give_back"},
			{Name: "sharing", Kit: Kit{Pages: func() Pages { return new(sharingPages) }}},
		}},
		{Deques, queueSliceImpl, []measuretest.Defect{
			{Name: "stack", Kit: Kit{Queue: func() Queue { return new(stackQueue) }}},
			{Name: "losing", Kit: Kit{Queue: func() Queue { return new(losingQueue) }}},
		}},
		{Vecs, arraySliceImpl, []measuretest.Defect{
			{Name: "losing", Kit: Kit{Array: func() Array { return new(losingArray) }}},
			{Name: "swapping", Kit: Kit{Array: func() Array { return new(swapArray) }}},
		}},
		{Maps, tableGoImpl, []measuretest.Defect{
			{Name: "keeping", Kit: Kit{Table: func() Table { return new(keepingTable) }}, Wrong: "churn"},
			// In the end all have been replaced.
			{Name: "losing", Kit: Kit{Table: func() Table { return new(losingTable) }}, Right: "churn"},
			{Name: "muting", Kit: Kit{Table: func() Table { return new(mutingTable) }}, Wrong: "get_random"},
		}},
	} {
		for _, n := range []int{64, 2000} {
			measuretest.CheckDefects(t, c.family, []measure.Impl{c.sound}, c.defects, measure.Sizing{N: n, Reps: 1, Quick: true})
		}
	}
}

// A slice of pages with a note.
type notingPages struct{ slicePages }

func (c *notingPages) Note() string { return hugeNote(true, arena.Stats{}) }

// An implementation's note on its memory is attached to its own figures only.
func TestNotes(t *testing.T) {
	f := measuretest.With(PageFamily, pagesSliceImpl, measure.Impl{Name: "noting", Kit: Kit{Pages: func() Pages { return new(notingPages) }}})
	jobs := measuretest.Plan(t, measuretest.Of(t, f), measure.Sizing{N: 2, Quick: true})
	rec := measuretest.Run(t, jobs, f.Impls)
	if notes := rec.Notes(jobs[0]); len(notes) != 1 || !strings.HasPrefix(notes[0], "noting: the system has refused huge pages") {
		t.Errorf("the notes of the job are %q", notes)
	}
	for _, r := range rec.All() {
		if noted := r.Note != ""; noted != (r.Impl == "noting") {
			t.Errorf("%s, %s: note %q", r.Impl, r.Metric, r.Note)
		}
	}
}

// Reset of many chunks has a figure only if there are many.
func TestResetOfChunks(t *testing.T) {
	jobs := measuretest.Plan(t, measuretest.Of(t, PageFamily), measure.Sizing{N: 100, Reps: 1, Quick: true})
	rec := measuretest.Run(t, jobs, PageFamily.Impls)
	measuretest.Check(t, rec, jobs, PageFamily.Impls)
	at := measure.Index(rec)
	for _, im := range PageFamily.Impls {
		if has := at[jobs[0].At(im.Name, "reset_chunk")] != nil; has != slices.Contains([]string{pagesChunkedImpl.Name, nukeImpl.Name}, im.Name) {
			t.Errorf("%s has reset_chunk: %t", im.Name, has)
		}
	}
}

// The address space of a repetition is released: a few hundred repetitions of 1 GiB exceed a 32-bit
// machine.
func TestAddressSpaceIsGivenBack(t *testing.T) {
	reps := 300
	if testing.Short() {
		reps = 20
	}
	works := append(measuretest.Of(t, PageFamily), measuretest.Of(t, Backings)...)
	jobs := measuretest.Plan(t, works, measure.Sizing{N: 10, Reps: reps, Quick: true, Hasty: true})
	measuretest.Check(t, measuretest.Run(t, jobs, []measure.Impl{pagesHugeImpl, backedHugeImpl}), jobs, nil)
}
