package concurrent_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/long"
)

// A reserved handle finds nothing, keeps its slot and its place within Limit, and is filled once.
func TestReserve(t *testing.T) {
	var d drops[int]
	p := concurrent.New(config{Shards: 1, Limit: 3, Drop: d.drop})
	h, other := concurrent.Reserve(p), p.Insert(1)
	absent := func() {
		t.Helper()
		mustBeGone(t, p, h)
		if _, ok := p.Remove(h); ok {
			t.Errorf("Remove(%v) = true", h)
		}
		if _, err := concurrent.Take(t.Context(), p, h); !errors.Is(err, berth.ErrStale) {
			t.Errorf("Take(%v) = %v", h, err)
		}
		p.CheckInvariants()
	}
	absent()
	if s := p.Stats(); s.Reserved != 1 || s.Live != 1 || p.Len() != 1 || s.Vacant != 62 {
		t.Errorf("Len %d, %+v", p.Len(), s)
	}
	p.Clear()
	d.want(t, other, 1)
	for range concurrent.Drain(p) {
		t.Error("Drain yields a value")
	}
	absent()
	hs := []berth.Handle[int]{p.Insert(2), p.Insert(3)}
	if h := p.Insert(4); !h.IsZero() || !concurrent.Reserve(p).IsZero() {
		t.Errorf("Insert = %v beyond the Limit", h)
	}
	if hs[0] == h || hs[1] == h {
		t.Errorf("%v is issued again", h)
	}
	if !concurrent.Fill(p, h, 5) || concurrent.Fill(p, h, 6) || concurrent.Cancel(p, h) {
		t.Error("a handle is not filled exactly once")
	}
	if v, ok := p.Get(h); v != 5 || !ok || p.Len() != 3 || p.Stats().Reserved != 0 {
		t.Errorf("Get = %v, %v; Len %d", v, ok, p.Len())
	}
	if s := p.Stats(); s.Inserts != 4 || s.Removes != 1 {
		t.Errorf("%+v", s)
	}
	if !p.Delete(h) || concurrent.Fill(p, h, 7) {
		t.Error("a removed handle is filled, or not removed")
	}
	d.want(t, h, 1)
	p.CheckInvariants()
}

func TestCancel(t *testing.T) {
	for _, c := range []config{{Shards: 1, Limit: 1, Seed: 1}, {Shards: 1, Seed: 1}} {
		var d drops[int]
		c.Drop = d.drop
		p := concurrent.New(c)
		h := concurrent.Reserve(p)
		if !concurrent.Cancel(p, h) || concurrent.Cancel(p, h) || concurrent.Fill(p, h, 1) {
			t.Error("a handle is not given up exactly once")
		}
		mustBeGone(t, p, h)
		p.CheckInvariants()
		g := p.Insert(2)
		if g == h || uint32(g.Uint64()) != uint32(h.Uint64()) {
			t.Errorf("%v follows %v", g, h)
		}
		if s := p.Stats(); s.Inserts != 1 || s.Removes != 0 || s.Reserved != 0 {
			t.Errorf("%+v", s)
		}
		d.want(t, h, 0)
	}
}

// Only a handle that Reserve has issued can be filled.
func TestFillOthers(t *testing.T) {
	p := concurrent.New(config{Shards: 1, Seed: 1})
	refused := func(h berth.Handle[int]) {
		t.Helper()
		if concurrent.Fill(p, h, 9) || concurrent.Cancel(p, h) {
			t.Errorf("%v is filled or given up", h)
		}
		p.CheckInvariants()
	}
	var zero concurrent.Pool[int]
	if concurrent.Fill(&zero, berth.HandleFromUint64[int](1<<32), 1) {
		t.Error("a zero Pool fills a handle")
	}
	refused(berth.Handle[int]{})
	h := concurrent.Reserve(p)
	refused(berth.HandleFromUint64[int](h.Uint64() + 1))
	refused(berth.HandleFromUint64[int](h.Uint64() + 2<<32))
	p.InsertFunc(func(h berth.Handle[int], v *int) { refused(h) })
	held := p.Insert(1)
	refused(held)
	l := mustAcquire(t, p, held)
	p.Delete(held)
	refused(held)
	l.Release()
	refused(held)
	if !concurrent.Fill(p, h, 1) {
		t.Error("a reserved handle is refused")
	}
}

// Handles in advance are issued to one goroutine each, and filled by others.
func TestReserveCrowd(t *testing.T) {
	n := 8_000
	if long.On {
		n = 10_000_000
	}
	const goroutines = 8
	var p concurrent.Pool[uint64]
	issued := make(chan berth.Handle[uint64], 100)
	var filled, canceled atomic.Int64
	var reserving, filling sync.WaitGroup
	reserving.Add(goroutines)
	filling.Add(goroutines)
	for range goroutines {
		go func() {
			defer reserving.Done()
			for range n / goroutines {
				issued <- concurrent.Reserve(&p)
			}
		}()
		go func() {
			defer filling.Done()
			for h := range issued {
				switch {
				case h.Uint64()>>32%8 == 1:
					if concurrent.Cancel(&p, h) {
						canceled.Add(1)
					}
				case concurrent.Fill(&p, h, h.Uint64()):
					filled.Add(1)
				}
				if v, ok := p.Get(h); ok && v != h.Uint64() {
					t.Errorf("%v has the value of %x", h, v)
				}
				if h.Uint64()>>32%4 == 3 {
					p.Delete(h)
				}
			}
		}()
	}
	reserving.Wait()
	close(issued)
	filling.Wait()
	if got := filled.Load() + canceled.Load(); got != int64(n) {
		t.Errorf("%d of %d handles are filled or given up", got, n)
	}
	for h, v := range p.All() {
		if *v != h.Uint64() {
			t.Errorf("%v has the value of %x", h, *v)
		}
	}
	p.CheckInvariants()
	if s := p.Stats(); s.Reserved != 0 || s.Inserts != uint64(filled.Load()) {
		t.Errorf("%d filled, %+v", filled.Load(), s)
	}
}

func TestReserveAllocates(t *testing.T) {
	p := concurrent.New(config{Shards: 1, Capacity: 64, Seed: 1})
	p.Use(p.Insert(1), func(*int) {})
	if n := testing.AllocsPerRun(100, func() {
		h := concurrent.Reserve(p)
		concurrent.Fill(p, h, 1)
		p.Delete(h)
		concurrent.Cancel(p, concurrent.Reserve(p))
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
