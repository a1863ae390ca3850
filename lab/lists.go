package main

// lists is the thesis' list in all its variants, and what it is held against.
var lists = &family{
	id: "lists",
	workloads: []*workload{
		thesisBasic, thesisCross, thesisEphemeral, thesisCrossEphemeral, thesisTruncation,
	},
	title: "What each list is",
	stale: "A handle to a removed value",
	impls: []impl{
		firstFreeImpl, quarteredImpl, quarteredStepwiseImpl, firstFreeHeapImpl,
		firstFreeHeapWalkImpl, quartered16Impl, quartered64Impl,
		poolImpl, denseImpl, sliceImpl, ptrSliceImpl, genpoolImpl,
	},
	baseline: "FirstFree",
	subjects: []string{"FirstFree"},
}
