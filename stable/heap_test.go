package stable

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
)

// Figures 5.5 and 5.6: a slot vacated beside none, one or two runs joins them, and an insert takes
// the first slot of the first run.
func TestRuns(t *testing.T) {
	l := New[int](Config{Placement: FirstFreeHeap})
	for v := range 12 {
		l.Insert(v)
	}
	remove := func(slots ...uint32) {
		for _, i := range slots {
			l.Remove(KeyAt(l, i))
		}
	}
	run := func(first, last uint32) {
		t.Helper()
		if l.heap.ends[first] != last || l.heap.ends[last] != first {
			t.Errorf("run from %d to %d: ends are %v", first, last, l.heap.ends[:12])
		}
	}
	remove(5) // alone
	run(5, 5)
	remove(6) // behind one
	run(5, 6)
	remove(4) // before one
	run(4, 6)
	remove(8, 9)
	run(8, 9)
	remove(7) // between two
	run(4, 9)
	if k := l.Insert(0); k.Index() != 4 {
		t.Errorf("Insert takes %v, want slot 4", k)
	}
	run(5, 9)
	remove(10)
	run(5, 10)
	remove(11) // the last: the whole run is cut off
	if len(l.ids) != 5 || len(l.heap.queue) != 7 {
		t.Errorf("%d slots, %d in the queue, want 5, and 7 that are cut off", len(l.ids), len(l.heap.queue))
	}
	if k := l.Insert(0); k.Index() != 5 || len(l.heap.queue) != 0 {
		t.Errorf("Insert takes %v, and leaves %v in the queue", k, l.heap.queue)
	}
}

// listLastVacant passes no live slot, wherever it begins, whatever InsertAt has split.
func TestLastVacant(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := New[int](Config{Placement: FirstFreeHeap, Truncate: berth.TruncateNever})
		for v := range 40 {
			l.Insert(v)
		}
		id := KeyAt(l, 39).ID()
		for range 200 {
			switch i := uint32(r.IntN(40)); r.IntN(5) {
			case 0, 1:
				for range r.IntN(6) { // downwards
					l.Delete(KeyAt(l, i))
					i = max(i, 1) - 1
				}
			case 2:
				l.Delete(KeyAt(l, i))
			case 3:
				id++
				_ = l.InsertAt(ListKey[int]{index: i, id: id}, 0) // if it is vacant
			case 4:
				l.Insert(0)
				id++
			}
			for i := range l.ids {
				if !vacant(l.ids, i) {
					continue
				}
				e := listLastVacant(look(l), i)
				for k := i; k <= e; k++ {
					if !vacant(l.ids, k) {
						t.Fatalf("seed %d: listLastVacant(%d) = %d passes %d: %v", seed, i, e, k, l.ids)
					}
				}
				if (i == 0 || !vacant(l.ids, i-1)) && e+1 < len(l.ids) && vacant(l.ids, e+1) {
					t.Fatalf("seed %d: listLastVacant(%d) = %d is not the end of the run", seed, i, e)
				}
			}
		}
	}
}

// Loops under FirstFreeHeap do not look at the slots inside a run, not even at one whose identifier
// is set.
func TestRunsAreNotLookedAt(t *testing.T) {
	l := New[int](Config{Placement: FirstFreeHeap, Truncate: berth.TruncateNever})
	for v := range 5000 {
		l.Insert(v)
	}
	for i := uint32(1); i < 4999; i++ {
		l.Remove(KeyAt(l, i))
	}
	l.ids[2000], l.vals[2000] = 7, 2000
	first := KeyAt(l, 0)
	var got []int
	for _, v := range l.All() {
		got = append(got, *v)
	}
	for v := range l.Values() {
		got = append(got, *v)
	}
	for _, s := range l.Spans() {
		got = append(got, s...)
	}
	for a, b := range Pairs(l) {
		got = append(got, *a, *b)
	}
	Apply(l, first, func(_ *int, o Others[int, uint32, Counter32]) {
		for v := range o.Values() {
			got = append(got, *v)
		}
	})
	if want := []int{0, 4999, 0, 4999, 0, 4999, 0, 4999, 4999}; !slices.Equal(got, want) {
		t.Errorf("loops visit %v, want %v", got, want)
	}
}

// A copy knows that InsertAt has split a run, so that its loops pass no live slot.
func TestSplitRunIsCopied(t *testing.T) {
	l := New[int](Config{Placement: FirstFreeHeap, Truncate: berth.TruncateNever})
	for v := range 400 {
		l.Insert(v)
	}
	for i := uint32(300); i > 0; i-- {
		l.Remove(KeyAt(l, i))
	}
	if err := l.InsertAt(ListKey[int]{index: 200, id: l.last.Next()}, 200); err != nil {
		t.Fatal(err)
	}
	var c List[int]
	c.CopyFrom(l)
	n := 0
	for _, span := range c.Spans() {
		n += len(span)
	}
	if n != c.Len() {
		t.Errorf("spans of %d values, want %d", n, c.Len())
	}
}
