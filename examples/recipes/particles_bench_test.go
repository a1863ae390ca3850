package recipes

import (
	"fmt"
	"testing"
)

var found int // so that no compiler drops the loop

// BenchmarkParticles measures loops over structs of 48 bytes and over columns, and whole frames.
func BenchmarkParticles(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		d, s := twice(n)
		structs := d.Slice()
		for _, op := range []struct {
			name                    string
			structs, columns, lanes func()
		}{
			{"move", func() { moveStructs(structs, .01) },
				func() { moveScalar(s.x.Slice(), s.y.Slice(), s.vx.Slice(), s.vy.Slice(), .01) },
				func() { s.Move(.01) }},
			{"age", func() { ageStructs(structs) },
				func() { incrementScalar(s.age.Slice()) }, s.Age},
			{"near", func() { found = nearStructs(structs, 50, 50, 100) },
				func() { found = countNearScalar(s.x.Slice(), s.y.Slice(), 50, 50, 100) },
				func() { found = s.Near(50, 50, 100) }},
		} {
			benchParticles(b, op.name, "structs", n, op.structs)
			benchParticles(b, op.name, "columns", n, op.columns)
			if vector {
				benchParticles(b, op.name, "archsimd", n, op.lanes)
			}
		}
		d, s = twice(n)
		benchParticles(b, "frame", "structs", n, func() { frameStructs(d) })
		benchParticles(b, "frame", "columns", n, func() { frameColumns(s) })
	}
}

func benchParticles(b *testing.B, op, impl string, n int, f func()) {
	b.Run(fmt.Sprintf("op=%s/impl=%s/n=%d", op, impl, n), func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
	})
}
