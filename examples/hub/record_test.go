package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/trace"
)

func summary(t *testing.T, name string) trace.Summary {
	t.Helper()
	f, err := os.Open(name)
	must(t, err)
	defer f.Close() //nolint:errcheck // it was only read
	r, err := trace.NewReader(f)
	must(t, err)
	s, err := trace.Summarise(r)
	must(t, err)
	return s
}

// TestRecord compares a recording with the report of the hub.
func TestRecord(t *testing.T) {
	noGoroutines(t)
	name := filepath.Join(t.TempDir(), "hub.trace")
	f, err := os.Create(name)
	must(t, err)
	rec, err := trace.NewRecorder(f)
	must(t, err)
	l := load{clients: 30, waves: 3, lasts: 300 * time.Millisecond, rooms: 20}
	r, err := runLoad(bounded(t), Config{Recorder: rec, Tick: time.Millisecond}, l, io.Discard)
	must(t, err)
	must(t, rec.Close())
	must(t, f.Close())
	s := summary(t, name)
	if len(s.Tracks) != 1 || s.Frames == 0 {
		t.Fatalf("%+v", s)
	}
	got := s.Tracks[0]
	joined := uint64(r.Joined)
	if got.Inserts != joined || got.Removals != joined || got.Peak != r.Peak || got.Final != 0 {
		t.Errorf("%d joined and %d left, %d at peak, %d at the end; the report is %+v",
			got.Inserts, got.Removals, got.Peak, got.Final, r)
	}
	if got.Misses < uint64(r.Undeliverable) || got.Misses == 0 {
		t.Errorf("%d misses; %d messages were undeliverable", got.Misses, r.Undeliverable)
	}
	if got.Passes < uint64(r.Room) || got.Passes == 0 {
		t.Errorf("%d passes; %d messages to the room", got.Passes, r.Room)
	}
}

// TestRecordUnderLease kicks a session under a lease. Until the lease ends, it can be looked up.
func TestRecordUnderLease(t *testing.T) {
	noGoroutines(t)
	rec, err := trace.NewRecorder(io.Discard)
	must(t, err)
	h := NewHub(Config{Recorder: rec})
	i := h.join(aSession(2, func() {}))
	l, _ := h.sessions.Acquire(i)
	if !h.Kick(i, "out") || !h.record.track.Get(l.Value().record) {
		t.Error("the end is recorded before the last lease has ended")
	}
	v := l.Value().record
	if l.Release(); h.record.track.Contains(v) {
		t.Error("the end is not recorded")
	}
	must(t, h.Shutdown(bounded(t)))
	must(t, rec.Close())
}

func TestRecordFile(t *testing.T) {
	noGoroutines(t)
	dir := t.TempDir()
	l := load{clients: 5, waves: 1, lasts: 100 * time.Millisecond, rooms: 5}
	var out strings.Builder
	must(t, recordFile(bounded(t), filepath.Join(dir, "hub.trace"), l, &out))
	if s := out.String(); !strings.Contains(s, `"sessions"`) || !strings.Contains(s, "5 at most") {
		t.Errorf("the summary is\n%s", s)
	}
	if recordFile(bounded(t), filepath.Join(dir, "none", "hub.trace"), l, io.Discard) == nil {
		t.Error("no error for a file in a directory that does not exist")
	}
	foreign := filepath.Join(dir, "foreign")
	must(t, os.WriteFile(foreign, []byte("no trace"), 0o600))
	if summarise(foreign, io.Discard) == nil {
		t.Error("no error for a file that is not a recording")
	}
}
