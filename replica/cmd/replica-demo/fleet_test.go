package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newTestFleet returns a fleet, and a context that ends when a process fails.
func newTestFleet(t *testing.T, exe string, o options, out io.Writer) (*fleet, context.Context) {
	ctx, fail := context.WithCancelCause(bounded(t))
	t.Cleanup(func() { fail(nil) })
	return newFleet(exe, o, out, fail), ctx
}

// TestCompare feeds reports to a fleet that is not started.
func TestCompare(t *testing.T) {
	f, _ := newTestFleet(t, "", options{}, io.Discard)
	lead, one, quart := f.leader(), f.followers()[0], f.followers()[2]
	take := func(p *process, sums ...sum) { f.take(p, report{Sums: sums}) }
	whole := func(seq, hash uint64) sum { return sum{seq, [2]uint64{hash, 0}} }
	quarter := func(seq, hash uint64) sum { return sum{seq, [2]uint64{0, hash}} }
	expect := func(p *process, seq uint64, result string, checks, differs int) {
		t.Helper()
		if p.compared != seq || p.result != result || f.checks != checks || f.differs != differs {
			t.Fatalf("compared at %d: %q, %d checks, %d differ; want %d: %q, %d, %d",
				p.compared, p.result, f.checks, f.differs, seq, result, checks, differs)
		}
	}
	take(one, whole(5, 50))
	expect(one, 0, "", 0, 0)
	take(lead, sum{5, [2]uint64{50, 51}}, sum{7, [2]uint64{70, 71}})
	expect(one, 5, "equal", 1, 0)
	take(quart, quarter(5, 51), quarter(7, 71))
	expect(quart, 7, "equal", 3, 0)
	take(one, whole(6, 1)) // the leader has not hashed it
	expect(one, 5, "equal", 3, 0)
	take(one, whole(7, 71)) // the hash of the quarter
	expect(one, 7, "differs", 4, 1)
	take(lead, sum{9, [2]uint64{90, 91}})
	take(one, whole(9, 90))
	expect(one, 9, "equal", 5, 1)
	take(quart, sum{9, [2]uint64{91, 90}})
	expect(quart, 9, "differs", 6, 2)
	for i := range uint64(1100) { // nothing grows
		take(lead, whole(100+i, i))
		take(one, whole(100000+i, 0))
	}
	if len(lead.sums) > 1000 || len(one.sums) > 1000 || lead.sums[len(lead.sums)-1].Seq != 1199 {
		t.Errorf("%d and %d hashes are kept", len(lead.sums), len(one.sums))
	}
}

// TestReady checks when the demo may come to its end, and what its lines say.
func TestReady(t *testing.T) {
	var out strings.Builder
	f, _ := newTestFleet(t, "", options{}, &out)
	is := func(what string, want bool, line string) {
		t.Helper()
		out.Reset()
		if got := f.ready(); got != want {
			t.Errorf("%s: ready is %v", what, got)
		}
		if f.lines(); !regexp.MustCompile(`(?m)^ +0s  ` + line + `$`).MatchString(out.String()) {
			t.Errorf("%s: no line matches %q:\n%s", what, line, &out)
		}
	}
	is("nothing was started", false, "server      down")
	for _, p := range f.list {
		p.cmd = running(t)
	}
	is("nothing has reported", false, `follower-1  pid \d+`)
	f.take(f.list[0], report{URL: "nats://leader:secret@127.0.0.1:4321"})
	if text := out.String(); strings.Contains(text, "secret") || !strings.Contains(text, ":xxxxx@") {
		t.Errorf("the address is printed as %s", text)
	}
	if c := f.list[0].config; c.Listen != "127.0.0.1:4321" {
		t.Errorf("the next server is %+v", c)
	}
	for _, p := range f.list[1:] {
		f.take(p, report{Frame: 3, Seq: 7, Lag: 5e6})
	}
	is("nothing was compared", false, `leader      pid \d+, frame 3`)
	for _, p := range f.list[1:] {
		f.take(p, report{Frame: 3, Seq: 7, Lag: 1500e3, Sums: []sum{{7, [2]uint64{70, 71}}}})
	}
	is("all run", true, `follower-3  pid \d+, frame 3, lag 1\.5 ms, hash equal at 7`)
	f.kill(f.followers()[1])
	f.kill(f.followers()[1]) // it is down
	is("a follower was killed", false, `follower-2  down, frame 3, lag 0\.0 ms, hash equal at 7`)
	if f.kills != 1 {
		t.Errorf("%d kills", f.kills)
	}
}

// TestComesBack kills processes as a user does, and compares the leader's last frame in the end.
// The world is that of a simulation that nobody has disturbed.
func TestComesBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "world")
	f, ctx := newTestFleet(t, os.Args[0], options{missiles: 500, dir: dir}, io.Discard)
	defer f.close()
	if err := f.start(ctx); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*process{f.list[0], f.list[1], f.list[4]} {
		f.mu.Lock()
		before := p.cmd
		err := before.Process.Kill()
		f.mu.Unlock()
		if err == nil {
			err = f.until(ctx, func() bool { return p.cmd != before && p.up() })
		}
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
	}
	if err := f.until(ctx, func() bool { return f.leader().last.Frame >= 20 }); err != nil {
		t.Fatal(err)
	}
	if err := f.settle(ctx); err != nil {
		t.Fatal(err)
	}
	for _, p := range f.followers() {
		if p.result != "equal" || p.compared != f.leader().last.Seq || f.differs > 0 {
			t.Errorf("%s: %s at %d, the last frame is %d", p.name, p.result, p.compared, f.leader().last.Seq)
		}
	}
	f.close()
	checkSaved(t, dir, 500)
}

func TestFleetFails(t *testing.T) {
	f, ctx := newTestFleet(t, "/none", options{}, io.Discard)
	if err := f.start(ctx); err == nil || !strings.HasPrefix(err.Error(), "server: ") {
		t.Errorf("start without a program: %v", err)
	}
	f.close()
}
