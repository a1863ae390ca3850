//go:build unix

package main

import (
	"math"
	"syscall"
)

// fileLimit returns how many files this process may have open. Go has raised the limit to the
// highest one allowed.
func fileLimit() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return math.MaxUint64 // unknown: opening files may fail instead
	}
	return uint64(l.Cur) //nolint:unconvert // some systems have it signed
}
