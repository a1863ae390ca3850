package pages

import (
	"math"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Supported says whether the system can reserve addresses without memory. It is
// true on Linux, darwin and Windows.
const Supported = true

const decommitKeeps = false

func reserve(n int) ([]byte, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, err
	}
	// The address is none of Go's memory: nothing moves or frees it. It is read
	// as a pointer, since go vet takes a conversion for a mistake.
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

// forget is not needed: no system but Linux counts mappings.
func forget([]byte) error { return nil }

// release passes no length, as Windows wants it: the reservation goes as one.
func release(whole []byte) error {
	return windows.VirtualFree(address(whole), 0, windows.MEM_RELEASE)
}

func adviseHuge([]byte) bool { return false }

// maxMappings is without end: no system but Linux counts them.
func maxMappings() int { return math.MaxInt }

func leaveAddresses() error { return nil }
