package main

// families lists all there is to measure, in the order in which it is shown.
var families = catalogue{
	collections, lists, freeLists, broadphases, bumps, pageFamily, queues, arrays, tables,
	backings,
}

// pictured is what lab picture draws: a workload that has steps, and those whose way through its
// burst the README shows.
var pictured = struct {
	work  work
	impls string
}{
	work{ephemeral, collections}, "berth.Pool,berth.Dense,[]T,[]*T,map[uint64]*T,genpool,ark",
}
