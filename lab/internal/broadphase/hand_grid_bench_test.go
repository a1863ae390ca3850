package broadphase

import (
	"fmt"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// BenchmarkFrame compares a frame of near.Grid with one of the hand-written grid. They take turns
// over the same world in one process, since the ratio is more reliable than the times.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			side, want := broadSide(n), int(wantBroad(n).pairs)
			cs := collections.DrawColliders(n, side)
			var build, pairs, total [2][]float64
			var grids [2]Broadphase
			for i, im := range []measure.Impl{nearPoolImpl, handGridImpl} {
				grids[i] = measure.KitOf[Kit](im).New()
				grids[i].Fill(cs, side)
			}
			for b.Loop() {
				for i, g := range grids {
					for range broadRounds(n) {
						found := 0
						t := measure.Time(g.(builder).Build)
						p := measure.Time(func() { found = g.Pairs() })
						if found != want {
							b.Fatalf("%d pairs, want %d", found, want)
						}
						build[i], pairs[i] = append(build[i], t), append(pairs[i], p)
						total[i] = append(total[i], t+p)
					}
				}
			}
			for _, m := range []struct {
				name  string
				times [2][]float64
			}{{"build", build}, {"pairs", pairs}, {"total", total}} {
				near, hand := measure.Quantile(m.times[0], 0.5), measure.Quantile(m.times[1], 0.5)
				b.ReportMetric(near/float64(n), "near-"+m.name)
				b.ReportMetric(hand/float64(n), "hand-"+m.name)
				b.ReportMetric(near/hand, m.name+"-x")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
