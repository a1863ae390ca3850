// Package to320 compiles a replay's containers for values of 144 to 320 bytes.
package to320

import "github.com/seed505807e1/berth/lab/internal/replay"

// Sizes are those that this package adds.
var Sizes = []replay.Size{
	replay.Of[[18]uint64]{}, replay.Of[[20]uint64]{}, replay.Of[[22]uint64]{},
	replay.Of[[24]uint64]{}, replay.Of[[27]uint64]{}, replay.Of[[30]uint64]{},
	replay.Of[[32]uint64]{}, replay.Of[[36]uint64]{}, replay.Of[[40]uint64]{},
}
