//go:build !berth_invariants

// Package invariants controls whether containers check their invariants at every change. The build
// tag berth_invariants turns it on. Without the tag, a block under if invariants.On costs nothing,
// and does not keep its function from being inlined.
package invariants

// On makes containers check their invariants at changes: at every change while they are small, and
// at some when they are large.
const On = false
