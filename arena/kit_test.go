package arena_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

// newArena returns an arena of the given kind. A chunked one has chunks of 512 bytes.
func newArena(t testing.TB, kind, size int) *arena.Arena {
	t.Helper()
	switch kind {
	case fixed:
		return arena.NewFixed(size)
	case chunked:
		return arena.NewChunked(512)
	}
	a, err := arena.NewVirtual(max(1, size), arena.VirtualConfig{Keep: 1 + size%3*1000})
	if err != nil {
		t.Fatal("NewVirtual:", err)
	}
	t.Cleanup(func() { _ = a.Release() })
	return a
}

// wantPanic fails t unless f panics with a message that contains text.
func wantPanic(t testing.TB, text string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), text) {
			t.Errorf("panic(%v), want %q in it", r, text)
		}
	}()
	f()
}

// bytesOf returns the memory of *p.
func bytesOf[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}
