//go:build berth_invariants

package invariants

// On makes every change check its whole container.
const On = true
