//go:build lab_all_sizes && !race

package sizes

import "github.com/seed505807e1/berth/lab/internal/replay"

// All are the sizes of values that a replay has: each multiple of a word up to 64 bytes, of two
// words up to 128, then each at most a quarter larger than the one before, up to replay.MaxBytes. A
// value takes the next larger size, so it is replayed at most a quarter too large.
var All = append([]replay.Size{
	replay.Of[[2]uint64](), replay.Of[[3]uint64](), replay.Of[[4]uint64](),
	replay.Of[[5]uint64](), replay.Of[[6]uint64](), replay.Of[[7]uint64](),
	replay.Of[[10]uint64](), replay.Of[[12]uint64](), replay.Of[[14]uint64](),
	replay.Of[[16]uint64](),
	replay.Of[[20]uint64](), replay.Of[[24]uint64](), replay.Of[[28]uint64](),
	replay.Of[[32]uint64](), replay.Of[[40]uint64](), replay.Of[[48]uint64](),
	replay.Of[[56]uint64](), replay.Of[[64]uint64](), replay.Of[[80]uint64](),
	replay.Of[[96]uint64](), replay.Of[[112]uint64](),
}, replay.Few...)
