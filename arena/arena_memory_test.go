package arena_test

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/pages"
)

// tooMuch returns sizes that no machine has on Go's heap: one more than the maximum, and some
// above.
func tooMuch() []int {
	if math.MaxInt == math.MaxInt32 {
		return []int{math.MaxInt, math.MaxInt - 100}
	}
	const most = math.MaxInt >> 23 // 1<<40 - 1
	return []int{most + 2, 2 * most, 8 * most, 64 * most, 128 * most, math.MaxInt/2 + 1, math.MaxInt}
}

// Sizes that no machine has never reach Go's heap, where they would end the process.
func TestNoMachineHas(t *testing.T) {
	a := arena.NewChunked(4096)
	for _, n := range tooMuch() {
		if b, err := a.Alloc(n, 1); b != nil || err != arena.ErrNoSpace {
			t.Errorf("Alloc(%d, 1) = %d bytes, %v", n, len(b), err)
		}
		if b, err := a.AllocDirty(n, 4096); b != nil || err != arena.ErrNoSpace {
			t.Errorf("AllocDirty(%d, 4096) = %d bytes, %v", n, len(b), err)
		}
		if arena.MakeSlice[byte](a, 0, n) != nil || arena.MakeSliceDirty[uint64](a, 1, n/8+1) != nil {
			t.Errorf("MakeSlice of %d bytes is not nil", n)
		}
		if arena.NewVec[int](a).Reserve(n/int(unsafe.Sizeof(n))+1) || arena.NewVec[byte](a).Resize(n) {
			t.Errorf("Vec.Reserve or Resize of %d bytes = true", n)
		}
		noRoom(t, a, n)
		if arena.NewMap[int, int](a).Grow(n / 4) {
			t.Errorf("Map.Grow of %d bytes = true", n)
		}
		wantPanic(t, "arena: NewFixed: bytes must be at most", func() { arena.NewFixed(n) })
		wantPanic(t, "arena: NewChunked: chunkBytes must be at most", func() { arena.NewChunked(n) })
		wantPanic(t, "arena: NewChunkedLimit: chunkBytes must be at most",
			func() { arena.NewChunkedLimit(n, n) })
	}
	if a.Used() != 0 || a.Stats().Reserved != 0 {
		t.Errorf("refusals take %d bytes of %d", a.Used(), a.Stats().Reserved)
	}
}

func TestNewChunkedLimit(t *testing.T) {
	a := arena.NewChunkedLimit(1000, 3500)
	sum := 0
	for _, step := range []struct{ size, held int }{
		{600, 1000}, {600, 2000}, {600, 3000},
		{600, -1},           // 500 bytes are left
		{300, 3000},         // in the last chunk
		{400, 3500},         // in the remainder, which is smaller than a chunk
		{100, 3500},         // behind that one
		{1, -1}, {3500, -1}, // full
	} {
		b, err := a.Alloc(step.size, 1)
		if want := step.held >= 0; (err == nil) != want || !want && err != arena.ErrNoSpace ||
			want && a.Stats().Reserved != step.held {
			t.Errorf("Alloc(%d) = %v with %d held, want %d", step.size, err, a.Stats().Reserved, step.held)
		}
		sum += len(b)
		if a.CheckInvariants(); a.Used() != sum {
			t.Errorf("Used = %d, want %d", a.Used(), sum)
		}
	}
	a.Reset()
	if a.Stats().Reserved != 3500 {
		t.Errorf("Reset leaves %d bytes, want all", a.Stats().Reserved)
	}
	// Chunks emptied by the rewind make room, including the current one.
	if b, err := a.Alloc(3500, 1); len(b) != 3500 || err != nil || a.Stats().Chunks != 1 {
		t.Errorf("Alloc(3500) = %d bytes, %v, in %+v", len(b), err, a.Stats())
	}
	a.CheckInvariants()
	a.Reset()
	m := a.Mark()
	if _, err := a.Alloc(3501, 1); err != arena.ErrNoSpace || a.Stats().Reserved != 3500 {
		t.Errorf("Alloc(3501) = %v, and holds %d, want it refused, and nothing dropped",
			err, a.Stats().Reserved)
	}
	a.Rewind(m)
	a.Clip()
	if a.CheckInvariants(); a.Stats().Reserved != 0 {
		t.Errorf("Clip leaves %d bytes", a.Stats().Reserved)
	}
	for range 3 {
		if _, err := a.Alloc(1000, 1); err != nil {
			t.Fatal(err)
		}
	}
	a.Rewind(m)
	arena.New[byte](a)
	if a.Clip(); a.Stats().Reserved != 1000 {
		t.Errorf("Clip leaves %d bytes, want 1000", a.Stats().Reserved)
	}
	if b, err := a.Alloc(2500, 1); len(b) != 2500 || err != nil {
		t.Errorf("Alloc(2500) after Clip = %d bytes, %v", len(b), err)
	}
	if err := a.Release(); err != nil || a.Stats().Reserved != 0 {
		t.Errorf("Release = %v, and holds %d bytes", err, a.Stats().Reserved)
	}
	a.CheckInvariants()
}

// A limit below chunkBytes gives one small chunk. A huge limit is that of NewChunked.
func TestLimitOfAnySize(t *testing.T) {
	a := arena.NewChunkedLimit(1<<20, 10)
	for i := range 10 {
		if _, err := a.Alloc(1, 1); err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	if _, err := a.Alloc(1, 1); err != arena.ErrNoSpace || a.Stats().Reserved != 10 {
		t.Errorf("Alloc beyond the limit = %v, with %d held", err, a.Stats().Reserved)
	}
	b := arena.NewChunkedLimit(64, math.MaxInt)
	if _, err := b.Alloc(tooMuch()[0], 1); err != arena.ErrNoSpace {
		t.Errorf("Alloc of what no machine has = %v", err)
	}
	if _, err := b.Alloc(1<<20, 1); err != nil {
		t.Errorf("Alloc(1<<20) = %v", err)
	}
}

// A container that reaches the limit of its arena is refused, and can go on with less.
func TestLimitContainers(t *testing.T) {
	const size = int(unsafe.Sizeof(0))
	for limit := 1; limit < 5000; limit = limit*5/4 + 1 {
		a := arena.NewChunkedLimit(256, limit)
		v := arena.NewVec[int](a)
		n := 0
		for v.Push(n) {
			n++
		}
		d := arena.NewDeque[int](a, arena.DequeConfig{Block: 2})
		for i := range n {
			d.PushBack(i)
		}
		if a.CheckInvariants(); a.Stats().Reserved > limit || n*size > limit || limit > 1000 && n*size < limit/4 {
			t.Errorf("limit %d: %d bytes, %d values", limit, a.Stats().Reserved, n)
		}
		for i, p := range v.All() {
			if *p != i {
				t.Fatalf("limit %d: value %d is %d", limit, i, *p)
			}
		}
	}
}

// A refusal by the system is ErrNoSpace, with the reason.
func TestVirtualRefused(t *testing.T) {
	a := newArena(t, virtual, 1)
	if !a.IsVirtual() {
		return
	}
	_, err := arena.NewVirtual(math.MaxInt, arena.VirtualConfig{})
	if !errors.Is(err, arena.ErrNoSpace) {
		t.Fatalf("NewVirtual(%d) = %v, want %v", math.MaxInt, err, arena.ErrNoSpace)
	}
	const want = "arena: no space: NewVirtual: pages: reserve 9223372036854775807 bytes: " +
		"more than there are addresses"
	if math.MaxInt > math.MaxInt32 && err.Error() != want {
		t.Errorf("NewVirtual = %v, want %v", err, want)
	}
	if _, err := arena.NewBacking(math.MaxInt, arena.VirtualConfig{}); !errors.Is(err, arena.ErrNoSpace) {
		t.Errorf("NewBacking = %v, want %v", err, arena.ErrNoSpace)
	}
}

// A virtual arena ends in a page that faults.
func TestGuardPage(t *testing.T) {
	if !pages.Supported {
		t.Skip("no virtual memory here")
	}
	a := newArena(t, virtual, 1<<16)
	b, err := a.Alloc(a.Stats().Reserved, 1)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] = 1
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	wantPanic(t, "memory address", func() { peek(&b[len(b)-1], 1) })
	if got := peek(&b[len(b)-1], 0); got != 1 {
		t.Errorf("the last byte is %d, want 1", got)
	}
	if err := a.Release(); err != nil {
		t.Error(err)
	}
}

//go:noinline
func peek(p *byte, off int) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(p), off)) }

// A pointer into an arena on Go's heap keeps its memory alive, even after Release.
func TestPointersKeepChunks(t *testing.T) {
	for kind := fixed; kind <= chunked; kind++ {
		var ps []*[8]uint64
		var ss [][]uint32
		func() {
			a := newArena(t, kind, 1<<16)
			for i := range uint64(200) {
				p := arena.New[[8]uint64](a)
				*p = [8]uint64{i, i, i, i, i, i, i, ^i}
				s := arena.MakeSlice[uint32](a, 5, 5)
				s[4] = uint32(i)
				ps, ss = append(ps, p), append(ss, s)
			}
			if err := a.Release(); err != nil {
				t.Error(err)
			}
		}()
		garbage(4 << 20)
		for i, p := range ps {
			n := uint64(i)
			if want := ([8]uint64{n, n, n, n, n, n, n, ^n}); !arena.Poison && (*p != want || ss[i][4] != uint32(i)) {
				t.Fatalf("kind %d: value %d is %v, %v", kind, i, *p, ss[i])
			}
		}
	}
	runtime.GC()
}

// Memory above Keep is returned, and the rest stays. Clip and Release return the rest.
func TestKeep(t *testing.T) {
	a, err := arena.NewVirtual(16<<20, arena.VirtualConfig{Keep: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if a.IsVirtual() != pages.Supported {
		t.Fatalf("IsVirtual = %t, want %t", a.IsVirtual(), pages.Supported)
	}
	if !pages.Supported {
		t.Skip("no virtual memory here")
	}
	if s := a.Stats(); s.Committed != 0 || s.Reserved != 16<<20 || s.Chunks != 1 || s.Huge {
		t.Errorf("a new arena: %+v", s)
	}
	for range 3 {
		b, err := a.Alloc(4<<20, 1)
		if err != nil || !allZero(b) {
			t.Fatalf("Alloc: %v, zero: %t", err, allZero(b))
		}
		for i := range b {
			b[i] = 1
		}
		if n := a.Committed(); n < 4<<20 || n > 8<<20 {
			t.Errorf("Committed = %d, want some more than 4 MiB", n)
		}
		if a.Reset(); a.Committed() != 1<<20 {
			t.Errorf("after Reset: Committed = %d, want 1 MiB", a.Committed())
		}
	}
	arena.New[byte](a)
	if a.Clip(); a.Committed() != arena.PageSize() {
		t.Errorf("after Clip: Committed = %d, want a page", a.Committed())
	}
	if a.Reset(); a.Committed() != arena.PageSize() {
		t.Errorf("after Reset: Committed = %d, want a page", a.Committed())
	}
	if a.Clip(); a.Committed() != 0 || a.Stats().Reserved != 16<<20 {
		t.Errorf("after Clip: %+v", a.Stats())
	}
	if err := a.Release(); err != nil || a.Stats() != (arena.Stats{}) {
		t.Errorf("after Release: %+v, %v", a.Stats(), err)
	}
}

// Huge pages are a hint, and change nothing else.
func TestHugePages(t *testing.T) {
	a, err := arena.NewVirtual(8<<20, arena.VirtualConfig{HugePages: true, Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b, err := a.Alloc(5<<20, 1<<20)
		if err != nil || !allZero(b) || uintptr(unsafe.Pointer(&b[0]))%(1<<20) != 0 {
			t.Fatalf("Alloc: %v at %p", err, b)
		}
		b[0], b[5<<20-1] = 1, 1
		if s := a.Stats(); s.Huge && s.Committed%(2<<20) != 0 {
			t.Errorf("%+v, want whole huge pages", s)
		}
		a.Reset()
	}
	a.CheckInvariants()
	if err := a.Release(); err != nil {
		t.Error(err)
	}
}
