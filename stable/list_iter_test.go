package stable_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/stable"
)

// loops calls body with each value that each of the list's loops visits.
var loops = map[string]func(l *stable.List[int], body func(v *int) bool){
	"All": func(l *stable.List[int], body func(*int) bool) {
		for _, v := range l.All() {
			if !body(v) {
				return
			}
		}
	},
	"Values": func(l *stable.List[int], body func(*int) bool) { l.Values()(body) },
	"Keys": func(l *stable.List[int], body func(*int) bool) {
		for k := range l.All() {
			if !body(l.Ptr(k)) {
				return
			}
		}
	},
	"Traverse": func(l *stable.List[int], body func(*int) bool) {
		for e := range stable.Traverse(l) {
			if !body(e.Value) {
				return
			}
		}
	},
	"RemoveFunc": func(l *stable.List[int], body func(*int) bool) {
		l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { body(v); return false })
	},
	"Spans": func(l *stable.List[int], body func(*int) bool) {
		for k, s := range l.Spans() {
			for i := range s {
				v := &s[i]
				if poison.On && poison.Intact(v) { // removed, or moved to other memory
					v = l.Ptr(stable.KeyAt(l, k.Index()+uint32(i)))
				}
				if v == nil || *v == 0 && k.Index()+uint32(i) > 0 {
					continue // removed after the span was handed out
				}
				if !body(v) {
					return
				}
			}
		}
	},
}

// The second half empties while a loop is in it, before it, or behind it. The list is truncated
// during the loop, and grows again. Values that live throughout are visited exactly once, also by
// nested loops.
func TestTruncationInsideLoops(t *testing.T) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			for name, loop := range loops {
				for _, at := range []int{0, 20, 63, 64, 100, 511} {
					t.Run(fmt.Sprintf("%v/%v/%s/%d", p, tr, name, at), func(t *testing.T) {
						l := stable.New[int](stable.Config{Placement: p, Truncate: tr})
						ks := fill(t, l, 512)
						testTruncationInside(t, l, ks, loop, at)
					})
				}
			}
		}
	}
}

func testTruncationInside(
	t *testing.T, l *stable.List[int], ks []stable.ListKey[int], loop func(*stable.List[int], func(*int) bool), at int,
) {
	visits := make([]int, 1000)
	loop(l, func(v *int) bool {
		visits[*v]++
		if *v != at {
			return true
		}
		for _, k := range ks[32:] { // the last ones too
			if k != ks[at] {
				l.Remove(k)
			}
		}
		inner := 0
		for range l.Values() {
			inner++
		}
		if inner != l.Len() {
			t.Errorf("a loop inside visits %d of %d", inner, l.Len())
		}
		if at >= 32 {
			l.Remove(ks[at])
		}
		l.CheckInvariants()
		for i := range 300 {
			l.Insert(600 + i)
		}
		return true
	})
	for i := range 32 {
		if visits[i] != 1 {
			t.Errorf("value %d is visited %d times", i, visits[i])
		}
	}
	for i, n := range visits {
		if n > 1 || n == 1 && i > at && i >= 32 && i < 512 {
			t.Errorf("value %d is visited %d times", i, n)
		}
	}
	if l.Len() != 332 {
		t.Errorf("%d values, want 332", l.Len())
	}
	l.CheckInvariants()
}

// Traverse over a list that empties: the pivot is removed, then all others, and loops over the
// others reflect it.
func TestOthersWhileTruncated(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		ks := fill(t, l, 256)
		seen := 0
		for e, others := range stable.Traverse(l) {
			seen++
			v, _ := l.Remove(e.Key)
			for k, w := range others.All() {
				if *w == 255-v {
					l.Remove(k)
				}
			}
			left := 0
			for range others.Values() {
				left++
			}
			for _, s := range others.Spans() {
				left -= len(s)
			}
			for range others.All() {
				left++
			}
			if left != l.Len() || others.Len() != l.Len() {
				t.Fatalf("%v: loops over the others visit %d and %d of %d", p, left, others.Len(), l.Len())
			}
		}
		if seen != 128 || l.Len() != 0 || l.Contains(ks[0]) {
			t.Errorf("%v: %d visited, %d left", p, seen, l.Len())
		}
		l.CheckInvariants()
	}
}

// Spans are split at the pivot and at vacant slots, and nowhere else.
func TestSpans(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: berth.TruncateNever})
		ks := fill(t, l, 300)
		lengths := func(v stable.ListView[int]) (ns []int) {
			for k, s := range v.Spans() {
				if s[0] != int(k.Index()) {
					t.Errorf("%v: a span of %d begins at %v", p, s[0], k)
				}
				ns = append(ns, len(s))
			}
			return ns
		}
		want := func(v stable.ListView[int], want ...int) {
			t.Helper()
			if got := lengths(v); !slices.Equal(got, want) {
				t.Errorf("%v: spans of %v, want %v", p, got, want)
			}
		}
		others := func(i int) (o stable.ListOthers[int]) {
			stable.Apply(l, ks[i], func(_ *int, x stable.ListOthers[int]) { o = x })
			return o
		}
		want(l, 300)
		want(others(0), 299)
		want(others(100), 100, 199)
		want(others(299), 299)
		want(others(63), 63, 236)
		want(others(64), 64, 235)
		want(others(65), 65, 234)
		want(others(256), 256, 43)
		for _, i := range []int{64, 128, 129, 299} {
			l.Remove(ks[i])
		}
		want(l, 64, 63, 169)
		want(others(63), 63, 63, 169)
		want(others(65), 64, 62, 169)
		want(others(130), 64, 63, 168)
		for _, k := range ks[1:] {
			l.Remove(k)
		}
		want(l, 1)
		want(others(0))
		l.Clear()
		want(l)
		want(stable.ListOthers[int]{})
	}
}

// The loops, which the laws call behind an interface, allocate nothing in ordinary use.
func TestLoopsAllocateNothing(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		ks := fill(t, l, 1000)
		for i := range ks {
			if i%3 == 0 {
				l.Remove(ks[i])
			}
		}
		sum := 0
		for name, f := range map[string]func(){
			"All": func() {
				for k, v := range l.All() {
					sum += int(k.Index()) + *v
				}
			},
			"Backward": func() {
				for k, v := range stable.Backward(l) {
					sum += int(k.Index()) - *v
				}
			},
			"Values": func() {
				for v := range l.Values() {
					sum += *v
				}
			},
			"Keys": func() {
				for k := range l.All() {
					sum += int(k.ID())
				}
			},
			"Spans": func() {
				for _, s := range l.Spans() {
					sum += s[0]
				}
			},
			"Pairs": func() {
				for a, b := range stable.Pairs(l) {
					sum += *a - *b
				}
			},
			"Traverse": func() {
				for e, o := range stable.Traverse(l) {
					for v := range o.Values() {
						sum += *v
						break
					}
					for _, v := range o.All() {
						sum += *v
						break
					}
					for _, s := range o.Spans() {
						sum += *e.Value - s[0]
						break
					}
				}
			},
			"Apply": func() {
				for k := range l.All() {
					stable.Apply(l, k, func(v *int, o stable.ListOthers[int]) { sum += *v + o.Len() })
				}
			},
			"RemoveFunc": func() {
				l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v < 0 })
			},
			"growth and truncation": func() {
				for i := range 2000 {
					l.Insert(-1 - i)
				}
				l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v < 0 })
			},
		} {
			f()
			if n := testing.AllocsPerRun(5, f); n != 0 {
				t.Errorf("%v: %s: %v allocations, want 0", p, name, n)
			}
		}
		if sum == 0 {
			t.Error("nothing was visited")
		}
	}
}

// A loop over pairs ends though its body inserts at each turn.
func TestPairsEnd(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		fill(t, l, 3)
		n := 0
		for range stable.Pairs(l) {
			l.Insert(0)
			if n++; n > 100 {
				t.Fatalf("%v: the loop does not end", p)
			}
		}
		if n < 3 {
			t.Errorf("%v: %d pairs", p, n)
		}
	}
}

// Loops over a list that its body clears hand out none of its former values. A loop from the back
// continues below the slots that were cut off.
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
				if refill < 2 || !slices.Equal(s, []int{1}) { // slot 1 is still to come
					t.Errorf("%v: cleared, with %d new values, the list hands out span %v", p, refill, s)
				}
			}
		}
		l := stable.New[int](stable.Config{Placement: p})
		ks := fill(t, l, 40)
		var got []int
		for _, v := range stable.Backward(l) {
			if got = append(got, *v); len(got) == 1 {
				for _, k := range ks[3:] {
					l.Remove(k)
				}
			}
		}
		if !slices.Equal(got, []int{39, 2, 1, 0}) {
			t.Errorf("%v: Backward, cut inside, visits %v", p, got)
		}
	}
}

// Pairs visits no pair after either of its values was removed, or replaced by another in its slot.
func TestPairsWithoutTheRemoved(t *testing.T) {
	for _, p := range placements {
		for gone := range 2 {
			for _, again := range []bool{false, true} {
				l := stable.New[int](stable.Config{Placement: p})
				ks := fill(t, l, 6)
				n := 0
				for a, b := range stable.Pairs(l) {
					if n++; n == 2 { // of the values 0 and 2
						l.Remove(ks[2*gone])
						if again {
							l.Insert(100)
						}
						continue
					}
					if n > 2 && (*a == 2*gone || *b == 2*gone) {
						t.Errorf("%v: pair %d, %d visited after %d was removed", p, *a, *b, 2*gone)
					}
				}
				if n < 2+6 || n > 15 {
					t.Errorf("%v: %d pairs", p, n)
				}
			}
		}
	}
}

// The list is cut within the last 64 slots that a loop has yet to look at, and grows beyond them.
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

// A value is removed beside a long run of vacant slots. Loops still skip the run, forward and from
// any slot.
func TestRunsAreSkippedAfterRemoval(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: berth.TruncateNever})
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

// The body of a loop over spans removes a value of a later span and inserts another elsewhere, so
// that the number of values is the same.
func TestSpansWhileReplaced(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: berth.TruncateNever})
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
				if at := k.Index() + uint32(i); stable.KeyAt(l, at).IsZero() {
					t.Errorf("%v: a span has slot %d, which is vacant", p, at)
				}
			}
		}
	}
}
