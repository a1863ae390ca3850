package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

func TestArenaSumsByHand(t *testing.T) {
	// Four values of 16 bytes: 1 to 4 are written at first, then 1 to 65 536 in each of two batches,
	// and in the end both words of all four.
	j := job{w: arenaBump, n: 64, elem: 16, quick: true}
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
	if got := wantQueue(job{w: arenaDeque, n: 3, quick: true}); got != want {
		t.Errorf("wantQueue: got %+v, want %+v", got, want)
	}
}

// What arena-map is to come to, with a map.
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

// Each of these is wrong in its own way.
type (
	dirtyBump   struct{ bumpField[[2]uint64] } // does not zero
	sharingBump struct{ bumpField[[2]uint64] } // hands out a value twice
	idleBump    struct{ bumpField[[2]uint64] }

	dirtyPages   struct{ slicePages } // does not zero
	sharingPages struct{ slicePages } // hands out a page twice

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
	bump := func(name string, c func() Bump) impl {
		return impl{name: name, kit: arenaKit{Bump: func(int) Bump { return c() }}}
	}
	withImpls(t, bumps, bumpSliceImpl,
		bump("dirty", func() Bump { return new(dirtyBump) }),
		bump("sharing", func() Bump { return new(sharingBump) }),
		bump("idle", func() Bump { return new(idleBump) }))
	withImpls(t, pageFamily, pagesSliceImpl,
		impl{name: "dirty", kit: arenaKit{Pages: func() Pages { return new(dirtyPages) }}},
		impl{name: "sharing", kit: arenaKit{Pages: func() Pages { return new(sharingPages) }}})
	withImpls(t, queues, queueSliceImpl,
		impl{name: "stack", kit: arenaKit{Queue: func() Queue { return new(stackQueue) }}},
		impl{name: "losing", kit: arenaKit{Queue: func() Queue { return new(losingQueue) }}})
	withImpls(t, arrays, arraySliceImpl,
		impl{name: "losing", kit: arenaKit{Array: func() Array { return new(losingArray) }}},
		impl{name: "swapping", kit: arenaKit{Array: func() Array { return new(swapArray) }}})
	withImpls(t, tables, tableGoImpl,
		impl{name: "keeping", kit: arenaKit{Table: func() Table { return new(keepingTable) }}},
		impl{name: "losing", kit: arenaKit{Table: func() Table { return new(losingTable) }}},
		impl{name: "muting", kit: arenaKit{Table: func() Table { return new(mutingTable) }}})
	right := map[string]string{
		"arena-pages dirty": "first_touch give_back", // which have no used memory
		"arena-map keeping": "insert insert_reserved get_random iterate bytes_per_entry bytes_reserved collect",
		"arena-map muting":  "insert insert_reserved churn iterate bytes_per_entry bytes_reserved collect",
		"arena-map losing":  "churn", // in the end all have been replaced
	}
	for _, n := range []string{"64", "2000"} {
		dir := t.TempDir()
		var out bytes.Buffer
		args := []string{"-quick", "-n", n, "-workload", "arena-bump,arena-pages,arena-deque,arena-vec,arena-map", "-reps", "1", "-out", dir}
		if code := run(t.Context(), args, &out, &out); code != exitFailed {
			t.Errorf("n=%s: exit code %d, want %d", n, code, exitFailed)
		}
		for _, r := range readResults(t, dir) {
			real := slices.Contains([]string{bumpSliceImpl.name, pagesSliceImpl.name, queueSliceImpl.name, arraySliceImpl.name, tableGoImpl.name}, r.Impl)
			if want := real || slices.Contains(strings.Fields(right[r.Workload+" "+r.Impl]), r.Metric); r.ChecksumOK != want {
				t.Errorf("n=%s, %s, %s, %s: checksum_ok is %t", n, r.Workload, r.Impl, r.Metric, r.ChecksumOK)
			}
		}
	}
}

// A slice of pages that notes something.
type notingPages struct{ slicePages }

func (c *notingPages) Note() string { return hugeNote(true, arena.Stats{}) }

func TestNoteIsShown(t *testing.T) {
	withImpls(t, pageFamily, pagesSliceImpl, impl{name: "noting", kit: arenaKit{Pages: func() Pages { return new(notingPages) }}})
	dir := t.TempDir()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"-quick", "-n", "2", "-workload", "arena-pages", "-out", dir}, &out, &out); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, &out)
	}
	const note = "noting: the system has refused huge pages"
	if n := strings.Count(out.String(), "\n"+note+"\n"); n != 1 {
		t.Errorf("the table has the note %d times:\n%s", n, &out)
	}
	if n := strings.Count(read(t, dir, reportFile), note); n != 1 {
		t.Errorf("the report has the note %d times", n)
	}
	for _, r := range readResults(t, dir) {
		if noted := r.Note != ""; noted != (r.Impl == "noting") {
			t.Errorf("%s, %s: note %q", r.Impl, r.Metric, r.Note)
		}
	}
}

// Reset of many chunks has a figure where there are many, and there alone.
func TestResetOfChunks(t *testing.T) {
	jobs, err := plan([]*workload{arenaPages}, sizing{n: 100, reps: 1, quick: true})
	if err != nil {
		t.Fatal(err)
	}
	rec := runJobs(t, jobs, allImpls())
	checkRecord(t, rec, jobs, allImpls())
	at := index(rec)
	for _, im := range pageFamily.impls {
		if has := at[jobs[0].at(im.name, "reset_chunk")] != nil; has != slices.Contains([]string{pagesChunkedImpl.name, nukeImpl.name}, im.name) {
			t.Errorf("%s has reset_chunk: %t", im.name, has)
		}
	}
}

// The pools in memory of an arena are judged against berth.Pool, though it is of this library.
func TestJudgedAgainstPool(t *testing.T) {
	rec := newRecorder()
	j := job{w: arenaPool, n: 1, elem: 32}
	ims := []impl{backedHugeImpl, arenaPoolImpl, arenaNarrowImpl, poolImpl}
	for i, v := range []float64{20, 5, 1, 10} {
		rec.add(ims[i].name, j, "iterate", "ns", v, 7, 7)
	}
	page, err := (&report{rec: rec, impls: ims, jobs: []job{j}}).html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		shownVerdict("loses", "loses 2.0x to berth.Pool") + `</td>`,
		shownVerdict("wins", "wins 2.0x over berth.Pool") + `</td>`,
		`Of the 1 figures that arena.Pool has berth.Pool beside it in, it is the fastest or smallest in 1,`,
		`Ratios are to berth.Pool.`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// Address space that a repetition takes is given back: a few hundred repetitions of 1 GiB are more
// than a 32-bit machine has, and more than others should have.
func TestAddressSpaceIsGivenBack(t *testing.T) {
	reps := 300
	if testing.Short() {
		reps = 20
	}
	jobs, err := plan([]*workload{arenaPages, arenaPool}, sizing{n: 10, reps: reps, quick: true})
	if err != nil {
		t.Fatal(err)
	}
	checkRecord(t, runJobs(t, jobs, []impl{pagesHugeImpl, backedHugeImpl}), jobs, nil)
}
