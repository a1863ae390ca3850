package main

import (
	"strings"
	"testing"
	"time"
)

// example returns a fleet with some reports.
func example(t *testing.T) (*fleet, time.Time) {
	now := time.Unix(1000, 0)
	f := newFleet("", options{})
	for _, p := range f.list[:3] {
		p.cmd, p.starts = running(t), 1
	}
	f.take(f.server(), report{URL: "nats://127.0.0.1:1", Live: true}, now)
	f.take(f.leading(), report{Frame: 7, Seq: 99, Values: 21001, Ops: 131000, Bytes: 5.4e6,
		Sums: []sum{{99, 1, 2}}, Live: true}, now)
	f.take(f.list[2], report{Frame: 6, Seq: 82, Values: 21000, Ops: 130960, Bytes: 5.4e6,
		P50: 1100 * time.Microsecond, P99: 11 * time.Millisecond, Loads: 1, Live: true,
		Sums: []sum{{Seq: 99, Whole: 1}}}, now)
	f.list[2].starts, f.list[2].back = 3, 250*time.Millisecond
	f.take(f.list[3], report{Note: "no way\nback"}, now)
	return f, now
}

func TestTable(t *testing.T) {
	f, now := example(t)
	list := f.rows(now)
	var b strings.Builder
	printTable(&b, list)
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 8 || lines[6] != "follower-2: no way" {
		t.Fatalf("%d lines:\n%s", len(lines), b.String())
	}
	pid := func(i int) string { return list[i].Cells[2] }
	for i, want := range []string{
		"process sees pid frame seq values lag p50 lag p99 ops/s MB/s hash restarts state back in",
		"server " + pid(0) + " 0 running",
		"leader all " + pid(1) + " 7 99 21001 131.0k 5.40 0 running",
		"follower-1 all " + pid(2) +
			" 6 82 21000 1.1 ms 11.0 ms 131.0k 5.40 equal at 99 2 running 250.0 ms",
		"follower-2 all 0 down",
		"follower-3 1/4 0 down",
	} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
	f.take(f.list[1], report{Sums: []sum{{100, 1, 2}}}, now)
	f.take(f.list[2], report{Loads: 1, Sums: []sum{{Seq: 100, Whole: 2}}}, now)
	if r := f.rows(now)[2]; r.Hash != "differs" || r.Cells[10] != "differs at 100" {
		t.Errorf("another hash: %q %q", r.Hash, r.Cells)
	}
}

func TestLine(t *testing.T) {
	f, now := example(t)
	want := "server running; leader running, frame 7; follower-1 running, frame 6, lag p50 1.1 ms, " +
		"lag p99 11.0 ms, hash equal at 99, restarts 2; follower-2 down (no way); follower-3 down"
	if got := line(f.rows(now)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	waiting := line(f.rows(now.Add(2 * time.Second)))
	if !strings.Contains(waiting, "follower-1 waiting, frame 6, hash") {
		t.Errorf("two seconds without a frame: %s", waiting)
	}
}

func TestScreen(t *testing.T) {
	var b strings.Builder
	s := screen{&b}
	s.open()
	s.show("a\nb\n")
	s.close()
	if got := b.String(); got != "\x1b[?1049h\x1b[?25l\x1b[Ha\x1b[K\nb\x1b[K\n\x1b[J\x1b[?25h\x1b[?1049l" {
		t.Errorf("%q", got)
	}
}
