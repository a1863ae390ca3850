package main

import (
	"cmp"
	"slices"
)

func wantBroad(n int) broadSums {
	switch n {
	case 1000:
		return broadSums{pairs: 12, marks: 1200012}
	case 10_000:
		return broadSums{pairs: 96, marks: 9600096}
	case 100_000:
		return broadSums{pairs: 896, marks: 89300893}
	}
	return modelBroad(n)
}

// modelBroad is brute force, or where that takes too long a sweep.
func modelBroad(n int) broadSums {
	cs := drawColliders(n, broadSide(n))
	meet := modelMeet
	if n > bruteMost {
		meet = modelSweep
	}
	return broadSums{meet(cs), markSum(cs)}
}

// modelSweep is modelMeet for colliders in any order: it sorts them by x, and looks at those that
// come before the first that is too far.
func modelSweep(cs []collider) (pairs uint64) {
	slices.SortFunc(cs, func(a, b collider) int { return cmp.Compare(a.x, b.x) })
	for a := range cs {
		for b := a + 1; b < len(cs) && int(cs[b].x)-int(cs[a].x) < 2; b++ {
			if d := int(cs[b].y) - int(cs[a].y); d < 2 && d > -2 {
				cs[a].hit, cs[a].been = true, true
				cs[b].hit, cs[b].been = true, true
				pairs += 2
			}
		}
	}
	return pairs
}
