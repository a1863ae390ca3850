//go:build race || lab_few_sizes

package sizes

import "github.com/seed505807e1/berth/lab/internal/replay"

// All are the sizes of values that a replay has.
var All = replay.Few
