// Package to1024 compiles a replay's containers for values of 360 to 912 bytes.
package to1024

import "github.com/seed505807e1/berth/lab/internal/replay"

// Sizes are those that this package adds.
var Sizes = []replay.Size{
	replay.Of[[45]uint64]{}, replay.Of[[50]uint64]{}, replay.Of[[56]uint64]{},
	replay.Of[[60]uint64]{}, replay.Of[[64]uint64]{}, replay.Of[[72]uint64]{},
	replay.Of[[81]uint64]{}, replay.Of[[91]uint64]{}, replay.Of[[102]uint64]{},
	replay.Of[[114]uint64]{},
}
