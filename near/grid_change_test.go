package near_test

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// Values removed from the container leave the grid when it sorts its items again: neither their
// items nor their places in the index stay.
func TestSortingAgainDropsTheStale(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		c := kinds[0](square(30)) // 900
		g := newSearcher(axes, 1)
		g.Rebuild(c.view)
		for i, h := range c.hs {
			if i%2 == 0 {
				c.view.(*berth.Pool[dot]).Remove(h)
			}
		}
		if g.Len() != 900 {
			t.Fatalf("%d axes: Len = %d before, want 900", axes, g.Len())
		}
		moves := 0
		for i := 1; i < len(c.hs); i += 2 {
			c.view.Ptr(c.hs[i]).x += 3
			if !g.Move(c.hs[i]) {
				t.Fatalf("%d axes: Move(%d) = false", axes, i)
			}
			if moves++; g.Len() != 900 {
				break
			}
		}
		if s := g.Stats(); g.Len() != 450 || s.Vacant != 0 || moves == 450 {
			t.Errorf("%d axes: after %d moves %+v, want 450 items and none vacant", axes, moves, s)
		}
		g.CheckInvariants()
		for i, h := range c.hs {
			if got := g.Remove(h); got != (i%2 == 1) {
				t.Errorf("%d axes: Remove(%d) = %t, want %t", axes, i, got, !got)
			}
		}
	}
}
