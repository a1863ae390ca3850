// Package impls holds the collections that the workloads run on, each in a file, with the Subjects
// of the laws.
package impls

import (
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Family compares a Pool, a Dense and a List with their alternatives. Each implementation has a
// file here, with the same loops under the same names.
var Family = &measure.Family{
	ID:        "collections",
	Title:     "The collections",
	Workloads: collections.Workloads,
	Stale:     "A handle to a removed value",
	Impls: []measure.Impl{
		Pool, Dense, stableImpl, Slice, PtrSlice, ptrMapImpl, mapImpl,
		Genpool, sparsesetImpl, denseNowImpl, orderedImpl, arkImpl,
		ArenaPool, ArenaHandles,
		poolLengthImpl, poolNeverImpl, denseManualImpl,
		listMemoryImpl, listNeverImpl, asVariant("List Quartered", Quartered),
		asVariant("List stepwise", QuarteredStepwise),
		asVariant("List FirstFreeHeap", FirstFreeHeap),
		asVariant("List heap walk", FirstFreeHeapWalk),
		list16Impl, list64Impl,
	},
	Baseline: "[]T",
	Usual:    ptrMapImpl.Name,
	Subjects: []string{"berth.Pool", "berth.Dense", "stable.List"},
}
