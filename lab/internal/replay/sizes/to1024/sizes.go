// Package to1024 compiles a replay's containers for values of 160 to 896 bytes.
package to1024

import "github.com/seed505807e1/berth/lab/internal/replay"

// Sizes are those that this package adds.
var Sizes = []replay.Size{
	replay.Of[[20]uint64](), replay.Of[[24]uint64](), replay.Of[[28]uint64](),
	replay.Of[[32]uint64](), replay.Of[[40]uint64](), replay.Of[[48]uint64](),
	replay.Of[[56]uint64](), replay.Of[[64]uint64](), replay.Of[[80]uint64](),
	replay.Of[[96]uint64](), replay.Of[[112]uint64](),
}
