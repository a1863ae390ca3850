package pages

import (
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

const decommitKeeps = false

// forget gives the memory of b back, and leaves b accessible. MADV_DONTNEED takes the pages of a
// private mapping at once, and the next touch reads zero.
func forget(b []byte) error { return syscall.Madvise(b, syscall.MADV_DONTNEED) }

func adviseHuge(b []byte) bool { return syscall.Madvise(b, syscall.MADV_HUGEPAGE) == nil }

// maxMappings returns the maximum number of mappings of all regions: half of the number that the
// system grants a process.
var maxMappings = sync.OnceValue(func() int {
	b, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		return mapCount / 2
	}
	return halfOf(string(b))
})

// mapCount is the number of mappings that Linux grants a process by default.
const mapCount = 65530

// halfOf returns half of the number in s.
func halfOf(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n <= 0 {
		n = mapCount
	}
	return n / 2
}

// leaveAddresses returns an error if the addresses of the process are limited, and no range of an
// eighth of the limit is left. Go's heap needs some addresses to grow, and could not report their
// lack.
func leaveAddresses() error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &l); err != nil {
		return err
	}
	if l.Cur > math.MaxInt && math.MaxInt > math.MaxInt32 {
		return nil // 64-bit pointers have addresses enough
	}
	b, err := reserve(int(min(l.Cur, math.MaxInt) / 8))
	if err != nil {
		return errAddresses
	}
	return release(b)
}
