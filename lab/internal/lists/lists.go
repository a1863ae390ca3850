// Package lists asks the questions of the thesis on StableList, of its lists and of what they are
// held against.
package lists

import (
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Family is the thesis' list in all its variants, and what it is held against.
var Family = &measure.Family{
	ID: "lists",
	Workloads: []*measure.Workload{
		thesisBasic, thesisCross, thesisEphemeral, thesisCrossEphemeral, thesisTruncation,
	},
	Title: "What each list is",
	Stale: "A handle to a removed value",
	Impls: []measure.Impl{
		impls.FirstFree, impls.Quartered, impls.QuarteredStepwise, impls.FirstFreeHeap,
		impls.FirstFreeHeapWalk, impls.Quartered16, impls.Quartered64,
		impls.Pool, impls.Dense, impls.Slice, impls.PtrSlice, impls.Genpool,
	},
	Baseline: "FirstFree",
	Subjects: []string{"FirstFree"},
}
