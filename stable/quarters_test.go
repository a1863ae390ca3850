package stable_test

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/stable"
)

// Figure 5.1: inserts take vacant slots part by part, in each the last vacated first, and only then
// does the list grow.
func TestFigure51(t *testing.T) {
	for _, p := range []stable.Placement{stable.Quartered, stable.QuarteredStepwise} {
		l := stable.New[int](stable.Config{Placement: p})
		ks := fill(t, l, 16)
		for _, i := range []int{12, 1, 5, 9, 4, 3, 10} {
			l.Remove(ks[i])
		}
		var got []uint32
		for range 7 {
			got = append(got, l.Insert(0).Index())
		}
		if want := []uint32{3, 1, 4, 5, 10, 9, 12}; !slices.Equal(got, want) {
			t.Errorf("%v: the slots taken are %v, want %v", p, got, want)
		}
		if l.Cap() != 16 || l.Insert(0).Index() != 16 || l.Cap() != 32 {
			t.Errorf("%v: the list then grew to %d slots", p, l.Cap())
		}
	}
}

// Figure 5.2: a full list gets new parts without looking at its slots, and the first insert goes to
// the second half.
func TestFigure52(t *testing.T) {
	l := stable.New[int](stable.Config{Placement: stable.Quartered})
	for n := 4; n <= 1<<16; n *= 2 {
		fill(t, l, n-l.Len())
		k := l.Insert(0)
		if int(k.Index()) != n || l.Cap() != 2*n || l.Stats().Visits != 0 {
			t.Fatalf("insert %d took slot %d of %d, with %d visits", n, k.Index(), l.Cap(), l.Stats().Visits)
		}
	}
}

// Section 5.2: max counts all slots, open those that were touched, len the live values.
func TestMaxOpenLen(t *testing.T) {
	l := stable.New[int](stable.Config{Capacity: 1000})
	ks := fill(t, l, 200)
	for _, k := range ks[:50] {
		l.Remove(k)
	}
	if l.Cap() != 1000 || l.Touched() != 200 || l.Len() != 150 {
		t.Errorf("Cap, Touched, Len = %d, %d, %d, want 1000, 200, 150", l.Cap(), l.Touched(), l.Len())
	}
}

// farSurvivor returns a list of 16 384 slots, of which 0, 1 and the last are live, and the last
// one's key.
func farSurvivor(t *testing.T, p stable.Placement, least int) (l *stable.List[int], last stable.ListKey[int]) {
	l = stable.New[int](stable.Config{Placement: p, Min: least})
	ks := fill(t, l, 16_384)
	for _, k := range ks[2:16_383] {
		l.Remove(k)
	}
	if l.Touched() != 16_384 || counts(l) != (counted{live: 3, vacant: 16_381}) {
		t.Fatalf("%v: Cap %d, %+v before the removal", p, l.Cap(), l.Stats())
	}
	return l, ks[16_383]
}

// Section 5.2's example. By its rules the list is halved until it is as short as Min allows, which
// is 4: the values 0 and 1 lie in the first half of 4, as they do in that of 8. The text says 8; its
// own series of visits, which ends with 2 - 2, is that of the step from 8 to 4. With other Mins the
// text has 7 162 visits for 2 046, rounded up, and 4 094 for one step, which is the Min of 8 192, not
// of 4 096.
func TestFarSurvivor(t *testing.T) {
	for _, c := range []struct {
		p           stable.Placement
		min         int
		cap, visits int
	}{
		{stable.QuarteredStepwise, 0, 4, 8166},
		{stable.QuarteredStepwise, 8, 8, 8166},
		{stable.QuarteredStepwise, 2046, 2048, 7162},
		{stable.QuarteredStepwise, 4096, 4096, 6140},
		{stable.QuarteredStepwise, 8192, 8192, 4094},
		{stable.Quartered, 0, 4, 0},
		{stable.Quartered, 8, 8, 0},
		{stable.Quartered, 2046, 2048, 0},
		{stable.Quartered, 8192, 8192, 0},
		{stable.Quartered, 16_384, 16_384, 0},
		{stable.FirstFree, 0, 0, 0},
		{stable.FirstFreeHeap, 0, 0, 0},
		{stable.FirstFreeHeapWalk, 0, 0, 16_381},
	} {
		l, last := farSurvivor(t, c.p, c.min)
		if _, ok := l.Remove(last); !ok {
			t.Fatalf("%v: Remove(%v) is false", c.p, last)
		}
		touched := c.cap
		if c.cap == 0 {
			touched, c.cap = 2, l.Cap()
		}
		if l.Cap() != c.cap || l.Touched() != touched || l.Stats().Visits != uint64(c.visits) {
			t.Errorf("%v, Min %d: Cap %d, Touched %d, %d visits; want %d, %d, %d", c.p, c.min,
				l.Cap(), l.Touched(), l.Stats().Visits, c.cap, touched, c.visits)
		}
		l.CheckInvariants()
	}
	// The author's hoped-for 2 visits happen here: the inserts that take slots 2 and 3 visit them.
	l, last := farSurvivor(t, stable.Quartered, 0)
	l.Remove(last)
	if a, b := l.Insert(0), l.Insert(0); a.Index() != 2 || b.Index() != 3 || l.Stats().Visits != 2 {
		t.Errorf("inserts take %v and %v with %d visits, want slots 2 and 3 with 2", a, b, l.Stats().Visits)
	}
}

// No removal looks at more than a thirty-second part of the slots (Stepwise: half of them), and on
// average each removal pays for a few.
func TestVisitsAreBounded(t *testing.T) {
	for _, p := range []stable.Placement{stable.Quartered, stable.QuarteredStepwise} {
		l := stable.New[int](stable.Config{Placement: p, Seed: 1})
		removals := 0
		for round := range 60 {
			ks := fill(t, l, 1<<(round%13)+round)
			for i := range ks {
				k := ks[(i*7919+round)%len(ks)]
				if round%3 == 0 {
					k = ks[len(ks)-1-i]
				}
				size, visits := l.Cap(), l.Stats().Visits
				if _, ok := l.Remove(k); ok {
					removals++
				}
				if v := int(l.Stats().Visits - visits); v > size/32 && p == stable.Quartered || v > size/2 {
					t.Fatalf("%v: a removal from %d slots looks at %d", p, size, v)
				}
			}
		}
		if v := l.Stats().Visits; v == 0 || v > uint64(removals) {
			t.Errorf("%v: %d removals looked at %d slots", p, removals, v)
		}
	}
}
