package main

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// TestCompare feeds reports to a fleet that is not started.
func TestCompare(t *testing.T) {
	now := time.Unix(1000, 0)
	f := newFleet("", options{})
	lead, one, quart := f.leading(), f.followers()[0], f.followers()[2]
	take := func(p *process, loads uint64, sums ...sum) {
		f.take(p, report{Sums: sums, Loads: loads}, now)
	}
	expect := func(p *process, seq uint64, equal bool, checks, differs int) {
		t.Helper()
		if p.compared != seq || p.equal != equal || f.checks != checks || f.differs != differs {
			t.Fatalf("compared at %d: %v, %d checks, %d differ; want %d: %v, %d, %d",
				p.compared, p.equal, f.checks, f.differs, seq, equal, checks, differs)
		}
	}
	take(one, 1, sum{Seq: 5, Whole: 50})
	expect(one, 0, false, 0, 0)
	take(lead, 0, sum{5, 50, 51}, sum{7, 70, 71})
	expect(one, 5, true, 1, 0)
	take(quart, 1, sum{Seq: 5, Quarter: 51}, sum{Seq: 7, Quarter: 71})
	expect(quart, 7, true, 3, 0)
	take(one, 1, sum{Seq: 6, Whole: 1}) // the leader has not hashed it
	expect(one, 5, true, 3, 0)
	take(one, 1, sum{Seq: 7, Whole: 71}) // the hash of the quarter
	expect(one, 7, false, 4, 1)
	take(lead, 0, sum{9, 90, 91})
	take(one, 1, sum{Seq: 9, Whole: 90})
	expect(one, 9, true, 5, 1)
	take(quart, 1, sum{Seq: 9, Whole: 91, Quarter: 90})
	expect(quart, 9, false, 6, 2)

	// A follower that loads a snapshot may have seen frames that a new leader does not have.
	take(one, 1, sum{Seq: 11, Whole: 1})
	take(one, 2)
	take(lead, 0, sum{11, 110, 111})
	expect(one, 9, true, 6, 2)

	for i := range uint64(3000) { // nothing grows
		take(lead, 0, sum{100 + i, i, i})
		take(one, 2, sum{Seq: 100000 + i})
	}
	if len(f.leader) > 1000 || len(one.pending) > 1000 || f.leader[3099].Whole != 2999 {
		t.Errorf("%d and %d hashes are kept", len(f.leader), len(one.pending))
	}
	if got := f.summary(); got != "1 of 3 followers are equal to the leader" {
		t.Errorf("summary: %s", got)
	}
	if got := f.counts(); got != "6 hashes compared, 2 differ, 0 kills" {
		t.Errorf("counts: %s", got)
	}
}

func TestStates(t *testing.T) {
	now := time.Unix(1000, 0)
	f := newFleet("", options{})
	p := f.followers()[0]
	is := func(want string) {
		t.Helper()
		if got := p.state(now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	is("down")
	p.cmd = running(t)
	is("starting")
	f.take(p, report{Live: true}, now)
	is("running")
	now = now.Add(1100 * time.Millisecond)
	is("waiting")
	f.take(p, report{}, now) // a report, and no frame
	is("waiting")
	f.take(p, report{Live: true}, now)
	is("running")
	if p.back != 0 {
		t.Errorf("back in %v after the first start", p.back)
	}
	p.starts, p.fresh, p.down = 2, false, now.Add(-time.Second/2)
	f.take(p, report{Live: true}, now)
	if p.back != time.Second/2 {
		t.Errorf("back in %v", p.back)
	}
	p.cmd, p.ending = nil, true
	is("ended")
}

// TestReady checks when the demo may come to its end, and that the leader then cannot be killed.
func TestReady(t *testing.T) {
	now := time.Unix(1000, 0)
	f := newFleet("", options{})
	is := func(what string, want bool) {
		t.Helper()
		if got := f.ready(); got != want {
			t.Errorf("%s: ready is %v", what, got)
		}
	}
	is("nothing was started", false)
	for _, p := range f.list {
		p.cmd = running(t)
		f.take(p, report{Live: true, Sums: []sum{{7, 70, 71}}}, now)
	}
	is("all run and are equal", true)
	for _, p := range f.list {
		p.fresh = false
		is(p.name+" has just been started", false)
		p.fresh = true
	}
	f.followers()[1].compared = 0
	is("a follower was not compared", false)
	f.followers()[1].compared = 7
	f.end(f.leading())
	if err := f.kill("leader"); !errors.Is(err, os.ErrProcessDone) || f.kills != 0 {
		t.Errorf("kill of a leader that ends: %v", err)
	}
	is("the leader ends", true)
	if err := f.kill("follower-2"); err != nil {
		t.Error(err)
	}
	is("a follower was killed", false)
}

func TestServerKeepsItsAddress(t *testing.T) {
	f := newFleet("", options{})
	s := f.server()
	f.take(s, report{URL: "nats://127.0.0.1:4321"}, time.Now())
	f.take(s, report{URL: "nats://127.0.0.1:9999"}, time.Now())
	if s.config.Listen != "127.0.0.1:4321" || s.config.URL != "nats://127.0.0.1:4321" {
		t.Errorf("the next server is %+v", s.config)
	}
}

// TestComesBack kills a follower, and compares the leader's last frame in the end.
func TestComesBack(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	f := newFleet(os.Args[0], options{missiles: 200, hz: 60, seed: 1, dir: t.TempDir()})
	defer f.close(ctx)
	if err := f.start(ctx); err != nil || !f.until(ctx, f.ready) {
		t.Fatalf("start: %v", err)
	}
	p := f.followers()[1]
	if err := f.kill(p.name); err != nil {
		t.Fatal(err)
	}
	if !f.until(ctx, func() bool { return p.back > 0 }) {
		t.Fatal("it did not come back")
	}
	if err := f.settle(ctx); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.back < moment || p.back > time.Minute || p.starts != 2 || f.kills != 1 || f.differs != 0 {
		t.Errorf("back in %v, %d starts, %d kills, %d differ", p.back, p.starts, f.kills, f.differs)
	}
	lead := f.leading()
	if lead.cmd != nil || lead.starts != 1 {
		t.Errorf("the leader runs, or was started %d times", lead.starts)
	}
	for _, p := range f.followers() {
		if p.compared != lead.last.Seq || !p.equal {
			t.Errorf("%s was compared at %d, the last frame is %d", p.name, p.compared, lead.last.Seq)
		}
	}
}

func TestFleetFails(t *testing.T) {
	f := newFleet("/none", options{})
	err := f.start(bounded(t))
	if err == nil || !strings.HasPrefix(err.Error(), "server: ") {
		t.Errorf("start without a program: %v", err)
	}
	f.close(bounded(t))
	if err := f.kill("server"); err == nil || errors.Is(err, errUnknown) {
		t.Errorf("kill of what is not there: %v", err)
	}
	if err := f.kill("nobody"); !errors.Is(err, errUnknown) {
		t.Errorf("kill of nobody: %v", err)
	}
}
