package concurrent_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

func TestTake(t *testing.T) {
	var d drops[int]
	p := concurrent.New(config{Shards: 1, Drop: d.drop})
	h := p.Insert(1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := concurrent.Take(ended, p, h); v != 1 || err != nil {
		t.Errorf("Take without a lease = %d, %v, want 1", v, err)
	}
	if _, err := concurrent.Take(t.Context(), p, h); !errors.Is(err, berth.ErrStale) {
		t.Errorf("the second Take: %v, want ErrStale", err)
	}
	mustBeGone(t, p, h)

	g := p.Insert(2)
	l := mustAcquire(t, p, g)
	if v, err := concurrent.Take(ended, p, g); v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Take with a context that has ended = %d, %v", v, err)
	}
	mustBeGone(t, p, g)
	d.want(t, g, 0)
	p.CheckInvariants()
	l.Release()
	d.want(t, g, 1)
	d.want(t, h, 0)
	p.CheckInvariants()
}

// Remove returns a copy at once, and the value ends as by Delete.
func TestRemove(t *testing.T) {
	for _, limit := range []int{0, 2} {
		for _, dropping := range []bool{false, true} {
			var d drops[int]
			c := config{Shards: 1, Limit: limit}
			if dropping {
				c.Drop = d.drop
			}
			p := concurrent.New(c)
			h, g := p.Insert(1), p.Insert(2)
			l := mustAcquire(t, p, g)
			for h, want := range map[berth.Handle[int]]int{h: 1, g: 2} {
				if v, ok := p.Remove(h); v != want || !ok {
					t.Errorf("Remove = %d, %v, want %d", v, ok, want)
				}
				if v, ok := p.Remove(h); v != 0 || ok {
					t.Errorf("the second Remove = %d, %v", v, ok)
				}
				mustBeGone(t, p, h)
				p.CheckInvariants()
			}
			if dropping {
				d.want(t, h, 1)
				d.want(t, g, 0)
			}
			if *l.Value() != 2 || p.Len() != 0 || p.Insert(3).IsZero() || p.Insert(4).IsZero() {
				t.Errorf("the leased value is %d; %d values", *l.Value(), p.Len())
			}
			l.Release()
			if dropping {
				d.want(t, g, 1)
			}
			p.CheckInvariants()
		}
	}
	var zero concurrent.Pool[int]
	if v, ok := zero.Remove(berth.Handle[int]{}); v != 0 || ok {
		t.Errorf("Remove from a zero Pool = %d, %v", v, ok)
	}
	h := berth.HandleFromUint64[int](1 << 32)
	if _, err := concurrent.Take(t.Context(), &zero, h); !errors.Is(err, berth.ErrStale) {
		t.Errorf("Take from a zero Pool: %v, want ErrStale", err)
	}
}

// Take waits for the last lease, and then owns the value.
func TestTakeWaits(t *testing.T) {
	noLeaks(t)
	var d drops[int]
	p := concurrent.New(config{Shards: 1, Drop: d.drop})
	h := p.Insert(1)
	l, m := mustAcquire(t, p, h), mustAcquire(t, p, h)
	got := make(chan int)
	go func() {
		v, err := concurrent.Take(context.Background(), p, h)
		if err != nil {
			t.Error(err)
		}
		got <- v
	}()
	for p.Contains(h) {
		runtime.Gosched()
	}
	mustBeGone(t, p, h)
	l.Release()
	*m.Value() = 7
	select {
	case v := <-got:
		t.Errorf("Take = %d under a lease", v)
	default:
	}
	p.CheckInvariants()
	m.Release()
	if v := <-got; v != 7 {
		t.Errorf("Take = %d, want 7", v)
	}
	d.want(t, h, 0)
	if s := p.Stats(); s.Vacant != 64 {
		t.Errorf("%+v, want 64 vacant slots", s)
	}
	p.CheckInvariants()
}

// lateContext ends, and calls end, when it is asked whether it has ended.
type lateContext struct {
	context.Context
	end func()
}

func (c lateContext) Done() <-chan struct{} {
	c.end()
	done := make(chan struct{})
	close(done)
	return done
}

func (lateContext) Err() error { return context.Canceled }

// Take returns a value that was on its way when the context ended.
func TestTakeLate(t *testing.T) {
	p := concurrent.New(config{Shards: 1})
	for i := range 64 { // both channels are ready, and select takes either
		h := p.Insert(i)
		l := mustAcquire(t, p, h)
		if v, err := concurrent.Take(lateContext{t.Context(), l.Release}, p, h); v != i || err != nil {
			t.Fatalf("Take = %d, %v, want %d", v, err, i)
		}
	}
	p.CheckInvariants()
}
