package near_test

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// A pair whose kept positions are farther apart than the values is found, on each side of 0.
func TestPairsOfRoundedPositions(t *testing.T) {
	for axis := range 3 {
		for _, far := range []float64{-1e7, 1e7} { // where a float32 has no digit behind the point
			var p berth.Pool[dot]
			for id, x := range []float64{far + 0.4, far + 0.6, 1} {
				at := [3]float64{}
				at[axis] = x
				p.Insert(dot{place{at[0], at[1], at[2]}, id})
			}
			g := newSearcher(max(axis+1, 2), 1)
			g.Rebuild(&p)
			n := 0
			for range g.Pairs(0.3) {
				n++
			}
			if n != 1 {
				t.Errorf("axis %d: %d pairs at %v, want 1", axis, n, far)
			}
		}
	}
}
