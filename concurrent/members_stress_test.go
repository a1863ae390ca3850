package concurrent_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/long"
)

// chair is one of the places between which a stress test's members come and go. Its turn grows by
// one before and after each join and leave: it is 0 modulo 4 while nobody sits there, and 2 while
// somebody does.
type chair struct {
	turn atomic.Uint64
	h    berth.Handle[*sitter] // of its writer
	v    *sitter
}

// sitter is a member. It does not change.
type sitter struct {
	chair int
	turn  uint64 // of the chair when it sits
}

const (
	writers = 4
	chairs  = 40 // of each writer
)

// stress is the state that the goroutines of TestMembersStress share.
type stress struct {
	t      *testing.T
	m      concurrent.Members[*sitter]
	chairs [writers * chairs]chair
}

// write lets members of the chairs of a writer join and leave.
func (s *stress) write(writer, times int) {
	r := rand.New(rand.NewPCG(uint64(writer), 2))
	for range times {
		at := writer*chairs + r.IntN(chairs)
		c := &s.chairs[at]
		if turn := c.turn.Add(1); turn%4 == 1 {
			c.v = &sitter{at, turn + 1}
			c.h = s.m.Insert(c.v)
			if v, ok := s.m.Get(c.h); !ok || v != c.v {
				s.t.Errorf("Get of a new member = %v, %v", v, ok)
			}
		} else {
			if v, ok := s.m.Remove(c.h); !ok || v != c.v {
				s.t.Errorf("Remove = %v, %v; want %v", v, ok, c.v)
			}
			if s.m.Contains(c.h) {
				s.t.Error("a removed member is found")
			}
		}
		c.turn.Add(1)
		if r.IntN(8) == 0 {
			runtime.Gosched()
		}
	}
}

// turns returns the turns of all chairs.
func (s *stress) turns() (all []uint64) {
	for i := range s.chairs {
		all = append(all, s.chairs[i].turn.Load())
	}
	return all
}

// read compares a new snapshot with the turns of the chairs before and after it was made, and looks
// up the handles of an older one.
func (s *stress) read(old *concurrent.Snapshot[*sitter]) *concurrent.Snapshot[*sitter] {
	before := s.turns()
	snap := s.m.Snapshot()
	after := s.turns()
	seen, n := map[int]uint64{}, 0
	for h, v := range snap.All() {
		n++
		if v == nil {
			s.t.Error("a loop sees a vacant slot")
			return snap
		}
		if got, ok := snap.Get(h); !ok || got != v {
			s.t.Errorf("Get of a snapshot = %v, %v; want %v", got, ok, v)
		}
		if v.turn+1 < before[v.chair] || v.turn > after[v.chair]+1 || seen[v.chair] != 0 {
			s.t.Errorf("a member of turn %d is seen between %d and %d, with %d",
				v.turn, before[v.chair], after[v.chair], seen[v.chair])
		}
		seen[v.chair] = v.turn
	}
	for i := range before {
		if before[i] == after[i] && before[i]%2 == 0 && (before[i]%4 == 2) != (seen[i] != 0) {
			s.t.Errorf("a chair at turn %d shows turn %d", before[i], seen[i])
		}
	}
	for h, v := range old.All() {
		// Its slot may be taken in this moment, in a block of snap.
		if got, ok := snap.Get(h); ok != (seen[v.chair] == v.turn) || ok && got != v {
			s.t.Errorf("Get of an older handle = %v, %v; a loop sees turn %d", got, ok, seen[v.chair])
		}
	}
	if all := snap.Collect(); n != snap.Len() || n != len(all) || slices.Contains(all, nil) {
		s.t.Errorf("a loop visits %d of %d values, Collect has %d", n, snap.Len(), len(all))
	}
	return snap
}

// Snapshots show one moment each, and never change, while members join and leave.
func TestMembersStress(t *testing.T) {
	noLeaks(t)
	times := 4000
	if long.On {
		times *= 20
	}
	s := stress{t: t}
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		writing.Add(1)
		go func() {
			defer writing.Done()
			s.write(w, times)
		}()
	}
	for range 2 {
		reading.Add(1)
		go func() {
			defer reading.Done()
			old := s.read(new(concurrent.Snapshot[*sitter]))
			want := old.Collect()
			for turn := 0; ; turn++ {
				select {
				case <-done:
					return
				default:
				}
				snap := s.read(old)
				if got := old.Collect(); !slices.Equal(got, want) {
					t.Errorf("a snapshot has changed from %v to %v", want, got)
				}
				if turn%16 == 0 {
					old, want = snap, snap.Collect()
				}
				if st := s.m.Stats(); st.Live+st.Vacant != st.Chunks*64 {
					t.Errorf("Stats() = %+v", st)
				}
			}
		}()
	}
	writing.Wait()
	close(done)
	reading.Wait()
	s.m.CheckInvariants()
	s.read(s.m.Snapshot())
}

// Inserts write into blocks of a snapshot, and nobody who reads it can tell.
func TestMembersInPlace(t *testing.T) {
	m, hs := fillMembers(128)
	for i := 0; i < len(hs); i += 2 {
		m.Remove(hs[i])
	}
	s := m.Snapshot()
	want := s.Collect()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range len(hs) / 2 {
			m.Insert(i)
		}
	}()
	for i, h := range hs {
		next := berth.HandleFromUint64[int](h.Uint64() + 2<<32) // that of the insert
		if v, ok := s.Get(h); ok != (i%2 == 1) || ok && v != i || s.Contains(next) {
			t.Errorf("Get(%v) = %v, %v; the next handle is found: %v", h, v, ok, s.Contains(next))
		}
	}
	if got := s.Collect(); !slices.Equal(got, want) {
		t.Errorf("a snapshot has changed from %v to %v", want, got)
	}
	<-done
	if got := s.Collect(); !slices.Equal(got, want) || m.Len() != len(hs) {
		t.Errorf("a snapshot has changed from %v to %v", want, got)
	}
}
