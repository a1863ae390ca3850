package main

import (
	"fmt"
	"testing"
)

// After a frame that went back, the game is one frame further, and the same as one that did not.
func TestWorst(t *testing.T) {
	m, plain := newWorst(6), newWorst(6)
	for range 20 {
		if _, err := m.frame(); err != nil {
			t.Fatal(err)
		}
		plain.world.Step(m.inputs[back])
	}
	if got, want := m.world.Hash(), plain.world.Hash(); got != want || m.world.Frame != 600+9+20 {
		t.Errorf("frame %d, hash %#x, want %#x", m.world.Frame, got, want)
	}
	costs, things, err := m.measure(5)
	if err != nil || things < 100 || len(costs) != 5 || costs[0].all() > costs[4].all() {
		t.Errorf("%+v, %d things, %v", costs, things, err)
	}
	if c := costs[0]; c.rewind <= 0 || c.play <= 0 || c.hash <= 0 {
		t.Errorf("%+v", c)
	}
}

// BenchmarkFrame is a frame that goes eight frames back. The times of its parts are those of all
// nine frames played.
func BenchmarkFrame(b *testing.B) {
	for _, wave := range []int{busy, peak} {
		b.Run(fmt.Sprintf("wave=%d", wave), func(b *testing.B) {
			m := newWorst(wave)
			var sum cost
			things, n := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				c, err := m.frame()
				must(b, err)
				sum.rewind += c.rewind
				sum.play += c.play
				sum.hash += c.hash
				things += m.world.Live()
				n++
			}
			each := func(d float64) float64 { return 1000 * d / float64(n) }
			b.ReportMetric(each(sum.rewind.Seconds()), "rewind-ms")
			b.ReportMetric(each(sum.play.Seconds()), "play-ms")
			b.ReportMetric(each(sum.hash.Seconds()), "hash-ms")
			b.ReportMetric(float64(things)/float64(n), "things")
		})
	}
}
