package main

// collections is what stands beside a Pool, a Dense and a List. Its implementations each have a file
// here, in which they do the same under the same names.
var collections = &family{
	id:    "collections",
	title: "What each collection is",
	workloads: []*workload{
		basic, cross, ephemeral, spike, crossEphemeral, sparse, churn, dcm, dcmPool, rooms,
		memory, gcWork,
	},
	stale: "A handle to a removed value",
	impls: []impl{
		poolImpl, denseImpl, stableImpl, sliceImpl, ptrSliceImpl, ptrMapImpl, mapImpl,
		listImpl, genpoolImpl, sparsesetImpl, denseNowImpl, orderedImpl,
		arkImpl, donburiImpl, ecsImpl,
		arenaPoolImpl, arenaHandlesImpl,
		poolLengthImpl, poolNeverImpl, denseManualImpl,
		listMemoryImpl, listNeverImpl, asVariant("List Quartered", quarteredImpl),
		asVariant("List stepwise", quarteredStepwiseImpl),
		asVariant("List FirstFreeHeap", firstFreeHeapImpl),
		asVariant("List heap walk", firstFreeHeapWalkImpl),
		list16Impl, list64Impl,
	},
	baseline: "[]T",
	subjects: []string{"berth.Pool", "berth.Dense", "stable.List"},
}
