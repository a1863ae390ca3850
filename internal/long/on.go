//go:build berth_long

package long

// On reports whether tests run in full.
const On = true
