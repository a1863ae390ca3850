package stable_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// counted is the number of values, of touched slots without one, of truncations and of visits.
type counted struct {
	live, vacant      int
	truncated, visits uint64
}

// counts returns what is counted of l.
func counts[T any, I stable.Index, D stable.Identifier[D]](l *stable.ListOf[T, I, D]) counted {
	s := l.Stats()
	return counted{s.Live, l.Touched() - s.Live, s.Truncated, s.Visits}
}

// sameCounters reports whether a and b differ at most in the memory they hold.
func sameCounters(a, b stable.Stats) bool {
	a.Bytes, b.Bytes = 0, 0
	return a == b
}

// TestStatsCounters counts inserts and removals beside a list, in each placement.
func TestStatsCounters(t *testing.T) {
	for p := stable.FirstFree; p <= stable.QuarteredStepwise; p++ {
		rng := rand.New(rand.NewPCG(1, uint64(p)))
		l := stable.New[int](stable.Config{Placement: p})
		var inserts, removes uint64
		check := func(what string) {
			t.Helper()
			s := l.Stats()
			if s.Inserts != inserts || s.Removes != removes || inserts != removes+uint64(s.Live) ||
				s.Live+s.Vacant != l.Cap() || s.Chunks != min(1, l.Cap()) {
				t.Fatalf("%v: after %s: %+v, want %d inserts and %d removals", p, what, s, inserts, removes)
			}
		}
		var saved []byte
		other := stable.New[int](stable.Config{})
		for step := range 2000 {
			ks := slices.Collect(berth.Handles(l))
			switch op := rng.IntN(22); {
			case op < 8:
				for range rng.IntN(4) {
					l.Insert(step)
					inserts++
				}
				check("Insert")
			case op < 12 && len(ks) > 0:
				l.Remove(ks[rng.IntN(len(ks))])
				removes++
				check("Remove")
			case op < 16 && len(ks) > 0:
				l.Delete(ks[rng.IntN(len(ks))])
				removes++
				check("Delete")
			case op == 16:
				removes += uint64(l.RemoveFunc(func(stable.ListKey[int], *int) bool { return rng.IntN(3) == 0 }))
				check("RemoveFunc")
			case op == 17 && rng.IntN(8) == 0:
				removes += uint64(l.Len())
				l.Clear()
				check("Clear")
			case op == 18:
				l.Clip()
				check("Clip")
			case op == 19 && len(ks) > 0:
				l.Remove(ks[0])
				if err := l.InsertAt(ks[0], 1); err != nil {
					t.Fatal(err)
				}
				removes++
				inserts++
				check("InsertAt")
			case op == 20:
				if other.CopyFrom(l); !sameCounters(other.Stats(), l.Stats()) {
					t.Fatalf("%v: CopyFrom: %+v, want %+v", p, other.Stats(), l.Stats())
				}
				c := l.Clone()
				if c.Insert(1); c.Stats().Inserts != inserts+1 || !sameCounters(l.Clone().Stats(), l.Stats()) {
					t.Fatalf("%v: Clone: %+v, want %+v", p, c.Stats(), l.Stats())
				}
			case op == 21:
				var err error
				if saved, err = l.MarshalBinary(); err != nil {
					t.Fatal(err)
				}
				if err := other.UnmarshalBinary(saved); err != nil {
					t.Fatal(err)
				}
				if s := other.Stats(); s.Inserts != uint64(s.Live) || s.Removes != 0 || s.Grown > 1 {
					t.Fatalf("%v: loaded: %+v", p, s)
				}
			}
		}
		if s := l.Stats(); s.Bytes < 8*l.Cap() || s.Grown == 0 {
			t.Errorf("%v: %+v, Cap %d", p, s, l.Cap())
		}
	}
}

// A load by any method starts the counters anew.
func TestStatsAfterLoad(t *testing.T) {
	var from stable.List[int]
	from.Insert(1)
	data, _ := from.MarshalBinary()
	for name, load := range map[string]func(l *stable.List[int]) error{
		"UnmarshalBinary": func(l *stable.List[int]) error { return l.UnmarshalBinary(data) },
		"Decode": func(l *stable.List[int]) error {
			err := l.Decode(bytes.NewReader(data), nil)
			return err
		},
	} {
		var l stable.List[int]
		l.Insert(1)
		l.Delete(l.Insert(2))
		if l.Stats().Truncated != 1 {
			t.Fatal("the removal of the last value does not count as a truncation")
		}
		err := load(&l)
		s := l.Stats()
		if err != nil || s.Inserts != 1 || s.Removes+s.Truncated+s.Visits != 0 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// TestStatsLimit checks the Limit of Stats for each type of index.
func TestStatsLimit(t *testing.T) {
	var narrow stable.ListOf[int, uint16, stable.Counter32]
	if s := narrow.Stats(); s.Limit != 1<<16 {
		t.Errorf("%d slots with 16 bits", s.Limit)
	}
	var wide stable.ListOf[int, uint64, stable.Counter32]
	if s := wide.Stats(); s.Limit != 0 {
		t.Errorf("%d slots with 64 bits", s.Limit)
	}
}
