package replica

import (
	"context"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
)

// A follower of all cells has what the leader has, after each frame, by the snapshot of a Pool that
// had values, and by inserts that are repeated.
func TestFollowAll(t *testing.T) {
	t.Parallel()
	for _, o := range []LeadOptions[body]{whole, split} {
		c := serve(t)
		p := berth.NewPool[body](berth.Config{Seed: 7})
		for i := range 100 {
			p.Insert(body{X: float32(i)})
		}
		l := startLead(t, c, o, p)
		f := startFollow[body](t, c)
		same(t, l, f)
		g := newPlay(1, p)
		for range 200 {
			g.flush(t, l, g.IntN(60))
			same(t, l, f)
		}
		if s := f.Stats(); s.Frames < 190 || s.Loads != 1 {
			t.Errorf("%+v", s)
		}
	}
}

// A follower of some cells has the values in them.
func TestFollowCells(t *testing.T) {
	c := serve(t)
	p := berth.NewPool[body](berth.Config{Seed: 7})
	l := startLead(t, c, split, p)
	g := newPlay(2, p)
	g.flush(t, l, 500)
	snapshot(t, l)
	cells := []Cell{{0, 0}, {-1, 0}, {1, -1}}
	f := startFollow[body](t, c, cells...)
	if n := f.View().Len(); n == 0 || n >= p.Len() {
		t.Fatalf("%d of %d values", n, p.Len())
	}
	same(t, l, f, cells...)
	for range 200 {
		g.flush(t, l, g.IntN(60))
		same(t, l, f, cells...)
	}
	if f.Stats().Ops >= l.Stats().Ops {
		t.Errorf("%+v of %+v", f.Stats(), l.Stats())
	}
}

// A Follower that is closed leaves no consumer at the server, which would keep it for a while.
func TestCloseConsumer(t *testing.T) {
	c := serve(t)
	l := startLead(t, c, whole, new(berth.Pool[body]))
	l.Insert(body{})
	flush(t, l)
	f := startFollow[body](t, c)
	same(t, l, f)
	log := stream(t, c, "BERTH_world")
	ctx, cancel := context.WithTimeout(ctxOf(t), inactive/2)
	defer cancel()
	consumers := func() int {
		t.Helper()
		info, err := log.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return info.State.Consumers
	}
	if n := consumers(); n != 1 {
		t.Fatalf("%d consumers, want 1", n)
	}
	f.Close()
	for consumers() > 0 {
		time.Sleep(time.Millisecond)
	}
}
