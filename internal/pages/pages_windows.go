package pages

import (
	"math"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Supported reports whether the system can reserve addresses without memory. It is true on Linux,
// darwin and Windows.
const Supported = true

const decommitKeeps = false

func reserve(n int) ([]byte, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, err
	}
	// The address is not Go memory, so it is not moved or freed. It is read as a pointer, since go
	// vet reports a conversion.
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n), nil
}

func commit(b []byte) error {
	_, err := windows.VirtualAlloc(address(b), uintptr(len(b)), windows.MEM_COMMIT,
		windows.PAGE_READWRITE)
	return err
}

func decommit(b []byte) error {
	return windows.VirtualFree(address(b), uintptr(len(b)), windows.MEM_DECOMMIT)
}

// forget does nothing: only Linux counts mappings.
func forget([]byte) error { return nil }

// release passes no length, as Windows requires. The reservation is released as a whole.
func release(whole []byte) error {
	return windows.VirtualFree(address(whole), 0, windows.MEM_RELEASE)
}

func adviseHuge([]byte) bool { return false }

// maxMappings returns no limit: only Linux counts mappings.
func maxMappings() int { return math.MaxInt }

func leaveAddresses() error { return nil }
