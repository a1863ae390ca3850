package pages

import (
	"math"

	"golang.org/x/sys/unix"
)

// No advice of darwin guarantees zero: MADV_DONTNEED keeps the contents, and after MADV_FREE they
// stay until the system needs the page.
const (
	adviceGive    = unix.MADV_FREE
	decommitKeeps = true
)

func adviseHuge([]byte) bool { return false }

// maxMappings returns no limit: only Linux counts mappings.
func maxMappings() int { return math.MaxInt }

func leaveAddresses() error { return nil }
