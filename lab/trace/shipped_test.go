package trace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShipped reads each recording in testdata to its end.
func TestShipped(t *testing.T) {
	files, err := filepath.Glob("testdata/*.trace")
	if err != nil || len(files) < 2 {
		t.Fatalf("recordings: %v, %v", files, err)
	}
	for _, name := range files {
		s := shipped(t, name)
		if info, err := os.Stat(name); err != nil || info.Size() != s.Bytes || s.Bytes > 300_000 {
			t.Errorf("%s: %d bytes were read, of a file that is %v, %v", name, s.Bytes, info, err)
		}
		if s.Frames <= 600 || len(s.Tracks) == 0 {
			t.Errorf("%s: too little to replay: %+v", name, s)
		}
		for _, track := range s.Tracks {
			if track.Peak < 100 || track.Removals == 0 || track.Passes == 0 {
				t.Errorf("%s: too little of %s: %+v", name, track.Name, track)
			}
		}
	}
}

// TestShippedMissiles checks that the recording of missiles is suitable for a replay.
func TestShippedMissiles(t *testing.T) {
	s := shipped(t, "testdata/missiles.trace")
	if s.Frames < 1200 || len(s.Tracks) != 2 {
		t.Fatalf("%d frames, %d tracks", s.Frames, len(s.Tracks))
	}
	if e := s.Tracks[0]; e.Name != "enemies" || e.Peak < 500 || e.Misses < 500 || e.Gets < 100_000 {
		t.Errorf("enemies: %+v", e)
	}
	if m := s.Tracks[1]; m.Name != "missiles" || m.Peak < 100 || m.Inserts < 5000 || m.Passes != s.Frames {
		t.Errorf("missiles: %+v", m)
	}
}

// TestShippedHub checks the statements of examples/hub about its recording. It was made on
// 2026-11-21 by
//
//	go run ./examples/hub -record lab/trace/testdata/hub.trace -load 1000 -for 20s
//
// and differs each time, since it depends on the times at which clients connected, left and wrote:
// 7300 clients in eight waves, with 22488 messages to one client, 9071 to one that had left, and 441
// to all.
func TestShippedHub(t *testing.T) {
	s := shipped(t, "testdata/hub.trace")
	if len(s.Tracks) != 1 || s.Tracks[0].Name != "sessions" {
		t.Fatalf("tracks: %+v", s.Tracks)
	}
	h := s.Tracks[0]
	if h.Peak < 300 || h.Peak > 2000 || h.Inserts < uint64(3*h.Peak) || h.Removals != h.Inserts {
		t.Errorf("%d sessions at most, %d came, %d went: no waves", h.Peak, h.Inserts, h.Removals)
	}
	if h.Gets < 10_000 || h.Misses < 1000 || h.Passes < 100 {
		t.Errorf("%d lookups, %d of ids that were gone, %d messages to all", h.Gets, h.Misses, h.Passes)
	}
}

func shipped(t *testing.T, name string) Summary {
	t.Helper()
	f, err := os.Open(name)
	must(err)
	defer func() { _ = f.Close() }()
	r, err := NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s, err := Summarise(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}
