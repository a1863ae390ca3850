package world

import (
	"fmt"
	"testing"
)

// BenchmarkStep is a step of a world in its steady state, where deaths equal births.
func BenchmarkStep(b *testing.B) {
	for _, s := range []Scene{
		{Seed: 7, Spawn: 100, Life: 220},
		{Seed: 7, Spawn: 100, Life: 320},
	} {
		for k := range Kind(Kinds) {
			b.Run(fmt.Sprintf("impl=%s/n=%d", k.ID(), s.Spawn*s.Life), func(b *testing.B) {
				w := New(s, []Kind{k})
				for range 3 * s.Life {
					w.Step()
				}
				b.ReportAllocs()
				for b.Loop() {
					w.Step()
				}
				b.ReportMetric(float64(w.Figures(k).Live), "things")
			})
		}
	}
}
