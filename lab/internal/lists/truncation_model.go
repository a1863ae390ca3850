package lists

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

func wantTruncation(j measure.Job) *truncationWant {
	return &truncationWant{
		waves:  newWaves(stepsOf(j)),
		random: modelWaves(stepsOf(j)).checksum(),
		far:    modelFar(j.N),
		worst:  modelWorst(j.N),
	}
}

// modelWaves counts by lifetimes alone: a value inserted at step s with lifetime t is live after s,
// …, s+t-1 and removed at s+t, if the steps last that long.
func modelWaves(n int) (sum waveSums) {
	came, lives := waveLives(n)
	k := 0
	for s, c := range came {
		for range c {
			sum.lens += uint64(min(lives[k], n-s))
			if s+lives[k] < n {
				sum.removed += uint64(k)
			} else {
				sum.left += uint64(k)
			}
			k++
		}
	}
	return sum
}

// modelFar is the checksum of the last 25 of n values after the others were removed in random
// order.
func modelFar(n int) uint64 {
	order := make([]uint64, n)
	for i := range order {
		order[i] = uint64(i)
	}
	measure.Shuffle(&measure.RNG{S: measure.Seed ^ 9}, order)
	sum, left := uint64(0), order[max(0, n-collections.FewLeft):]
	for _, v := range left {
		sum += v
	}
	return leftSum(len(left), sum)
}

// modelWorst is the checksum of 0 and 1, after all others of 0, …, n-1 were removed.
func modelWorst(n int) uint64 {
	left := min(2, n-1)
	return leftSum(left, uint64(left/2))
}
