//go:build linux || darwin

package pages

import "syscall"

// Supported reports whether the system can reserve addresses without memory. It is true on Linux,
// darwin and Windows.
const Supported = true

func reserve(n int) ([]byte, error) {
	const flags = syscall.MAP_PRIVATE | syscall.MAP_ANON | syscall.MAP_NORESERVE
	return syscall.Mmap(-1, 0, n, syscall.PROT_NONE, flags)
}

func commit(b []byte) error { return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE) }

func decommit(b []byte) error {
	if err := forget(b); err != nil {
		return err
	}
	return syscall.Mprotect(b, syscall.PROT_NONE)
}

func release(whole []byte) error { return syscall.Munmap(whole) }
