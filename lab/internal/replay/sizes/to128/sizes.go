// Package to128 compiles a replay's containers for values of 16 to 128 bytes.
package to128

import "github.com/seed505807e1/berth/lab/internal/replay"

// Sizes are those that this package adds.
var Sizes = []replay.Size{
	replay.Of[[2]uint64](), replay.Of[[3]uint64](), replay.Of[[4]uint64](),
	replay.Of[[5]uint64](), replay.Of[[6]uint64](), replay.Of[[7]uint64](),
	replay.Of[[10]uint64](), replay.Of[[12]uint64](), replay.Of[[14]uint64](),
	replay.Of[[16]uint64](),
}
