//go:build !race && !lab_few_sizes

// Package sizes has a replay's containers compiled for values of many sizes. A size takes the
// compiler a second, since it compiles all methods of all containers, so that the sizes are in
// several packages, which are compiled side by side. The race detector has few sizes: no figure is
// taken with it. So has the build tag lab_few_sizes.
package sizes

import (
	"slices"

	"github.com/seed505807e1/berth/lab/internal/replay"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes/to1024"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes/to128"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes/to320"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes/to64"
)

// All are the sizes of values that a replay has: each multiple of a word up to 128 bytes, then each
// at most an eighth larger than the one before, up to replay.MaxBytes.
var All = slices.Concat(replay.Few, to64.Sizes, to128.Sizes, to320.Sizes, to1024.Sizes)
