package replica

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
)

// Behind a network that cuts, delays, repeats, reorders and drops, the log has every message of the
// leader once, and the followers end with what it has.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	if !long.On {
		badNetwork(t, 1, 40, 1)
		return
	}
	for seed := range uint64(5) {
		badNetwork(t, seed, 300, 5)
	}
}

func badNetwork(t *testing.T, seed uint64, frames int, cuts int64) {
	c := serve(t)
	c.MaxUnacked = 4
	bad := func(n uint64) (*proxy, Config) {
		p, c := startProxy(t, c, 10*seed+n)
		p.harm.cut, p.harm.delay, p.harm.repeat, p.harm.swap, p.harm.drop = 1, 3, 3, 3, 1
		p.harm.most = cuts
		return p, c
	}
	p0, c0 := bad(0)
	p1, c1 := bad(1)
	p2, c2 := bad(2)
	proxies := []*proxy{p0, p1, p2}
	l := startLead(t, c0, split, berth.NewPool[body](berth.Config{Seed: 1}))
	cells := []Cell{{0, 0}, {-1, 0}, {1, 1}}
	all, some := startFollow[body](t, c1), startFollow[body](t, c2, cells...)
	g := newPlay(seed, l.pool)
	poll := func(f *Follower[body]) {
		t.Helper()
		if _, err := f.Poll(ctxOf(t)); err != nil && !errors.Is(err, ErrBehind) {
			t.Fatalf("seed %d: Poll: %v", seed, err)
		}
	}
	for i := range frames {
		g.flush(t, l, 20)
		poll(all)
		poll(some)
		if i%25 == 24 {
			snapshotBehind(t, l)
		}
	}
	wait(t, l)
	for _, err := range append(reach(t, all, l.Seq()), reach(t, some, l.Seq())...) {
		wantErr(t, err, ErrBehind)
	}
	for _, p := range proxies {
		p.calm.Store(true)
	}
	g.flush(t, l, 20)
	reach(t, all, l.Seq())
	reach(t, some, l.Seq())
	same(t, l, all)
	same(t, l, some, cells...)
	// The first message is that of the takeover, which may be there again.
	state, s := logState(t, c), l.Stats()
	if extra := state.LastSeq - s.Messages; extra != l.send.lead {
		t.Errorf("seed %d: the log had %d messages, of which the leader published %d, and %d in"+
			" its takeover", seed, state.LastSeq, s.Messages, l.send.lead)
	}
	for i, p := range proxies {
		h := &p.harm
		t.Logf("seed %d, connection %d: %d cuts, %d delays, %d repeats, %d swaps, %d drops", seed, i,
			h.cuts.Load(), h.delays.Load(), h.repeats.Load(), h.swaps.Load(), h.drops.Load())
		if h.cuts.Load() == 0 || h.repeats.Load() == 0 || h.swaps.Load() == 0 {
			t.Errorf("seed %d: the network was good", seed)
		}
	}
	t.Logf("leader %+v\nall %+v\nsome %+v", s, all.Stats(), some.Stats())
}

// snapshotBehind writes a snapshot behind a bad network. It may fail, but not for ever.
func snapshotBehind(t *testing.T, l *Leader[body]) {
	t.Helper()
	for ctx := ctxOf(t); ; {
		one, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := l.Snapshot(one)
		cancel()
		if err == nil {
			return
		}
		if ctx.Err() != nil || errors.Is(err, ErrFenced) {
			t.Fatal("Snapshot:", err)
		}
	}
}

// The last message of the log is lost on its way, and no other one comes after it.
func TestLostLast(t *testing.T) {
	t.Parallel()
	c := serve(t)
	p, bad := startProxy(t, c, 1)
	l := startLead(t, c, whole, berth.NewPool[body](berth.Config{Seed: 1}))
	f := startFollow[body](t, bad)
	l.Insert(body{})
	flush(t, l)
	same(t, l, f)
	p.lose.Store(true)
	l.Insert(body{})
	seq := flush(t, l)
	for ctx := ctxOf(t); p.harm.drops.Load() < int64(seq-f.Seq()); {
		if _, err := f.Poll(ctx); err != nil || ctx.Err() != nil {
			t.Fatal("the message is not lost:", err, ctx.Err())
		}
	}
	p.lose.Store(false)
	same(t, l, f)
}

// A snapshot whose pieces all come twice is whole.
func TestRepeatedSnapshot(t *testing.T) {
	c := serve(t)
	p, bad := startProxy(t, c, 1)
	p.harm.repeat = 100
	l := startLead(t, bad, split, berth.NewPool[body](berth.Config{Seed: 1}))
	newPlay(1, l.pool).frame(l, 200)
	snapshot(t, l)
	f := startFollow[body](t, c)
	if f.Seq() != l.Seq() || f.Hash() != l.Hash() {
		t.Errorf("a snapshot at %d with hash %x, and the leader at %d has %x", f.Seq(), f.Hash(),
			l.Seq(), l.Hash())
	}
}
