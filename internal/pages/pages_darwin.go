package pages

import (
	"math"
	"syscall"
)

// No advice of darwin guarantees zero: MADV_DONTNEED keeps the contents, and after MADV_FREE they
// stay until the system needs the page.
const decommitKeeps = true

// forget gives the memory of b back, and leaves b accessible. Package syscall has no Madvise for
// darwin.
func forget(b []byte) error {
	_, _, err := syscall.Syscall(
		syscall.SYS_MADVISE, address(b), uintptr(len(b)), syscall.MADV_FREE)
	if err != 0 {
		return err
	}
	return nil
}

func adviseHuge([]byte) bool { return false }

// maxMappings returns no limit: only Linux counts mappings.
func maxMappings() int { return math.MaxInt }

func leaveAddresses() error { return nil }
