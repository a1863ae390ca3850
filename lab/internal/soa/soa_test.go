package soa

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/seed505807e1/berth"
)

// panics returns what f panics with, as text.
func panics(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// The zero container holds nothing, and each method works.
func TestZero(t *testing.T) {
	var s Odds
	v, ok := s.Get(OddHandle{})
	if ok || v != (Odd{}) || s.Set(OddHandle{}, v) || s.Contains(OddHandle{}) || s.Delete(OddHandle{}) ||
		s.PlaceOf(OddHandle{}) != -1 || !s.HandleAt(0).IsZero() || s.Len()+s.Cap()+s.Defrag() != 0 {
		t.Error("the zero Odds finds something")
	}
	if _, ok := s.Remove(OddHandle{}); ok || !reflect.ValueOf(s.Cols()).IsZero() {
		t.Error("the zero Odds has columns")
	}
	s.Sort(func(i, k int) int { panic("called") })
	if n := s.RemoveFunc(func(int) bool { panic("called") }); n != 0 {
		t.Errorf("RemoveFunc removed %d", n)
	}
	for range s.All() {
		t.Error("All visits something")
	}
	s.Clear()
	s.Clip()
	if q := s.Clone(); q.Len() != 0 || q.Insert(odds.value(3)).IsZero() {
		t.Error("the clone cannot be used")
	}
	if h := s.Insert(odds.value(3)); !s.Contains(h) || s.String() != "soa.Odds(1 values)" {
		t.Errorf("after an Insert it is %s", &s)
	}
}

func TestConfig(t *testing.T) {
	for want, c := range map[string]OddsConfig{
		"berth: NewDense: Capacity must not be negative (got -1)":    {Capacity: -1},
		"berth: NewDense: Limit must not be negative (got -2)":       {Limit: -2},
		"berth: NewDense: ShrinkAbove must not be negative (got -3)": {ShrinkAbove: -3},
		"berth: NewDense: unknown Defrag(9)":                         {Defrag: 9},
	} {
		if got := panics(func() { NewOdds(c) }); got != want {
			t.Errorf("%+v: panic %q, want %q", c, got, want)
		}
	}
	c := OddsConfig{Capacity: 100, Limit: 100, Seed: 7, Defrag: berth.DefragManual}
	s, d := NewOdds(c), berth.NewDense(berth.DenseConfig[int]{Limit: 100, Seed: 7})
	if s.Cap() != 100 {
		t.Errorf("there is room for %d, want 100", s.Cap())
	}
	for i := range 100 {
		h, g := s.Insert(odds.value(i)), d.Insert(i)
		if h.Uint64() != g.Uint64() {
			t.Fatalf("handle %d is %v, and %v in a Dense", i, h, g)
		}
		if i == 50 {
			s.Delete(h)
			d.Delete(g)
		}
	}
	if h := s.Insert(Odd{}); h.IsZero() || !s.Insert(Odd{}).IsZero() || s.Len() != 100 {
		t.Errorf("%v holds more than its Limit, or less", s)
	}
	s.Delete(s.HandleAt(3))
	if got := panics(func() { s.Cols() }); !strings.Contains(got, "DefragManual") {
		t.Errorf("with a hole, Cols panics with %q", got)
	}
	s.Defrag()
	if n := len(s.Cols().Name); n != 99 {
		t.Errorf("%d names, want 99", n)
	}
}

// A panic of f leaves all values where they are, and RemoveFunc usable.
func TestRemoveFuncPanics(t *testing.T) {
	var s Odds
	for i := range 10 {
		s.Insert(odds.value(i))
	}
	text := panics(func() {
		s.RemoveFunc(func(i int) bool {
			if i == 7 {
				panic("seven")
			}
			return true
		})
	})
	if text != "seven" || s.Len() != 10 {
		t.Errorf("panic %q, %d values, want 10", text, s.Len())
	}
	if n := s.RemoveFunc(func(i int) bool { return i == 3 }); n != 1 || s.Len() != 9 {
		t.Errorf("RemoveFunc removed %d, and %d are left", n, s.Len())
	}
}

// A History takes all columns back, with the rows.
func TestHistory(t *testing.T) {
	s := NewOdds(OddsConfig{Seed: 1})
	history := berth.NewDenseHistory(&s.rows, berth.HistoryConfig{Frames: 4})
	all := func() map[OddHandle]Odd {
		m := map[OddHandle]Odd{}
		for h, v := range s.All() {
			m[h] = v
		}
		return m
	}
	began := map[berth.Frame]map[OddHandle]Odd{history.Oldest(): {}}
	for n := range 40 {
		for i := range 50 {
			h := s.Insert(odds.value(n*100 + i))
			if i%3 == 0 {
				s.Set(s.HandleAt(i*7%s.Len()), odds.value(-n))
			}
			if i%4 == 0 {
				s.Delete(s.HandleAt(i % s.Len()))
			}
			if i%5 == 0 {
				s.Delete(h)
			}
		}
		s.Sort(func(i, k int) int { return i%3 - k%3 })
		f := history.Mark()
		began[f] = all()
		if n%3 != 2 {
			continue
		}
		f = max(history.Oldest(), f-berth.Frame(n%4))
		if err := history.Rewind(f); err != nil {
			t.Fatal(err)
		}
		if got := all(); !reflect.DeepEqual(got, began[f]) {
			t.Fatalf("back in frame %d, there are %d values, want %d, or others", f, len(got), len(began[f]))
		}
	}
}

// Goroutines may look up at the same time. The race detector sees if one of them writes.
func TestConcurrentGet(t *testing.T) {
	s := NewOdds(OddsConfig{})
	for i := range 100 {
		s.Insert(odds.value(i))
	}
	q := s.Clone()
	q.Sort(func(i, k int) int { return k - i })
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				if v, ok := q.Get(q.HandleAt(i)); !ok || v.Any.(int) != (99-i)%50 {
					t.Errorf("value %d is %v", i, v)
				}
			}
		})
	}
	wg.Wait()
}

// In a steady state, nothing allocates.
func TestAllocations(t *testing.T) {
	s := NewParticles(ParticlesConfig{Capacity: 1000})
	var hs []ParticleHandle
	for i := range 900 {
		hs = append(hs, s.Insert(particles.value(i)))
	}
	old := func(i int) bool { return i%10 == 3 }
	round := func() {
		for i := range hs {
			if v, ok := s.Remove(hs[i]); ok {
				hs[i] = s.Insert(v)
			} else {
				hs[i] = s.Insert(particles.value(i))
			}
		}
		s.Cols().Age[0]++
		s.RemoveFunc(old)
		s.Defrag()
	}
	round()
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("a round allocates %v times", n)
	}
	if n := len(s.dead); n != 90 {
		t.Errorf("RemoveFunc keeps %d handles, want the 90 of its last call", n)
	}
}
