//go:build !berth_long

// Package long controls whether tests run in full. The build tag berth_long turns it on. Without
// the tag, each rule is tested in a size that can break it. With it, the laws run on every
// configuration, models play all their seeds, and queues run for long.
package long

// On reports whether tests run in full.
const On = false
