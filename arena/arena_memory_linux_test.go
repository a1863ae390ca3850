package arena

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// If the system refuses the memory that a commit takes ahead, the commit takes only what is needed.
func TestCommitFallback(t *testing.T) {
	a, err := NewVirtual(16<<20, VirtualConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Release() }()
	size := a.pageSize()
	hole := uintptr(unsafe.Pointer(&a.chunks[0].buf[8*size : 8*size+1][0]))
	if _, _, err := unix.Syscall(unix.SYS_MUNMAP, hole, uintptr(size), 0); err != 0 {
		t.Fatal("munmap:", err)
	}
	for i := range 8 {
		b, err := a.Alloc(size, 1)
		if err != nil || a.Committed() != (i+1)*size {
			t.Fatalf("page %d: %v, %d bytes committed, want what is needed", i, err, a.Committed())
		}
		b[size-1] = 1
	}
	if _, err := a.Alloc(1, 1); err != ErrNoSpace || a.Used() != 8*size {
		t.Errorf("Alloc beyond = %v, Used = %d, want %v", err, a.Used(), ErrNoSpace)
	}
	a.checkInvariants()
}
