// Package lists measures the lists of the thesis on StableList beside their rivals, as the thesis
// does.
package lists

import (
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Family compares the thesis' list in all its variants with its rivals.
var Family = &measure.Family{
	ID: "lists",
	Workloads: []*measure.Workload{
		thesisBasic, thesisCross, thesisEphemeral, thesisCrossEphemeral, thesisTruncation,
	},
	Title: "The lists",
	Stale: "A handle to a removed value",
	Impls: []measure.Impl{
		impls.FirstFree, impls.Quartered, impls.QuarteredStepwise, impls.FirstFreeHeap,
		impls.FirstFreeHeapWalk, impls.Quartered16, impls.Quartered64,
		impls.Pool, impls.Dense, impls.Slice, impls.PtrSlice, impls.Genpool,
	},
	Baseline: "FirstFree",
	Subjects: []string{"FirstFree"},
}
