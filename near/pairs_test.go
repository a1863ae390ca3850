package near_test

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// Pairs does not visit a pivot again once it is removed, in any way.
func TestPivotRemoved(t *testing.T) {
	for how := range 3 {
		for axes := 2; axes <= 3; axes++ {
			var p berth.Pool[dot]
			fill(&p, make([]place, 20), 0) // all in one point
			g := newSearcher(axes, 1)
			g.Rebuild(&p)
			n := 0
			for a := range g.Pairs(1) {
				n++
				if how > 0 {
					g.Remove(a.Handle)
				}
				if how < 2 {
					p.Remove(a.Handle)
				}
			}
			if n != 19 { // each is a pivot once, except the last
				t.Errorf("removal %d, %d axes: %d turns, want 19", how, axes, n)
			}
		}
	}
}
