//go:build !berth_long

// Package long says whether tests take their time, which the build tag berth_long asks for. Without
// the tag each rule is tested in a size that can break it; with it the laws run on every
// configuration, models play all their seeds, and queues run for long.
package long

// On is whether tests do all that they can.
const On = false
