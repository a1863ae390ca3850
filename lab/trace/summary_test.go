package trace

import (
	"bytes"
	"errors"
	"testing"
)

func TestSummarise(t *testing.T) {
	var b bytes.Buffer
	r, _ := NewRecorder(&b)
	a, c := r.Track("a", 4), r.Track("c", 2)
	var vs []Value
	for range 5 {
		vs = append(vs, a.Insert())
	}
	c.Insert()
	d, e := c.Insert(), c.Insert()
	a.Remove(vs[4]) // after 0 frames
	for f := range 4 {
		a.Get(vs[3])
		a.Get(vs[4])
		if f == 2 {
			a.Insert()
			a.Insert()
			a.Pass()
		}
		must(r.Frame())
		if f == 0 {
			c.Remove(d) // after 1 frame
		}
		if f == 2 {
			c.Remove(e) // after 3 frames
		}
		a.Remove(vs[f]) // after f+1 frames
	}
	must(r.Close())
	rd, _ := NewReader(bytes.NewReader(b.Bytes()))
	s, err := Summarise(rd)
	must(err)
	want := TrackSummary{
		TrackInfo: TrackInfo{"a", 4}, Inserts: 7, Removals: 5, Gets: 4, Misses: 4, Passes: 1,
		Peak: 5, Final: 2, MedianLifetime: 2, MeanLifetime: 2, MostInserts: 5,
	}
	if s.Frames != 4 || s.Ops != 30 || s.Bytes != int64(b.Len()) || len(s.Tracks) != 2 || s.Tracks[0] != want {
		t.Errorf("got\n%+v\nwant\n%+v", s, want)
	}
	if c := s.Tracks[1]; c.Inserts != 3 || c.Final != 1 || c.Name != "c" || c.MedianLifetime != 1 || c.MeanLifetime != 2 {
		t.Errorf("got %+v", c)
	}
	rd, _ = NewReader(bytes.NewReader(b.Bytes()[:b.Len()-1]))
	if cut, err := Summarise(rd); !errors.Is(err, ErrTruncated) || cut.Ops != 30 {
		t.Errorf("truncated: %v after %d ops, want 30", err, cut.Ops)
	}
}

// TestBins checks that bins are in order, exact up to 1024, and to a thousandth above.
func TestBins(t *testing.T) {
	last := -1
	for life := uint64(0); life < 1<<62; life += max(1, life>>12) {
		b := bin(life)
		if b < last || b > last+1 {
			t.Fatalf("lifetime %d has bin %d, behind %d", life, b, last)
		}
		last = b
		if l := least(b); l > life || life-l > life>>10 || life < 1024 && l != life {
			t.Fatalf("the least lifetime of bin %d is %d, for %d", b, l, life)
		}
	}
}
