//go:build !berth_invariants

package berth

// invariants makes every change check the whole container; see the tag berth_invariants.
const invariants = false
