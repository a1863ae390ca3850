//go:build linux || darwin

package pages

import "golang.org/x/sys/unix"

// Supported reports whether the system can reserve addresses without memory. It is true on Linux,
// darwin and Windows.
const Supported = true

func reserve(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

func commit(b []byte) error { return unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE) }

// forget gives the memory of b back, and leaves b accessible.
func forget(b []byte) error { return unix.Madvise(b, adviceGive) }

func decommit(b []byte) error {
	if err := forget(b); err != nil {
		return err
	}
	return unix.Mprotect(b, unix.PROT_NONE)
}

func release(whole []byte) error { return unix.Munmap(whole) }
