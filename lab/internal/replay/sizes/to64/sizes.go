// Package to64 compiles a replay's containers for values of 16 to 56 bytes.
package to64

import "github.com/seed505807e1/berth/lab/internal/replay"

// Sizes are those that this package adds.
var Sizes = []replay.Size{
	replay.Of[[2]uint64]{}, replay.Of[[3]uint64]{}, replay.Of[[4]uint64]{},
	replay.Of[[5]uint64]{}, replay.Of[[6]uint64]{}, replay.Of[[7]uint64]{},
}
