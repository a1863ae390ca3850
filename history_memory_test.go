package berth_test

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// A Pool with a Memory and a History frees each chunk that is in none of its frames: one that came
// since the frame that Rewind goes back to, one that left before the oldest frame, and all when the
// History ends and the Pool is closed.
func TestHistoryFreesMemory(t *testing.T) {
	m := newLedger()
	p := berth.NewPool[int](berth.Config{Memory: m})
	var hs []berth.Handle[int]
	fill := func(n int) {
		for i := range n {
			hs = append(hs, p.Insert(i))
		}
	}
	fill(100)
	before := m.bytes
	s := berth.NewHistory(p, berth.HistoryConfig{Frames: 3})
	fill(50_000)
	if m.bytes < before+50_000*8 {
		t.Fatalf("%d bytes for 50 000 values more than those in %d", m.bytes, before)
	}
	if err := s.Rewind(1); err != nil {
		t.Fatal(err)
	}
	if m.bytes != before {
		t.Errorf("%d bytes after Rewind, want %d", m.bytes, before)
	}

	hs = hs[:0]
	fill(50_000)
	s.Mark()
	full := m.bytes
	for _, h := range hs {
		p.Delete(h)
	}
	p.Clip()
	for range 2 {
		s.Mark()
		if m.bytes != full {
			t.Errorf("%d bytes while a frame has the chunks, want %d", m.bytes, full)
		}
	}
	s.Mark()
	if m.bytes > before {
		t.Errorf("%d bytes after the frames that had the chunks, want at most %d", m.bytes, before)
	}

	hs = hs[:0]
	fill(50_000)
	s.Mark()
	p.Clear()
	p.Clip()
	s.Close()
	p.Clip()
	m.allBack(t, "after Close of the History and Clip of the empty Pool")
}
