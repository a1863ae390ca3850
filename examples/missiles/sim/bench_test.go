package sim

import (
	"fmt"
	"testing"
)

// crowded returns a game that has as many things as there are in a wave, and stays so.
func crowded(wave int) *World {
	w := New(Config{Seed: 1, Wave: wave, Invincible: true})
	for range 600 {
		w.Step(w.Pilot())
	}
	return w
}

func BenchmarkFrame(b *testing.B) {
	for _, wave := range []int{8, 16, 30} {
		b.Run(fmt.Sprintf("wave=%d", wave), func(b *testing.B) {
			w := crowded(wave)
			b.ReportAllocs()
			things := 0
			for b.Loop() {
				if w.Frame == 3000 { // where the wave would be another
					b.StopTimer()
					w = crowded(wave)
					b.StartTimer()
				}
				w.Step(w.Pilot())
				things += w.Live()
			}
			b.ReportMetric(float64(things)/float64(b.N), "things")
		})
	}
}
