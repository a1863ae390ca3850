package pages

import "golang.org/x/sys/unix"

// No advice of darwin promises zero: MADV_DONTNEED keeps the content, and after
// MADV_FREE it is there until the system needs the page.
const (
	adviceGive    = unix.MADV_FREE
	decommitKeeps = true
)

func adviseHuge([]byte) bool { return false }
