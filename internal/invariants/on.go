//go:build berth_invariants

package invariants

// On makes containers check their invariants at changes: at every change while they are small, and
// at some when they are large.
const On = true
