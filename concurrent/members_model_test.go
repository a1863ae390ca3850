package concurrent_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// guest is a value of the model test.
type guest struct {
	id  int
	ref *int // so that it has a pointer
}

type (
	guestHandle = berth.Handle[guest]
	// seat is a guest and its handle.
	seat struct {
		h guestHandle
		v guest
	}
	// kept is a snapshot, and all that it shows.
	kept struct {
		s    *concurrent.Snapshot[guest]
		want []seat
	}
)

// membersModel makes the calls that bytes encode on a Members and on a slice.
type membersModel struct {
	t      testing.TB
	m      *concurrent.Members[guest]
	data   []byte
	lives  int                  // of each slot, or 0
	slot0  uint32               // index of slot 0
	seats  []seat               // of the live, by slot
	issued []guestHandle        // all
	known  map[guestHandle]bool // all, true if live
	kept   []kept
	ids    int
	steps  int
}

// playMembers makes the calls that data encodes, and compares after each.
func playMembers(t testing.TB, data []byte) {
	p := membersModel{t: t, data: data[:min(len(data), 512)], known: map[guestHandle]bool{}}
	b := p.next()
	p.m = new(concurrent.Members[guest])
	if b%2 == 1 {
		p.m = concurrent.NewMembers[guest](uint32(b))
	}
	if p.lives = int(b / 2 % 4); p.lives > 0 {
		p.m.AgeForTest(p.lives)
	}
	for len(p.data) > 0 {
		p.step()
		p.steps++
		p.m.CheckInvariants()
		p.compare()
	}
}

// next returns the next byte, or 0 if there is none.
func (p *membersModel) next() byte {
	if len(p.data) == 0 {
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return b
}

// below returns a number less than n, from one byte.
func (p *membersModel) below(n int) int { return int(p.next()) * 257 % n }

func (p *membersModel) step() {
	switch b := p.next() % 20; b {
	case 0, 1, 2, 3:
		p.insert()
	case 4, 5:
		for range p.next() {
			p.insert()
		}
	case 6, 7, 8, 9:
		p.remove(int(p.next()))
	case 10:
		p.removeMany(int(p.next()), int(p.next()))
	case 11:
		p.removeMany(len(p.seats), 0)
	case 12:
		p.stale()
	case 13, 14, 15:
		p.keep()
	case 16:
		if n := len(p.kept); n > 0 {
			i := p.below(n)
			p.kept = slices.Delete(p.kept, i, i+1)
		}
	case 17:
		p.lookups()
	case 18:
		p.broadcast()
	case 19:
		p.stats()
	}
}

func (p *membersModel) insert() {
	if len(p.seats) >= 700 {
		return
	}
	p.ids++
	v := guest{p.ids, &p.ids}
	h := p.m.Insert(v)
	if _, ok := p.known[h]; ok || h.IsZero() || h.Uint64()>>32&1 == 0 {
		p.t.Fatalf("step %d: Insert = %v, issued before: %v", p.steps, h, ok)
	}
	if len(p.issued) == 0 {
		p.slot0 = uint32(h.Uint64())
	}
	at, _ := slices.BinarySearchFunc(p.seats, p.slot(h), p.bySlot)
	if p.lives == 0 && uint32(at) != p.slot(h) {
		p.t.Fatalf("step %d: Insert takes slot %d, of which %d below are live", p.steps, p.slot(h), at)
	}
	p.seats = slices.Insert(p.seats, at, seat{h, v})
	p.issued = append(p.issued, h)
	p.known[h] = true
}

func (p *membersModel) slot(h guestHandle) uint32 { return uint32(h.Uint64()) - p.slot0 }

func (p *membersModel) bySlot(s seat, slot uint32) int { return cmp.Compare(p.slot(s.h), slot) }

// remove removes the live value with a number, modulo their number.
func (p *membersModel) remove(i int) {
	if len(p.seats) == 0 {
		return
	}
	i %= len(p.seats)
	s := p.seats[i]
	if v, ok := p.m.Remove(s.h); !ok || v != s.v {
		p.t.Fatalf("step %d: Remove(%v) = %v, %v; want %v", p.steps, s.h, v, ok, s.v)
	}
	p.seats = slices.Delete(p.seats, i, i+1)
	p.known[s.h] = false
	if v, ok := p.m.Remove(s.h); ok || v != (guest{}) {
		p.t.Fatalf("step %d: Remove(%v) again = %v, %v", p.steps, s.h, v, ok)
	}
}

// removeMany removes n values: the lowest, the highest, or every fifth.
func (p *membersModel) removeMany(n, how int) {
	for i := range min(n, len(p.seats)) {
		p.remove([]int{0, len(p.seats) - 1, 5 * i}[how%3])
	}
}

// stale uses handles that find nothing.
func (p *membersModel) stale() {
	u := uint64(0)
	for range 8 {
		u = u<<8 | uint64(p.next())
	}
	hs := []guestHandle{{}, berth.HandleFromUint64[guest](u)}
	if n := len(p.issued); n > 0 {
		h := p.issued[p.below(n)]
		hs = append(hs, h)
		for i := range 64 {
			hs = append(hs, berth.HandleFromUint64[guest](h.Uint64()^1<<i))
		}
	}
	for _, h := range hs {
		if p.known[h] {
			continue
		}
		if v, ok := p.m.Remove(h); ok || v != (guest{}) {
			p.t.Fatalf("step %d: Remove(%v) = %v, %v", p.steps, h, v, ok)
		}
		for _, k := range p.kept {
			shown := slices.ContainsFunc(k.want, func(s seat) bool { return s.h == h })
			if v, ok := k.s.Get(h); ok != shown {
				p.t.Fatalf("step %d: a snapshot's Get(%v) = %v, %v", p.steps, h, v, ok)
			}
		}
	}
}

// keep keeps a snapshot, and drops one of many.
func (p *membersModel) keep() {
	if len(p.kept) == 5 {
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	p.kept = append(p.kept, kept{p.m.Snapshot(), slices.Clone(p.seats)})
}

// lookups makes enough of them for a snapshot.
func (p *membersModel) lookups() {
	for i := range int(p.next()) {
		if n := len(p.issued); n > 0 {
			p.lookup(p.issued[i*31%n])
		}
	}
}

func (p *membersModel) lookup(h guestHandle) {
	i := slices.IndexFunc(p.seats, func(s seat) bool { return s.h == h })
	v, ok := p.m.Get(h)
	if ok != (i >= 0) || ok && v != p.seats[i].v || p.m.Contains(h) != ok {
		p.t.Fatalf("step %d: Get(%v) = %v, %v; live %v", p.steps, h, v, ok, i >= 0)
	}
}

// broadcast changes the members in a loop over a snapshot.
func (p *membersModel) broadcast() {
	want := slices.Clone(p.seats)
	var got []seat
	for h, v := range p.m.Snapshot().All() {
		got = append(got, seat{h, v})
		if len(got) > 12 {
			continue
		}
		switch p.next() % 4 {
		case 1:
			p.insert()
		case 2:
			p.remove(int(p.next()))
		case 3:
			if p.known[h] {
				p.remove(slices.IndexFunc(p.seats, func(s seat) bool { return s.h == h }))
			}
		}
	}
	if !slices.Equal(got, want) {
		p.t.Fatalf("step %d: a loop with changes visits %v, want %v", p.steps, got, want)
	}
}

func (p *membersModel) stats() {
	s := p.m.Stats()
	if s.Live != len(p.seats) || s.Inserts != uint64(len(p.issued)) || s.Bytes <= 0 ||
		s.Removes != s.Inserts-uint64(s.Live) || s.Grown-s.Truncated != uint64(s.Chunks) ||
		s.Vacant < 0 || s.Live+s.Vacant > s.Chunks*64 ||
		p.lives == 0 && (s.Retired != 0 || s.Live+s.Vacant != s.Chunks*64) {
		p.t.Fatalf("step %d: %d live, %d inserted: Stats() = %+v",
			p.steps, len(p.seats), len(p.issued), s)
	}
}

// compare compares the present state and all snapshots with what they must show.
func (p *membersModel) compare() {
	if n := p.m.Len(); n != len(p.seats) {
		p.t.Fatalf("step %d: Len() = %d, want %d", p.steps, n, len(p.seats))
	}
	if n := len(p.issued); n > 0 {
		p.lookup(p.issued[p.steps*31%n])
	}
	if p.steps%8 != 0 && len(p.seats) > 100 {
		return
	}
	p.shows("now", p.m.NowForTest(), p.seats)
	for _, k := range p.kept {
		p.shows("a snapshot", k.s, k.want)
	}
}

// shows checks that s shows exactly want.
func (p *membersModel) shows(name string, s *concurrent.Snapshot[guest], want []seat) {
	values := make([]guest, 0, len(want))
	for _, x := range want {
		values = append(values, x.v)
	}
	if got := s.Collect(); s.Len() != len(want) || !slices.Equal(got, values) {
		p.t.Fatalf("step %d: %s has %d values %v, want %v", p.steps, name, s.Len(), got, values)
	}
	i := 0
	for h, v := range s.All() {
		if i >= len(want) || want[i] != (seat{h, v}) {
			p.t.Fatalf("step %d: All of %s visits %v %v, want %v", p.steps, name, h, v, want)
		}
		if got, ok := s.Get(h); !ok || got != v || !s.Contains(h) {
			p.t.Fatalf("step %d: Get(%v) of %s = %v, %v, want %v", p.steps, h, name, got, ok, v)
		}
		i++
	}
	for i := len(p.issued) - 1; i >= 0; i -= 1 + len(p.issued)/16 {
		h := p.issued[i]
		at, ok := slices.BinarySearchFunc(want, p.slot(h), p.bySlot)
		if shown := ok && want[at].h == h; s.Contains(h) != shown {
			p.t.Fatalf("step %d: Contains(%v) of %s = %v", p.steps, h, name, !shown)
		}
	}
	for span, at := s.Span(0); span != nil; span, at = s.Span(at) {
		if len(span) > len(want) || cap(span) != len(span) {
			p.t.Fatalf("step %d: a span of %s has %d of %d values", p.steps, name, len(span), len(want))
		}
		for i, v := range span {
			if want[i].v != v || p.slot(want[i].h) != uint32(at-len(span)+i) {
				p.t.Fatalf("step %d: a span of %s up to slot %d has %v, want %v",
					p.steps, name, at, span, want[:len(span)])
			}
		}
		want = want[len(span):]
	}
	if len(want) > 0 {
		p.t.Fatalf("step %d: the spans of %s lack %v", p.steps, name, want)
	}
}

// Each kept snapshot shows what it showed when it was made, whatever happens later.
func TestMembersModel(t *testing.T) {
	for seed := range 40 {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			data := make([]byte, 200)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			data[0] = byte(seed)
			playMembers(t, data)
		})
	}
}

func FuzzMembers(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { playMembers(t, data) })
}
