package impls

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Growth is the family that is measured from ten thousand to ten million values.
var Growth = &measure.Family{
	ID:        "growth-of-cost",
	Title:     "The collections of growth",
	Workloads: []*measure.Workload{collections.Growth},
	Stale:     "A handle to a removed value",
	Impls:     []measure.Impl{Pool, Dense, Slice, ptrMapImpl, mapImpl, Genpool, walkImpl},
	Baseline:  "[]T",
	Subjects:  []string{"berth.Pool", "berth.Dense"},
}

// walkImpl holds no values. Its lookups are steps of a dependent walk.
var walkImpl = measure.Impl{
	Name: "dependent load",
	About: "no collection: a walk through elements of 32 bytes, each of which holds the position " +
		"of the next. It shows the latency of a load at each size.",
	Stale: "does not exist",
	Loops: "for range n, following the positions",
	Kit:   collections.Kit{Walk: true},
}
