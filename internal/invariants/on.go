//go:build berth_invariants

package invariants

// On makes containers check themselves at changes: at every one while they are small, now and then
// when they are large.
const On = true
