//go:build !lab_all_sizes || race

// Package sizes has a replay's containers compiled for values of several sizes, or of many with the
// build tag lab_all_sizes, which takes the compiler seconds. The race detector has few: no figure
// is taken with it.
package sizes

import "github.com/seed505807e1/berth/lab/internal/replay"

// All are the sizes of values that a replay has.
var All = replay.Few
