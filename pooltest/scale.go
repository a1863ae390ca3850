//go:build !race && !berth_invariants

package pooltest

const scale = 1
