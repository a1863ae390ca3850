package concurrent_test

import (
	"context"
	"math/bits"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// TestStatsCounters checks that a value is counted as removed when its handle becomes stale, also if
// leases keep it, and that one under construction is not counted.
func TestStatsCounters(t *testing.T) {
	dropping := func() {}
	p := concurrent.New(concurrent.Config[int]{
		Shards: 2, Limit: 50, Drop: func(berth.Handle[int], *int) { dropping() },
	})
	check := func(what string, inserts, removes uint64) {
		t.Helper()
		s := p.Stats()
		if s.Inserts != inserts || s.Removes != removes || s.Inserts != s.Removes+uint64(s.Live) {
			t.Errorf("%s: %+v, want %d inserts and %d removals", what, s, inserts, removes)
		}
		if s.Limit != 50 {
			t.Errorf("%s: Limit %d", what, s.Limit)
		}
	}
	check("new", 0, 0)
	h := p.Insert(1)
	l, ok := p.Acquire(h)
	if !ok {
		t.Fatal("no lease")
	}
	p.Delete(h)
	check("removed under a lease", 1, 1)
	dropping = func() { check("in Drop", 1, 1) }
	l.Release()
	check("released", 1, 1)
	dropping = func() {}

	p.InsertFunc(func(berth.Handle[int], *int) { check("under construction", 1, 1) })
	check("built", 2, 1)
	func() {
		defer func() { _ = recover() }()
		p.InsertFunc(func(berth.Handle[int], *int) { panic("no") })
	}()
	check("InsertFunc has panicked", 2, 1)

	for range 40 {
		h = p.Insert(2)
	}
	check("more", 42, 1)
	if _, err := concurrent.Take(context.Background(), p, h); err != nil {
		t.Fatal(err)
	}
	check("taken", 42, 2)
	p.Clear()
	check("cleared", 42, 42)
	for p.Insert(3) != (berth.Handle[int]{}) {
	}
	check("full", 92, 42)
	if s := p.Stats(); s.Grown < uint64(s.Chunks) || s.Grown == 0 {
		t.Errorf("%+v", s)
	}

	var zero concurrent.Pool[int]
	if s := zero.Stats(); s.Inserts != 0 || s.Limit != 0 {
		t.Errorf("zero Pool: %+v", s)
	}
	zero.Delete(zero.Insert(1))
	if s := zero.Stats(); s.Inserts != 1 || s.Removes != 1 || s.Limit != 0 {
		t.Errorf("zero Pool: %+v", s)
	}
}

// TestSlots compares Slots with Stats, with values that are leased and removed, and under
// construction.
func TestSlots(t *testing.T) {
	p := concurrent.New(concurrent.Config[int]{Shards: 4})
	check := func(what string, hidden int) {
		t.Helper()
		live, vacant, words := 0, 0, 0
		for s := range p.Slots() {
			if s.Live&s.Vacant != 0 {
				t.Fatalf("%s: a slot has two states: %+x", what, s)
			}
			live += bits.OnesCount64(s.Live)
			vacant += bits.OnesCount64(s.Vacant)
			words++
		}
		s := p.Stats()
		if live != s.Live || vacant != s.Vacant || words*64 != live+vacant+hidden {
			t.Errorf("%s: %d live and %d vacant slots in %d words, Stats %+v", what, live, vacant, words, s)
		}
	}
	check("new", 0)
	var hs []berth.Handle[int]
	for i := range 1000 {
		hs = append(hs, p.Insert(i))
	}
	check("filled", 0)
	leases := make([]concurrent.Lease[int], 300)
	for i, h := range hs[:300] {
		ok := false
		if leases[i], ok = p.Acquire(h); !ok {
			t.Fatal("no lease")
		}
		if i%2 == 0 {
			p.Delete(h)
		}
	}
	check("leased", 150)
	p.InsertFunc(func(berth.Handle[int], *int) { check("under construction", 151) })
	for i := range leases {
		leases[i].Release()
	}
	check("released", 0)
	for range p.Slots() {
		p.Insert(1) // holds no lock
		break
	}
	var zero concurrent.Pool[int]
	for range zero.Slots() {
		t.Error("the zero Pool has slots")
	}
}
