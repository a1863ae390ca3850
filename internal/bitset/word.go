package bitset

import (
	"math"
	"math/bits"
)

// Run returns the place and the length of the lowest run of ones in w, which is not 0.
func Run(w uint64) (i, n int) {
	i = bits.TrailingZeros64(w) & 63
	return i, bits.TrailingZeros64(w+w&-w) - i // the sum has a carry where the run ends
}

// Beyond returns the bits from i on, i <= 64.
func Beyond(i int) uint64 { return math.MaxUint64 << i }
