package near_test

import (
	"math"
	"testing"

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
