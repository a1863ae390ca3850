package pages

import "golang.org/x/sys/unix"

// MADV_DONTNEED takes the pages of a private mapping at once, and the next touch
// finds zero.
const (
	adviceGive    = unix.MADV_DONTNEED
	decommitKeeps = false
)

func adviseHuge(b []byte) bool { return unix.Madvise(b, unix.MADV_HUGEPAGE) == nil }
