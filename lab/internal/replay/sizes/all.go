//go:build lab_all_sizes && !race

package sizes

import (
	"slices"

	"github.com/seed505807e1/berth/lab/internal/replay"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes/to1024"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes/to128"
)

// All are the sizes of values that a replay has: each multiple of a word up to 64 bytes, of two
// words up to 128, then each at most a quarter larger than the one before, up to replay.MaxBytes. A
// value takes the next larger size, so it is replayed at most a quarter too large.
var All = slices.Concat(replay.Few, to128.Sizes, to1024.Sizes)
