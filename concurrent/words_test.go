package concurrent

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// Words are placed for live values only, and their directory grows by doubling.
func TestWordsGrow(t *testing.T) {
	p := New(Config[int]{Shards: 1, Seed: 1})
	s := &p.core.shards[0]
	h := p.Insert(1)
	p.Delete(h)
	if _, ok := p.Acquire(h); ok || s.held != 0 {
		t.Errorf("Acquire of a stale handle is %v, and %d blocks have words", ok, s.held)
	}
	grown := 0
	for range 20_000 {
		was := s.dir.Load()
		p.Use(p.Insert(1), func(*int) {})
		if s.dir.Load() != was {
			grown++
		}
	}
	if grown > 12 {
		t.Errorf("the directory grows %d times for 20000 values", grown)
	}
}

// The word of a vacant slot is the word of no handle.
func TestVacantWord(t *testing.T) {
	p := New(Config[int]{Shards: 1, Seed: 1})
	h := p.Insert(1)
	p.Use(h, func(*int) {})
	p.Delete(h)
	for _, gen := range []uint64{0, 1, h.Uint64()>>32 - 1, h.Uint64() >> 32, h.Uint64()>>32 + 1} {
		g := berth.HandleFromUint64[int](gen<<32 | h.Uint64()&(1<<32-1))
		if _, ok := p.Acquire(g); ok || p.Contains(g) {
			t.Errorf("Acquire(%v) of a vacant slot is %v, Contains is %v", g, ok, p.Contains(g))
		}
	}
}

// A goroutine that looked up words before their block was released finds nothing in them, also when
// the slots have new values.
func TestReleasedWords(t *testing.T) {
	p := New(Config[int]{Shards: 1, Seed: 1})
	s := &p.core.shards[0]
	const n = 10_000
	hs := make([]berth.Handle[int], n)
	late := make([]*words, n)
	insert := func() {
		for i := range hs {
			hs[i] = p.Insert(i)
		}
	}
	insert()
	for i, h := range hs {
		l, _ := p.Acquire(h)
		late[i] = l.b
		l.Release()
	}
	if got := s.held; got != (n+63)/64 || len(*s.dir.Load()) < n/64 {
		t.Errorf("%d blocks have words", got)
	}
	most := p.Stats().Bytes
	for _, h := range hs {
		p.Delete(h)
	}
	s.check()
	if s.held > 8 || s.places > minPlaces || p.Stats().Bytes > most/10 {
		t.Errorf("an empty pool has %d blocks with words, %d places, %d bytes, and had %d",
			s.held, s.places, p.Stats().Bytes, most)
	}
	insert()
	for i, h := range hs {
		id := idOf(h.Uint64())
		slot := s.slot(id)
		if b := s.wordsOf(slot); b != nil && b != late[i] && late[i].lease(id, slot) {
			t.Fatalf("released words lease %v", h)
		}
		l, ok := p.Acquire(h)
		if !ok || *l.Value() != i {
			t.Fatalf("Acquire(%v) = %v", h, ok)
		}
		l.Release()
	}
	s.check()
}
