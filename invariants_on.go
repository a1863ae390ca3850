//go:build berth_invariants

package berth

const invariants = true
