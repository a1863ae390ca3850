//go:build !unix

package main

import "math"

// fileLimit returns how many files this process may have open. There is no limit.
func fileLimit() uint64 { return math.MaxUint64 }
