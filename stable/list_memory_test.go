package stable_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// A removal in the front part truncates nothing while the second half was never touched.
func TestReserveStaysUntilTouched(t *testing.T) {
	l := stable.New[int](stable.Config{Placement: stable.Quartered, Capacity: 1000})
	ks := fill(t, l, 500)
	for _, k := range ks[:499] {
		if l.Remove(k); l.Cap() != 1000 {
			t.Fatalf("with %d values left, Cap = %d", l.Len(), l.Cap())
		}
	}
	if l.Remove(ks[499]); l.Cap() != 4 || l.Touched() != 4 {
		t.Errorf("empty list: Cap = %d, Touched = %d, want 4, 4", l.Cap(), l.Touched())
	}
}

// A list keeps memory for Min slots until it is both empty and clipped.
func TestMinStays(t *testing.T) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			l := stable.New[int](stable.Config{Placement: p, Truncate: tr, Min: 100})
			l.Grow(1)
			if l.Cap() != 100 {
				t.Errorf("%v, %v: after Grow(1), Cap = %d, want 100", p, tr, l.Cap())
			}
			ks := fill(t, l, 1000)
			for _, k := range ks[3:] {
				l.Remove(k)
			}
			if l.Cap() < 100 {
				t.Errorf("%v, %v: with 3 values left, Cap = %d, want at least 100", p, tr, l.Cap())
			}
			if l.Clip(); l.Cap() < 100 || l.Cap() > 128 || p < stable.Quartered && l.Cap() != 100 {
				t.Errorf("%v, %v: after Clip, Cap = %d, want 100 (Quartered: to 128)", p, tr, l.Cap())
			}
			l.Clear()
			if l.Clip(); l.Cap() != 0 {
				t.Errorf("%v, %v: empty and clipped, Cap = %d, want 0", p, tr, l.Cap())
			}
			l.Insert(1)
			if l.Cap() != 100 {
				t.Errorf("%v, %v: after Insert into the clipped list, Cap = %d, want 100", p, tr, l.Cap())
			}
			l.CheckInvariants()
		}
	}
}

// Under TruncateMemory a list whose last values are removed has memory for twice its length, or
// four times, and its length can vary without a move.
func TestMemoryBounds(t *testing.T) {
	for _, p := range placements {
		l := stable.New[padded](stable.Config{Placement: p, Truncate: berth.TruncateMemory})
		var ks []stable.ListKey[padded]
		for range 5000 {
			ks = append(ks, l.Insert(padded{}))
		}
		for n := len(ks) - 1; n > 40; n-- {
			l.Remove(ks[n])
			if l.Cap() > max(4, 4*l.Touched()) {
				t.Fatalf("%v: Cap = %d, Touched = %d", p, l.Cap(), l.Touched())
			}
			if n&(n-1) != 0 && n%97 != 0 {
				continue
			}
			if a := testing.AllocsPerRun(10, func() {
				a, b := l.Insert(padded{}), l.Insert(padded{})
				l.Remove(a)
				l.Remove(b)
			}); a != 0 {
				t.Fatalf("%v: with %d values, two up and two down allocate %v times", p, n, a)
			}
		}
		if p >= stable.Quartered { // up to the former length, there is memory
			for range 20 {
				ks = append(ks, l.Insert(padded{}))
			}
			size := l.Cap()
			if a := testing.AllocsPerRun(1, func() {
				for l.Len() < 2*size {
					l.Insert(padded{})
				}
				for k := range l.All() {
					if int(k.Index()) >= size {
						l.Remove(k)
					}
				}
			}); a != 0 {
				t.Errorf("%v: growing to twice the length and back allocates %v times", p, a)
			}
		}
		full := heap()
		for range 1 << 14 {
			l.Insert(padded{})
		}
		grown := heap()
		l.Clear()
		l.Delete(l.Insert(padded{})) // under berth_poison, the old memory stays until then
		if left := heap(); grown-left < 1<<18 || l.Cap() != 4 {
			t.Errorf("%v: heap %d, %d when full; after Clear %d, and Cap %d", p, full, grown, left, l.Cap())
		}
		runtime.KeepAlive(l)
	}
}

// Repeated calls of Grow(1) copy no more than inserts do.
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

// Stats counts truncations and visits, and a clone has the same counts.
func TestStats(t *testing.T) {
	for p, want := range map[stable.Placement]counted{
		stable.Quartered:         {live: 3, vacant: 1, truncated: 1},
		stable.QuarteredStepwise: {live: 3, vacant: 1, truncated: 1, visits: 5 + 1},
		stable.FirstFree:         {live: 3, truncated: 29},
		stable.FirstFreeHeap:     {live: 3, truncated: 29},
		stable.FirstFreeHeapWalk: {live: 3, truncated: 29},
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
		if got := counts(l); got != want || !sameCounters(l.Clone().Stats(), l.Stats()) {
			t.Errorf("%v: %+v, want %+v", p, got, want)
		}
		l.Clear()
		if got := l.Stats().Truncated; got != want.truncated+1 {
			t.Errorf("%v: %d truncations after Clear", p, got)
		}
		fill(t, l, 40)
		for k := range l.All() {
			if k.Index() > 1 && k.Index() != 39 {
				l.Remove(k)
			}
		}
		l.Remove(stable.KeyAt(l, 39))
		n := l.Stats().Truncated
		l.Clip()
		if got := l.Stats().Truncated; got != n {
			t.Errorf("%v: %d truncations after Clip of a list that is already cut, want %d", p, got, n)
		}
	}
	never := stable.New[int](stable.Config{Placement: stable.Quartered, Truncate: berth.TruncateNever})
	for _, k := range fill(t, never, 100)[1:] {
		never.Remove(k)
	}
	if never.Clip(); counts(never) != (counted{1, 3, 1, 99 + 4}) {
		t.Errorf("after one Clip: %+v", never.Stats())
	}
	never.Clear()
	if never.Clip(); never.Stats().Visits != 99+4 {
		t.Errorf("after Clip of an empty list: %+v", never.Stats())
	}
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
				t.Fatalf("%v: key of insert %d is %v, and %v in the clone", p, i, a, b)
			}
		}
		for k, v := range l.All() {
			if w, ok := c.Get(k); !ok || w != *v && w != -*v {
				t.Fatalf("%v: the clone has %d, %v for %d", p, w, ok, *v)
			}
		}
		for k := range l.All() {
			if k.Index()%2 == 0 {
				c.Remove(k)
			} else {
				l.Remove(k)
			}
			l.CheckInvariants()
			c.CheckInvariants()
		}
		if l.Len()+c.Len() != 320 {
			t.Errorf("%v: %d values are left, and %d in the clone", p, l.Len(), c.Len())
		}
	}
}

// Truncations of a list whose length varies around a power of two cost little.
func TestLengthThatSwings(t *testing.T) {
	for _, p := range []stable.Placement{stable.Quartered, stable.QuarteredStepwise} {
		for _, n := range []int{64, 1024, 1 << 14} {
			l := stable.New[int](stable.Config{Placement: p, Seed: 1})
			fill(t, l, n+1)
			start, removals := l.Stats(), 0
			remove := func(i int) {
				if _, ok := l.Remove(stable.KeyAt(l, uint32(i))); ok {
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
			if s := l.Stats(); s.Truncated-start.Truncated != 300 || int(s.Visits-start.Visits) > 32*removals {
				t.Errorf("%v, %d: %d removals, %d truncations, %d visits", p, n, removals,
					s.Truncated-start.Truncated, s.Visits-start.Visits)
			}
			l.CheckInvariants()
		}
	}
}

// Under TruncateMemory memory follows the length, one halving behind, so a list whose length goes
// up and down by one step does not move each time.
func TestMemoryFollowsLength(t *testing.T) {
	for _, p := range placements {
		l := stable.New[padded](stable.Config{Placement: p, Truncate: berth.TruncateMemory})
		var ks []stable.ListKey[padded]
		for range 1 << 14 {
			ks = append(ks, l.Insert(padded{}))
		}
		full := heap()
		for _, k := range ks[16:] {
			l.Remove(k)
		}
		l.Delete(l.Insert(padded{})) // under berth_poison, the old memory stays until then
		if got := full - heap(); got < 1<<18 {
			t.Errorf("%v: %d bytes came back", p, got)
		}
		k := l.Insert(padded{})
		if n := testing.AllocsPerRun(100, func() {
			l.Remove(k)
			k = l.Insert(padded{})
		}); n != 0 {
			t.Errorf("%v: a step down and up allocates %v times", p, n)
		}
		runtime.KeepAlive(l)
	}
}
