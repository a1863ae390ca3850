package stable_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/stable"
)

// A removal in the front part truncates nothing while the second half was never touched.
func TestReserveStaysUntilTouched(t *testing.T) {
	l := stable.New[int](stable.Config{Placement: stable.Quartered, Capacity: 1000})
	ks := fill(t, l, 500)
	for _, k := range ks[:499] {
		if l.Remove(k); l.Cap() != 1000 {
			t.Fatalf("with %d values left, Cap is %d", l.Len(), l.Cap())
		}
	}
	if l.Remove(ks[499]); l.Cap() != 4 || l.Touched() != 4 {
		t.Errorf("of the empty list, Cap is %d, Touched %d", l.Cap(), l.Touched())
	}
}

// What a list is asked to keep, it keeps.
func TestMinStays(t *testing.T) {
	for _, p := range placements {
		for tr := stable.TruncateLength; tr <= stable.TruncateNever; tr++ {
			l := stable.New[int](stable.Config{Placement: p, Truncate: tr, Min: 100})
			l.Grow(1)
			if l.Cap() != 100 {
				t.Errorf("%v, %v: after Grow(1), Cap is %d", p, tr, l.Cap())
			}
			ks := fill(t, l, 1000)
			for _, k := range ks[3:] {
				l.Remove(k)
			}
			if l.Cap() < 100 {
				t.Errorf("%v, %v: with 3 left, Cap is %d", p, tr, l.Cap())
			}
			if l.Clip(); l.Cap() < 100 || l.Cap() > 128 || p < stable.Quartered && l.Cap() != 100 {
				t.Errorf("%v, %v: after Clip, Cap is %d", p, tr, l.Cap())
			}
			l.Clear()
			if l.Clip(); l.Cap() != 0 {
				t.Errorf("%v, %v: empty and clipped, Cap is %d", p, tr, l.Cap())
			}
			l.Insert(1)
			if l.Cap() != 100 {
				t.Errorf("%v, %v: begun again, Cap is %d", p, tr, l.Cap())
			}
			l.CheckInvariants()
		}
	}
}

// Under TruncateMemory a list whose last values go has memory for twice its length, or four times,
// and room to go up and down without moving.
func TestMemoryBounds(t *testing.T) {
	for _, p := range placements {
		l := stable.New[[4]int](stable.Config{Placement: p, Truncate: stable.TruncateMemory})
		var ks []stable.ListKey[[4]int]
		for range 5000 {
			ks = append(ks, l.Insert([4]int{}))
		}
		for n := len(ks) - 1; n > 40; n-- {
			l.Remove(ks[n])
			if l.Cap() > max(4, 4*l.Touched()) {
				t.Fatalf("%v: Cap is %d, of which %d were touched", p, l.Cap(), l.Touched())
			}
			if n&(n-1) != 0 && n%97 != 0 {
				continue
			}
			if a := testing.AllocsPerRun(10, func() {
				a, b := l.Insert([4]int{}), l.Insert([4]int{})
				l.Remove(a)
				l.Remove(b)
			}); a != 0 {
				t.Fatalf("%v: with %d values, two up and two down allocate %v times", p, n, a)
			}
		}
		if p >= stable.Quartered { // up to the length before, there is memory
			for range 20 {
				ks = append(ks, l.Insert([4]int{}))
			}
			size := l.Cap()
			if a := testing.AllocsPerRun(1, func() {
				for l.Len() < 2*size {
					l.Insert([4]int{})
				}
				for k := range l.Keys() {
					if int(k.Index()) >= size {
						l.Remove(k)
					}
				}
			}); a != 0 {
				t.Errorf("%v: to twice the length and back allocates %v times", p, a)
			}
		}
		full := heap()
		for range 1 << 14 {
			l.Insert([4]int{})
		}
		grown := heap()
		l.Clear()
		l.Delete(l.Insert([4]int{})) // under berth_poison, the memory that was left stays until then
		if left := heap(); grown-left < 1<<18 || l.Cap() != 4 {
			t.Errorf("%v: heap %d, %d when full; after Clear %d, and Cap %d", p, full, grown, left, l.Cap())
		}
		runtime.KeepAlive(l)
	}
}

// To grow by one again and again copies no more than to insert.
func TestGrowByOne(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		if n := testing.AllocsPerRun(1, func() {
			for range 10_000 {
				l.Grow(1)
				l.Insert(0)
			}
		}); n > 250 {
			t.Errorf("%v: 10 000 values, each with Grow(1), allocate %v times", p, n)
		}
	}
}

// Stats count what happened, and a clone has them.
func TestStats(t *testing.T) {
	for p, want := range map[stable.Placement]stable.Stats{
		stable.Quartered:         {Live: 3, Vacant: 1, Truncations: 1},
		stable.QuarteredStepwise: {Live: 3, Vacant: 1, Truncations: 1, Visits: 5 + 1},
		stable.FirstFree:         {Live: 3, Truncations: 29},
		stable.FirstFreeHeap:     {Live: 3, Truncations: 29},
		stable.FirstFreeHeapWalk: {Live: 3, Truncations: 29},
	} {
		l := stable.New[int](stable.Config{Placement: p})
		ks := fill(t, l, 32)
		order := ks[3:]
		if p >= stable.Quartered {
			order = slices.Concat(ks[3:16], ks[17:], ks[16:17]) // the last one of the half last
		} else {
			slices.Reverse(order)
		}
		for _, k := range order {
			l.Remove(k)
		}
		if got := l.Stats(); got != want || l.Clone().Stats() != want {
			t.Errorf("%v: %+v, want %+v", p, got, want)
		}
		l.Clear()
		if got := l.Stats().Truncations; got != want.Truncations+1 {
			t.Errorf("%v: Clear makes it %d truncations", p, got)
		}
		fill(t, l, 40)
		for k := range l.Keys() {
			if k.Index() > 1 && k.Index() != 39 {
				l.Remove(k)
			}
		}
		l.Remove(l.KeyAt(39))
		n := l.Stats().Truncations
		l.Clip()
		if got := l.Stats().Truncations; got != n {
			t.Errorf("%v: Clip of a list that is cut already makes it %d truncations, was %d", p, got, n)
		}
	}
	never := stable.New[int](stable.Config{Placement: stable.Quartered, Truncate: stable.TruncateNever})
	for _, k := range fill(t, never, 100)[1:] {
		never.Remove(k)
	}
	if never.Clip(); never.Stats() != (stable.Stats{Live: 1, Vacant: 3, Truncations: 1, Visits: 99 + 4}) {
		t.Errorf("after the one Clip: %+v", never.Stats())
	}
	never.Clear()
	if never.Clip(); never.Stats().Visits != 99+4 {
		t.Errorf("after Clip of nothing: %+v", never.Stats())
	}
}

// The counters skip 0.
func TestCounters(t *testing.T) {
	if n := stable.Counter32(math.MaxUint32).Next(); n != 1 {
		t.Errorf("after the last of 32 bits comes %d", n)
	}
	if n := stable.Counter64(math.MaxUint64).Next(); n != 1 {
		t.Errorf("after the last of 64 bits comes %d", n)
	}
}

// The zero List answers everything, and its clone goes on as it does.
func TestZeroList(t *testing.T) {
	var l stable.List[int]
	l.Clear()
	l.Clip()
	c := l.Clone()
	for range l.All() {
		t.Error("it has a value")
	}
	for range l.Spans() {
		t.Error("it has a span")
	}
	for range l.Pairs() {
		t.Error("it has a pair")
	}
	if v, ok := l.Remove(stable.ListKey[int]{}); ok || l.Contains(stable.ListKey[int]{}) {
		t.Errorf("Remove of the zero key is %v, %v", v, ok)
	}
	if l.Len()+l.Cap()+l.Touched() != 0 || l.Stats() != (stable.Stats{}) {
		t.Errorf("Len, Cap, Touched are %d, %d, %d", l.Len(), l.Cap(), l.Touched())
	}
	k := l.Insert(1)
	if c.Contains(k) || c.Len() != 0 || l.Len() != 1 {
		t.Error("the clone has the list's values")
	}
	if got := c.Insert(2); got != k {
		t.Errorf("the clone's first key is %v, the list's %v", got, k)
	}
	var other stable.List[int]
	if got := other.Insert(1); got == k {
		t.Errorf("another list issues %v too", got)
	}
	var none stable.ListOthers[int]
	for range none.All() {
		t.Error("the zero Others has a value")
	}
	for range none.Values() {
		t.Error("the zero Others has a value")
	}
	for range none.Keys() {
		t.Error("the zero Others has a key")
	}
	if none.Ptr(k) != nil || none.Contains(k) {
		t.Error("the zero Others finds something")
	}
}

// Keys of the others are those of all but the pivot.
func TestOthersKeys(t *testing.T) {
	l := stable.New[int](stable.Config{})
	ks := fill(t, l, 5)
	l.Apply(ks[2], func(_ *int, o stable.ListOthers[int]) {
		if got := slices.Collect(o.Keys()); !slices.Equal(got, slices.Delete(ks, 2, 3)) {
			t.Errorf("keys %v of %v", got, ks)
		}
	})
}

// A clone of a list that was truncated grows and shrinks on its own.
func TestCloneIsIndependent(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		if a, b := l.Clone().Insert(0), l.Clone().Insert(0); a != b {
			t.Errorf("%v: clones of an empty list begin with %v and %v", p, a, b)
		}
		ks := fill(t, l, 300)
		for i, k := range ks {
			if i > 30 || i%3 == 0 {
				l.Remove(k)
			}
		}
		c := l.Clone()
		for i := range 300 {
			if a, b := l.Insert(i), c.Insert(-i); a != b {
				t.Fatalf("%v: insert %d is %v, and %v in the clone", p, i, a, b)
			}
		}
		for k, v := range l.All() {
			if w, ok := c.Get(k); !ok || w != *v && w != -*v {
				t.Fatalf("%v: the clone has %d, %v for %d", p, w, ok, *v)
			}
		}
		for k := range l.Keys() {
			if k.Index()%2 == 0 {
				c.Remove(k)
			} else {
				l.Remove(k)
			}
			l.CheckInvariants()
			c.CheckInvariants()
		}
		if l.Len()+c.Len() != 320 {
			t.Errorf("%v: %d and %d are left", p, l.Len(), c.Len())
		}
	}
}

// A loop over pairs ends though its body inserts at each turn.
func TestPairsEnd(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		fill(t, l, 3)
		n := 0
		for range l.Pairs() {
			l.Insert(0)
			if n++; n > 100 {
				t.Fatalf("%v: it does not end", p)
			}
		}
		if n < 3 {
			t.Errorf("%v: %d pairs", p, n)
		}
	}
}

// A list that is cleared inside a loop hands out nothing that was there, and a loop from the back
// goes on behind what was cut off.
func TestClearedAndCutInsideLoops(t *testing.T) {
	for _, p := range placements {
		for refill := range 3 {
			l := stable.New[int](stable.Config{Placement: p})
			ks := fill(t, l, 40)
			for i := 1; i < 38; i += 2 {
				l.Remove(ks[i])
			}
			n := 0
			for _, s := range l.Spans() {
				if n++; n == 1 {
					l.Clear()
					fill(t, l, refill)
					continue
				}
				if refill < 2 || !slices.Equal(s, []int{1}) { // slot 1 has its turn yet
					t.Errorf("%v: cleared, with %d values anew, it has a span %v", p, refill, s)
				}
			}
		}
		l := stable.New[int](stable.Config{Placement: p})
		ks := fill(t, l, 40)
		var got []int
		for _, v := range l.Backward() {
			if got = append(got, *v); len(got) == 1 {
				for _, k := range ks[3:] {
					l.Remove(k)
				}
			}
		}
		if !slices.Equal(got, []int{39, 2, 1, 0}) {
			t.Errorf("%v: from the back, cut inside: %v", p, got)
		}
	}
}

// No pair is visited after either of its values was removed, or replaced by another in its slot.
func TestPairsWithoutTheRemoved(t *testing.T) {
	for _, p := range placements {
		for gone := range 2 {
			for _, again := range []bool{false, true} {
				l := stable.New[int](stable.Config{Placement: p})
				ks := fill(t, l, 6)
				n := 0
				for a, b := range l.Pairs() {
					if n++; n == 2 { // of the values 0 and 2
						l.Remove(ks[2*gone])
						if again {
							l.Insert(100)
						}
						continue
					}
					if n > 2 && (*a == 2*gone || *b == 2*gone) {
						t.Errorf("%v: the pair %d, %d is visited, %d was removed", p, *a, *b, 2*gone)
					}
				}
				if n < 2+6 || n > 15 {
					t.Errorf("%v: %d pairs", p, n)
				}
			}
		}
	}
}

// A list that is cut within the last 64 slots that a loop is to look at, and grows beyond them.
func TestCutInTheLastWord(t *testing.T) {
	for _, p := range placements {
		for name, loop := range loops {
			l := stable.New[int](stable.Config{Placement: p})
			ks := fill(t, l, 130)
			n := 0
			loop(l, func(*int) bool {
				if n++; n > 1 {
					return true
				}
				for _, k := range ks[64:] {
					l.Remove(k)
				}
				more := fill(t, l, 200)
				for _, k := range more {
					if k.Index() >= 64 && k.Index() < 250 {
						l.Remove(k)
					}
				}
				return true
			})
			if n < 64 || n > 130 {
				t.Errorf("%v: %s visits %d", p, name, n)
			}
			l.CheckInvariants()
		}
	}
}

// A value is removed beside a long run of vacant slots, which loops skip all the same, forward and
// from wherever they are.
func TestRunsAreSkippedAfterRemoval(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: stable.TruncateNever})
		ks := fill(t, l, 5000)
		for i := range ks { // from both sides, so that runs meet in the middle
			if k := ks[(i*2503)%5000]; k != ks[0] && k != ks[2000] && k != ks[4999] {
				l.Remove(k)
			}
		}
		for name, loop := range loops {
			c, seen := l.Clone(), []int(nil)
			loop(c, func(v *int) bool {
				seen = append(seen, *v)
				if *v == 0 {
					c.Remove(ks[0])
				}
				return true
			})
			if !slices.Equal(seen, []int{0, 2000, 4999}) {
				t.Errorf("%v: %s visits %v", p, name, seen)
			}
			c.CheckInvariants()
		}
	}
}

// serial is an identifier whose Next may do anything first.
type serial uint32

var beforeNext func()

func (d serial) Next() serial {
	if f := beforeNext; f != nil {
		beforeNext = nil
		f()
	}
	return d + 1
}

// A Next that uses the list it makes identifiers for finds it whole, and leaves it whole.
func TestNextThatUsesTheList(t *testing.T) {
	for _, p := range placements {
		for n := range 9 {
			for name, f := range map[string]func(l *stable.ListOf[int, uint32, serial]){
				"Insert": func(l *stable.ListOf[int, uint32, serial]) { l.Insert(99) },
				"Inserts": func(l *stable.ListOf[int, uint32, serial]) {
					k := l.Insert(99)
					l.Insert(99)
					l.Remove(k)
					if l.Insert(99) == k {
						t.Errorf("%v: a key is given twice", p)
					}
				},
				"Clear": func(l *stable.ListOf[int, uint32, serial]) { l.Clear(); l.Clip() },
				"Grow":  func(l *stable.ListOf[int, uint32, serial]) { l.Grow(100) },
				"Remove": func(l *stable.ListOf[int, uint32, serial]) {
					l.RemoveFunc(func(stable.Key[int, uint32, serial], *int) bool { return true })
				},
			} {
				l := stable.NewOf[int, uint32, serial](stable.Config{Placement: p})
				fill(t, l, n)
				beforeNext = func() { f(l) }
				k, err := l.TryInsert(1)
				if err != nil && (name[0] != 'I' || !errors.Is(err, stable.ErrSpent)) {
					t.Errorf("%v: Next with %s inside: %v", p, name, err)
				}
				if err == nil && name[0] == 'I' {
					t.Errorf("%v: Next with %s inside makes %v", p, name, k)
				}
				if v, ok := l.Get(k); err == nil && (v != 1 || !ok) {
					t.Errorf("%v: Next with %s inside: Get(%v) = %d, %v", p, name, k, v, ok)
				}
				l.CheckInvariants()
			}
		}
	}
}

// A Next that fills the last slot, of which the insert that asks it has taken note.
func TestNextThatFillsTheList(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[int, uint16, serial](stable.Config{Placement: p})
		fill(t, l, 1<<16-1)
		beforeNext = func() { l.Insert(7) }
		if k, err := l.TryInsert(8); err == nil {
			t.Errorf("%v: value 65 537 gets %v", p, k)
		}
		if l.Len() != 1<<16 || !l.Insert(1).IsZero() {
			t.Errorf("%v: %d values", p, l.Len())
		}
		l.CheckInvariants()
	}
}

// A list whose length swings about a power of two does little for it each time.
func TestLengthThatSwings(t *testing.T) {
	for _, p := range []stable.Placement{stable.Quartered, stable.QuarteredStepwise} {
		for _, n := range []int{64, 1024, 1 << 14} {
			l := stable.New[int](stable.Config{Placement: p, Seed: 1})
			fill(t, l, n+1)
			start, removals := l.Stats(), 0
			remove := func(i int) {
				if _, ok := l.Remove(l.KeyAt(uint32(i))); ok {
					removals++
				}
			}
			for i := range 300 {
				switch i % 3 {
				case 0:
					remove(n - 1)
				case 1:
					remove(i * 7919 % n)
				default:
					for k := range n / 8 {
						remove(k * 7)
					}
				}
				remove(n)
				fill(t, l, n+1-l.Len())
			}
			if s := l.Stats(); s.Truncations-start.Truncations != 300 || int(s.Visits-start.Visits) > 32*removals {
				t.Errorf("%v, %d: %d removals, %d truncations, %d visits", p, n, removals,
					s.Truncations-start.Truncations, s.Visits-start.Visits)
			}
			l.CheckInvariants()
		}
	}
}

// The pivot is alone among 64 slots, and others live in the next ones.
func TestOthersOfALonelyPivot(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: stable.TruncateNever})
		ks := fill(t, l, 300)
		for i, k := range ks {
			if i != 5 && i != 64 && i != 65 && i != 200 {
				l.Remove(k)
			}
		}
		l.Apply(ks[5], func(_ *int, o stable.ListOthers[int]) {
			var all, values, spans []int
			for _, v := range o.All() {
				all = append(all, *v)
			}
			for v := range o.Values() {
				values = append(values, *v)
			}
			for _, s := range o.Spans() {
				spans = append(spans, s...)
			}
			want := []int{64, 65, 200}
			if !slices.Equal(all, want) || !slices.Equal(values, want) || !slices.Equal(spans, want) {
				t.Errorf("%v: All %v, Values %v, Spans %v, want %v", p, all, values, spans, want)
			}
		})
	}
}

// The body of a loop over spans removes one value of a later span and inserts another elsewhere, so
// that there are as many as before.
func TestSpansWhileReplaced(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: stable.TruncateNever})
		ks := fill(t, l, 64)
		for _, i := range []int{0, 10, 20, 30, 40} {
			l.Remove(ks[i])
		}
		first := true
		for k, s := range l.Spans() {
			if first {
				first = false
				l.Remove(ks[35])
				l.Insert(1000)
			}
			for i := range s {
				if at := k.Index() + uint32(i); l.KeyAt(at).IsZero() {
					t.Errorf("%v: a span has slot %d, which is vacant", p, at)
				}
			}
		}
	}
}

// An insert that is refused moves nothing.
func TestRefusedInsertMovesNothing(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[int, uint32, tiny](stable.Config{Placement: p, Capacity: 256})
		l.AgeForTest(109, 100)
		fill(t, l, 8)
		l.Clip()
		for i := range 3 {
			at, size := l.Ptr(l.KeyAt(0)), l.Cap()
			if _, err := l.TryInsert(1); !errors.Is(err, stable.ErrSpent) {
				t.Fatalf("%v: insert %d: %v", p, i, err)
			}
			if l.Ptr(l.KeyAt(0)) != at || l.Cap() != size {
				t.Errorf("%v: a refused insert has moved the values, Cap %d", p, l.Cap())
			}
		}
	}
}
