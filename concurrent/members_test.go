package concurrent_test

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/invariants"
)

// fillMembers returns a Members of the values 0 to n-1, and their handles.
func fillMembers(n int) (*concurrent.Members[int], []berth.Handle[int]) {
	m := new(concurrent.Members[int])
	hs := make([]berth.Handle[int], n)
	for i := range hs {
		hs[i] = m.Insert(i)
	}
	return m, hs
}

func TestMembersZero(t *testing.T) {
	var m concurrent.Members[int]
	old := m.Snapshot()
	for name, s := range map[string]*concurrent.Snapshot[int]{
		"of the zero Members": old, "zero": new(concurrent.Snapshot[int]),
	} {
		if span, at := s.Span(0); s.Len() != 0 || len(s.Collect()) != 0 || span != nil || at != 0 {
			t.Errorf("the Snapshot %s has values", name)
		}
		for h, v := range s.All() {
			t.Errorf("the Snapshot %s has %v, %v", name, h, v)
		}
	}
	none := berth.Handle[int]{}
	if _, ok := m.Get(none); ok || m.Contains(none) || m.Len() != 0 {
		t.Error("the zero Members has a value")
	}
	if _, ok := m.Remove(none); ok {
		t.Error("the zero Members has removed a value")
	}
	if s := m.Stats(); s.Live != 0 || s.Chunks != 0 || s.Bytes == 0 || s.Inserts != 0 {
		t.Errorf("Stats() = %+v", s)
	}
	h := m.Insert(7)
	if v, ok := m.Get(h); !ok || v != 7 || old.Contains(h) || old.Len() != 0 {
		t.Errorf("Get(%v) = %v, %v; an older snapshot has it: %v", h, v, ok, old.Contains(h))
	}
}

// The same seed and calls make the same handles, also on other machines.
func TestMembersSeed(t *testing.T) {
	m := concurrent.NewMembers[int](1)
	a, b := m.Insert(1), m.Insert(2)
	m.Remove(a)
	c := m.Insert(3)
	got := fmt.Sprint(a, b, c)
	want := "2654435769:1779033703 2654435770:1779033703 2654435769:1779033705"
	if got != want {
		t.Errorf("handles %s, want %s", got, want)
	}
	if h := berth.NewPool[int](berth.Config{Seed: 1}).Insert(1); h != a {
		t.Errorf("a Pool of that Seed begins with %v", h)
	}
}

// A Span may begin in the middle of a run, in a block or node without values, and anywhere else.
func TestSnapshotSpan(t *testing.T) {
	m, hs := fillMembers(5000)
	for i, h := range hs {
		if i > 100 && i < 4300 || i%7 == 0 {
			m.Remove(h)
		}
	}
	s := m.Snapshot()
	lives := func(slot int) bool { return slot < 5000 && (slot <= 100 || slot >= 4300) && slot%7 != 0 }
	for from := range 5200 {
		first := from
		for first < 5000 && !lives(first) {
			first++
		}
		end := first
		for lives(end) && (end == first || end%64 != 0) {
			end++
		}
		var want []int
		for i := first; i < end; i++ {
			want = append(want, i)
		}
		if span, next := s.Span(from); !slices.Equal(span, want) || len(span) > 0 && next != end ||
			len(span) == 0 && (span != nil || next != 0) {
			t.Fatalf("Span(%d) = %v, %d; want %v, %d", from, span, next, want, end)
		}
	}
	for _, from := range []int{-1, -5000, math.MinInt, math.MaxInt} {
		if span, next := s.Span(from); span != nil || next != 0 {
			t.Errorf("Span(%d) = %v, %d", from, span, next)
		}
	}
	n := 0
	for range s.All() {
		if n++; n == 65 {
			break
		}
	}
	if n != 65 {
		t.Errorf("a loop that breaks visits %d", n)
	}
}

// Lookups take the lock only for a while: then one of them makes a snapshot, up to the next change.
func TestMembersPatience(t *testing.T) {
	m, hs := fillMembers(10)
	for round, look := range []func(h berth.Handle[int]) bool{
		func(h berth.Handle[int]) bool { _, ok := m.Get(h); return ok },
		m.Contains,
	} {
		for turn := range 2 {
			if m.IsShownForTest() {
				t.Errorf("round %d: a change leaves the old snapshot", round)
			}
			for i := range 31 {
				if !look(hs[i%10]) || look(berth.Handle[int]{}) {
					t.Fatalf("%v is not found, or the zero Handle", hs[i%10])
				}
				if shown := m.IsShownForTest(); shown != (i >= 15) {
					t.Errorf("round %d, lookup %d: shown %v", round, 2*i+2, shown)
				}
			}
			if n := m.LooksForTest(); n != 32 {
				t.Errorf("round %d: %d lookups under the lock, want 32", round, n)
			}
			if turn == 0 {
				hs = append(hs, m.Insert(1))
			} else {
				m.Remove(hs[10])
				hs = hs[:10]
			}
		}
		for range 31 {
			look(hs[0])
		}
		m.Remove(m.Insert(1))
		look(hs[0])
		if m.IsShownForTest() {
			t.Errorf("round %d: lookups before a change count after it", round)
		}
	}
}

// A full Members refuses, and takes the place of a value that leaves.
func TestMembersFull(t *testing.T) {
	m := concurrent.NewMembers[int](3)
	if had := m.LimitForTest(2); uint64(had)*64 != 1<<32 {
		t.Errorf("indices for %d blocks, want 2^32 slots", had)
	}
	var hs []berth.Handle[int]
	for i := range 128 {
		hs = append(hs, m.Insert(i))
	}
	s := m.Snapshot()
	for range 2 {
		if h := m.Insert(1); !h.IsZero() {
			t.Fatalf("a full Members issues %v", h)
		}
		if m.Len() != 128 || m.Snapshot() != s {
			t.Error("an insert that fails changes the Members")
		}
	}
	m.Remove(hs[77])
	h := m.Insert(2)
	if uint32(h.Uint64()) != uint32(hs[77].Uint64()) || !m.Insert(3).IsZero() {
		t.Errorf("the slot of %v is taken by %v", hs[77], h)
	}
}

// A slot without lives left is retired, and a block with such a slot when it empties.
func TestMembersRetire(t *testing.T) {
	m := new(concurrent.Members[int])
	m.AgeForTest(2)
	m.LimitForTest(2)
	stay := m.Insert(0) // in slot 0
	seen := map[berth.Handle[int]]bool{stay: true}
	add := func() berth.Handle[int] {
		h := m.Insert(1)
		if !h.IsZero() && (seen[h] || m.Len() != 2) {
			t.Fatalf("%v is issued twice, or %d values", h, m.Len())
		}
		seen[h] = true
		return h
	}
	lives := 0
	for h := add(); !h.IsZero(); h = add() {
		m.Snapshot()
		m.Remove(h)
		lives++
		m.CheckInvariants()
	}
	if s := m.Stats(); lives != 63*2+2 || s.Retired != 63+64 || s.Vacant != 0 || s.Live != 1 {
		t.Errorf("after %d lives Stats() = %+v", lives, s)
	}
	m.Remove(stay)
	if s := m.Stats(); !m.Insert(1).IsZero() || s.Retired != 128 || s.Chunks != 0 {
		t.Errorf("Stats() = %+v, want all retired", s)
	}
	for h := range seen {
		if m.Contains(h) {
			t.Errorf("%v is found", h)
		}
	}
	m.CheckInvariants()
}

// Memory follows the live values: of a peak, nothing is left but one block and one node, and the
// handles of the peak stay stale.
func TestMembersMemory(t *testing.T) {
	n := 1_000_000
	if invariants.On {
		n = 20_000
	}
	m, hs := fillMembers(n)
	peak := m.Stats()
	if peak.Chunks != (n+63)/64 || peak.Live+peak.Vacant != peak.Chunks*64 {
		t.Errorf("Stats() = %+v", peak)
	}
	first := uint32(hs[0].Uint64())
	for _, h := range hs[1:] {
		m.Remove(h)
	}
	if s := m.Stats(); s.Chunks != 1 || s.Bytes > 4000 || m.FloorsForTest() != 16 {
		t.Errorf("Stats() = %+v with one value left, %d blocks remembered", s, m.FloorsForTest())
	}
	m.Remove(hs[0])
	if s := m.Stats(); s.Chunks != 0 || s.Bytes > 3000 || m.FloorsForTest() != 0 ||
		s.Grown != uint64(peak.Chunks) || s.Truncated != s.Grown || s.Removes != uint64(n) {
		t.Errorf("Stats() = %+v without values, %d blocks remembered", s, m.FloorsForTest())
	}
	for i := range n {
		if h := m.Insert(i); h == hs[i] || uint32(h.Uint64()) != first+uint32(i) {
			t.Fatalf("insert %d after the peak returns %v, the peak had %v", i, h, hs[i])
		}
	}
	for _, h := range hs {
		if m.Contains(h) {
			t.Fatalf("%v is found", h)
		}
	}
}

// One slot that is reused often must not shorten the lives of blocks that come later.
func TestMembersHardWorn(t *testing.T) {
	m := new(concurrent.Members[int])
	m.AgeForTest(10)
	for range 2 {
		m.Remove(m.Insert(1))
		if n := m.FloorsForTest(); n != 1 {
			t.Errorf("%d blocks remembered, want the hard-worn", n)
		}
	}
	m.CheckInvariants()
}

// weakMember returns a handle of a new value of m, and a weak pointer to it.
//
//go:noinline
func weakMember(m *concurrent.Members[*[64]int]) (berth.Handle[*[64]int], weak.Pointer[[64]int]) {
	v := new([64]int)
	return m.Insert(v), weak.Make(v)
}

// Remove lets go of a value once no snapshot shows it, whatever blocks it shares.
func TestMembersKeepNothing(t *testing.T) {
	gone := func(w weak.Pointer[[64]int]) bool {
		runtime.GC()
		runtime.GC()
		return w.Value() == nil
	}
	for _, others := range []int{0, 1, 63, 64, 3000} {
		m := new(concurrent.Members[*[64]int])
		for range others {
			m.Insert(new([64]int))
		}

		h, w := weakMember(m)
		m.Remove(h)
		if !gone(w) {
			t.Errorf("%d others: a value that nobody saw is kept", others)
		}

		before := m.Snapshot()
		h, w = weakMember(m)
		m.Remove(h)
		if !gone(w) {
			t.Errorf("%d others: a value that came after a snapshot, and left before the next, is kept", others)
		}

		h, w = weakMember(m)
		s := m.Snapshot()
		m.Remove(h)
		if v, ok := s.Get(h); !ok || gone(w) {
			t.Errorf("%d others: a snapshot has lost its value %v", others, v)
		}
		if before.Contains(h) || before.Len() != others {
			t.Errorf("%d others: an older snapshot has changed", others)
		}
		runtime.KeepAlive(s) // from here on nobody has a snapshot
		if !gone(w) {
			t.Errorf("%d others: a value is kept that no snapshot shows", others)
		}
		if n := len(m.Snapshot().Collect()); n != others {
			t.Errorf("%d values, want %d", n, others)
		}
	}
}

// A call that changes nothing allocates nothing. A change after a Snapshot allocates its copies.
func TestMembersAllocs(t *testing.T) {
	m, hs := fillMembers(10_000)
	at, sum, left := 0, 0, 0
	turn := func() berth.Handle[int] { at = (at + 7919) % len(hs); return hs[at] }
	replace := func() {
		h := turn()
		v, _ := m.Remove(h)
		hs[at] = m.Insert(v)
	}
	for _, c := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Remove and Insert", 0, replace},
		{"Get after a change", 0, func() { replace(); _, _ = m.Get(turn()) }},
		{"Get and Contains", 0, func() { _, _ = m.Get(turn()); m.Contains(turn()) }},
		{"Len and the same Snapshot", 0, func() { sum += m.Len() + m.Snapshot().Len() }},
		{"Stats", 0, func() { sum += m.Stats().Live }},
		{"Snapshot.Get and Contains", 0, func() { _, _ = m.Snapshot().Get(turn()) }},
		{"Span", 0, func() {
			s := m.Snapshot()
			for span, at := s.Span(0); span != nil; span, at = s.Span(at) {
				sum += span[0]
			}
		}},
		{"All", 0, func() {
			for _, v := range m.Snapshot().All() {
				sum += v
			}
		}},
		{"Collect", 1, func() { sum += len(m.Snapshot().Collect()) }},
		// The snapshot, the list of nodes, a node, and for a removal a block.
		{"Insert and Snapshot", 3, func() { hs = append(hs, m.Insert(1)); m.Snapshot() }},
		{"two Removes in a block and Snapshot", 4, func() {
			m.Remove(hs[left])
			m.Remove(hs[left+1])
			left += 4 // so that no block empties
			m.Snapshot()
		}},
	} {
		if got := testing.AllocsPerRun(25, c.f); got != c.want && !invariants.On {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
	if sum == 0 {
		t.Error("nothing was read")
	}
}

// 10 000 members join, each followed by a look at all, for less than 10 MB.
func TestMembersJoinBytes(t *testing.T) {
	if bits.UintSize == 64 {
		leafBytes, nodeBytes, snapshotBytes := new(concurrent.Members[any]).SizesForTest()
		if leafBytes != 24+64*(4+16) || nodeBytes != 16+16*(8+8) || snapshotBytes != 40 {
			t.Errorf("a block of 64 takes %d bytes, a node %d, a Snapshot %d",
				leafBytes, nodeBytes, snapshotBytes)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var m concurrent.Members[any]
	for i := range 10_000 {
		m.Insert(nil)
		if n := m.Snapshot().Len(); n != i+1 {
			t.Fatalf("%d members after %d joins", n, i+1)
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 10_000_000 && !invariants.On {
		t.Errorf("10 000 joins took %d bytes", got)
	}
}
