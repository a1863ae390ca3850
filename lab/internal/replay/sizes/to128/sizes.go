// Package to128 compiles a replay's containers for values of 72 to 128 bytes.
package to128

import "github.com/seed505807e1/berth/lab/internal/replay"

// Sizes are those that this package adds.
var Sizes = []replay.Size{
	replay.Of[[9]uint64]{}, replay.Of[[10]uint64]{}, replay.Of[[11]uint64]{},
	replay.Of[[12]uint64]{}, replay.Of[[13]uint64]{}, replay.Of[[14]uint64]{},
	replay.Of[[15]uint64]{}, replay.Of[[16]uint64]{},
}
