// Package origin chooses where the handles of a container start, so that those of another container
// find nothing in it.
package origin

import "sync/atomic"

// Golden, Silver and Golden64 are irrational fractions of 2^32, 2^31 and 2^64, made odd. Their
// multiples lie as far apart as possible: of n successive ones, any two are at least range/(3n)
// apart.
//
// Source: the three-distance theorem; D. Knuth, The Art of Computer Programming 3, section 6.4.
const (
	Golden = 0x9E3779B9 // 2^32 (sqrt(5)-1)/2
	Silver = 0x3504F333 // 2^31 (sqrt(2)-1)

	Golden64 = 0x9E3779B97F4A7C15 // 2^64 (sqrt(5)-1)/2
)

// taken counts the containers that have taken a seed of their own.
var taken atomic.Uint32

// Seed returns seed or, if that is 0, the next seed of the process, counting up from 3<<30. That is
// far from seeds that people choose, even if only the low 31 bits count.
func Seed(seed uint32) uint32 {
	if seed == 0 {
		seed = 3<<30 + taken.Add(1) - 1
	}
	return seed
}
