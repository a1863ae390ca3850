package broadphase

import (
	"cmp"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/collections"
)

// wantBroad is brute force, or a sweep if that takes too long.
func wantBroad(n int) broadSums {
	cs := collections.DrawColliders(n, broadSide(n))
	meet := collections.ModelMeet
	if n > bruteMost {
		meet = modelSweep
	}
	return broadSums{meet(cs), collections.MarkSum(cs)}
}

// modelSweep is ModelMeet for colliders in any order. It sorts them by x, and compares each with
// the following ones until one is too far.
func modelSweep(cs []collections.Collider) (pairs uint64) {
	slices.SortFunc(cs, func(a, b collections.Collider) int { return cmp.Compare(a.X, b.X) })
	for a := range cs {
		for b := a + 1; b < len(cs) && int(cs[b].X)-int(cs[a].X) < 2; b++ {
			if d := int(cs[b].Y) - int(cs[a].Y); d < 2 && d > -2 {
				cs[a].Hit, cs[a].Been = true, true
				cs[b].Hit, cs[b].Been = true, true
				pairs += 2
			}
		}
	}
	return pairs
}
