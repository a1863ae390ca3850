package impls

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Growth is what is measured from ten thousand to ten million values.
var Growth = &measure.Family{
	ID:        "growth-of-cost",
	Title:     "What growth measures",
	Workloads: []*measure.Workload{collections.Growth},
	Stale:     "A handle to a removed value",
	Impls:     []measure.Impl{Pool, Dense, Slice, ptrMapImpl, mapImpl, Genpool, walkImpl},
	Baseline:  "[]T",
	Subjects:  []string{"berth.Pool", "berth.Dense"},
}

// walkImpl holds no values. Its lookups are steps of a dependent walk.
var walkImpl = measure.Impl{
	Name: "dependent load",
	About: "no collection: a walk through elements of 32 bytes, each of which says where the " +
		"next one is. It tells how long a load from memory takes at each size.",
	Stale: "cannot be had",
	Loops: "for range n, and the place of the next",
	Kit:   collections.Kit{Walk: true},
}
