//go:build !berth_invariants

// Package invariants says whether containers check themselves at every change, which the build tag
// berth_invariants asks for. Where it is off, a block under if invariants.On costs nothing, nor
// does it keep its function from being inlined.
package invariants

// On makes containers check themselves at changes: at every one while they are small, now and then
// when they are large.
const On = false
