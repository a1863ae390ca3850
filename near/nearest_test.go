package near_test

import (
	"math"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// NearestK allocates for as many values as there are, not for k.
func TestNearestKOfMany(t *testing.T) {
	c := kinds[0](square(5))
	g := near.NewGrid(1, (*dot).flat)
	g.Rebuild(c.view)
	if n := testing.AllocsPerRun(10, func() { walkNearest(g, math.MaxInt) }); n > 1 {
		t.Errorf("%v allocations for 25 values, want 1", n)
	}
}

// A search that reaches the first row and all columns, but not all rows, does not look at all
// values.
func TestNearestInAColumn(t *testing.T) {
	var p berth.Pool[dot]
	for y := range 1000 {
		p.Insert(dot{place{0.5, float64(y), 0}, y})
	}
	g := near.NewGrid(1, (*dot).flat)
	g.Rebuild(&p)
	steps := near.Steps(func() {
		if e, ok := g.Nearest(0.5, 0.2); !ok || e.Value.id != 0 {
			t.Errorf("Nearest = %v, %t", e, ok)
		}
	})
	if steps > 100 {
		t.Errorf("%d steps to the nearest of 1000 values in a column, want at most 100", steps)
	}
}
