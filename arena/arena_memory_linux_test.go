package arena

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"unsafe"
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
	if _, _, err := syscall.Syscall(syscall.SYS_MUNMAP, hole, uintptr(size), 0); err != 0 {
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

// A large piece whose pages the system refuses to take back is cleared before it is used again.
func TestBackingOfLockedPages(t *testing.T) {
	m, err := NewBacking(16<<20, VirtualConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Release() }()
	b, err := m.Alloc(1<<20, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mlock(b[:m.a.pageSize()]); err != nil {
		t.Fatal("mlock:", err)
	}
	for i := range b {
		b[i] = 1
	}
	where := fmt.Sprintf("%p", b)
	m.Free(b)
	again, err := m.Alloc(1<<20, 64)
	if err != nil || fmt.Sprintf("%p", again) != where {
		t.Fatal("another piece, or none:", err)
	}
	if i := slices.Index(again, 1); i >= 0 {
		t.Errorf("byte %d of the piece is not zero", i)
	}
}
