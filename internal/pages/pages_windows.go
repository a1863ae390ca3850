package pages

import (
	"math"
	"syscall"
	"unsafe"
)

// Supported reports whether the system can reserve addresses without memory. It is true on Linux,
// darwin and Windows.
const Supported = true

const decommitKeeps = false

// Constants of winnt.h that package syscall lacks.
const (
	memCommit    = 0x1000 // MEM_COMMIT
	memReserve   = 0x2000 // MEM_RESERVE
	memDecommit  = 0x4000 // MEM_DECOMMIT
	memRelease   = 0x8000 // MEM_RELEASE
	pageNoAccess = 0x01   // PAGE_NOACCESS
)

// Package syscall takes kernel32 from the system's directory, and searches nowhere else.
var (
	kernel32         = syscall.NewLazyDLL("kernel32.dll")
	procVirtualAlloc = kernel32.NewProc("VirtualAlloc")
	procVirtualFree  = kernel32.NewProc("VirtualFree")
)

// virtualAlloc calls VirtualAlloc by SyscallN: Call would allocate its arguments on Go's heap.
func virtualAlloc(addr, n, kind, protect uintptr) (uintptr, error) {
	got, _, err := syscall.SyscallN(procVirtualAlloc.Addr(), addr, n, kind, protect)
	if got == 0 {
		return 0, err
	}
	return got, nil
}

func virtualFree(addr, n, kind uintptr) error {
	ok, _, err := syscall.SyscallN(procVirtualFree.Addr(), addr, n, kind)
	if ok == 0 {
		return err
	}
	return nil
}

func reserve(n int) ([]byte, error) {
	addr, err := virtualAlloc(0, uintptr(n), memReserve, pageNoAccess)
	if err != nil {
		return nil, err
	}
	// The address is not Go memory, so it is not moved or freed. It is read as a pointer, since go
	// vet reports a conversion.
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n), nil
}

func commit(b []byte) error {
	_, err := virtualAlloc(address(b), uintptr(len(b)), memCommit, syscall.PAGE_READWRITE)
	return err
}

func decommit(b []byte) error {
	return virtualFree(address(b), uintptr(len(b)), memDecommit)
}

// forget does nothing: only Linux counts mappings.
func forget([]byte) error { return nil }

// release passes no length, as Windows requires. The reservation is released as a whole.
func release(whole []byte) error {
	return virtualFree(address(whole), 0, memRelease)
}

func adviseHuge([]byte) bool { return false }

// maxMappings returns no limit: only Linux counts mappings.
func maxMappings() int { return math.MaxInt }

func leaveAddresses() error { return nil }
