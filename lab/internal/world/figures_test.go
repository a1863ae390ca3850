package world

import (
	"math"
	"runtime"
	"testing"
)

// TestBytes compares the bytes that each container reports with those freed when it is dropped:
// before a burst, with it, after it, and after most values were killed. The report excludes the
// rounding of the allocator.
func TestBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage often")
	}
	margins := [Kinds]float64{Pool: 0.12, Dense: 0.12, List: 0.01, Map: 0.1, Gen: 0.04}
	for k, margin := range margins {
		for _, c := range [][2]string{
			{"before", ""}, {"with", "395b,396b,397b"}, {"after", "50b,51b,52b"}, {"killed", "300b,350k,390l"},
		} {
			w := New(sceneOf(t, 3, 100, 100, c[1]), []Kind{Kind(k)})
			for range 400 {
				w.Step()
			}
			said := w.Figures(Kind(k)).Bytes
			box := w.players[0].box
			w = nil
			with := heap()
			runtime.KeepAlive(box)
			held := int(with - heap())
			if off := float64(said)/float64(held) - 1; math.Abs(off) > margin {
				t.Errorf("%s, %s a burst: says %d bytes, but holds %d: %+.3f, which is beyond %.2f",
					Kind(k).ID(), c[0], said, held, off, margin)
			}
		}
	}
}

// heap returns the live bytes.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
