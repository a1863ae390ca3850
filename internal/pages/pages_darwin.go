package pages

import (
	"math"

	"golang.org/x/sys/unix"
)

// No advice of darwin promises zero: MADV_DONTNEED keeps the content, and after
// MADV_FREE it is there until the system needs the page.
const (
	adviceGive    = unix.MADV_FREE
	decommitKeeps = true
)

func adviseHuge([]byte) bool { return false }

// maxMappings is without end: no system but Linux counts them.
func maxMappings() int { return math.MaxInt }

func leaveAddresses() error { return nil }
