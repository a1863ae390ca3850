//go:build berth_long

package long

// On is whether tests do all that they can.
const On = true
