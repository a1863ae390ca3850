// Package inside gives other packages of the module what a berth.Pool does not export. The package
// berth sets the functions when it is initialised. They take the Pool as an any, because a variable
// cannot be generic. It must be a *berth.Pool.
package inside

// NextBlock returns the lowest block of 64 slots, from block k on, in which pool has a live value.
// It also returns the block's live slots, the lowest in the lowest bit, and the number of blocks in
// the directory. If there is no such block, the first result is negative.
var NextBlock func(pool any, k int) (block int, live uint64, blocks int)

// SetOrigin sets where the handles of pool start: the index of slot 0, and the generation, which is
// even. The pool must be new.
var SetOrigin func(pool any, index, gen uint32)
