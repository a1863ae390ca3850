package berth

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"
	"unsafe"
)

func TestHandleShape(t *testing.T) {
	if n := unsafe.Sizeof(Handle[*[64]*int]{}); n != 8 {
		t.Errorf("a Handle has %d bytes, want 8", n)
	}
	if n := unsafe.Sizeof(Entry[int]{}); n != 8+unsafe.Sizeof(uintptr(0)) {
		t.Errorf("an Entry has %d bytes", n)
	}
	if (Handle[int]{}) != HandleFromUint64[int](0) || !HandleFromUint64[int](0).IsZero() {
		t.Error("0 is not the zero Handle")
	}
}

func TestHandleUint64(t *testing.T) {
	for _, u := range []uint64{0, 1, 1 << 32, math.MaxUint64, 0xdeadbeef_12345678, math.MaxUint32} {
		h := HandleFromUint64[string](u)
		if h.Uint64() != u {
			t.Errorf("HandleFromUint64(%x).Uint64() = %x", u, h.Uint64())
		}
		if h.IsZero() != (u == 0) {
			t.Errorf("HandleFromUint64(%x).IsZero() = %v", u, h.IsZero())
		}
	}
	p := NewPool[int](Config{Seed: 3})
	if h := p.Insert(1); HandleFromUint64[int](h.Uint64()) != h {
		t.Error("a handle does not survive the way through Uint64")
	}
}

func TestHandleString(t *testing.T) {
	for h, want := range map[Handle[int]]string{
		{}: "none", {index: 7, gen: 3}: "7:3", {index: math.MaxUint32, gen: 1}: "4294967295:1",
	} {
		if got := h.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

func TestLogValues(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	p := NewPool[int](Config{Seed: 1})
	p.Insert(5)
	log.Info("x", "handle", Handle[int]{index: 7, gen: 3}, "pool", p.Stats())
	for _, want := range []string{"handle=7:3", "pool.live=1", "pool.retired=0", "pool.bytes="} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}

// Containers with successive seeds must not share indices: that is what makes a foreign handle find
// nothing for certain.
func TestOriginsLieApart(t *testing.T) {
	const pools = 1000
	var index [pools]uint32
	for i := range index {
		var gen uint32
		index[i], gen = origin(uint32(i + 1))
		if gen&1 != 0 {
			t.Fatalf("seed %d starts at the odd generation %d", i+1, gen)
		}
	}
	least := uint32(math.MaxUint32)
	for i, a := range index {
		for _, b := range index[:i] {
			least = min(least, a-b, b-a)
		}
	}
	if least < math.MaxUint32/(3*pools) {
		t.Errorf("two of %d pools start %d slots apart, want at least %d", pools, least, math.MaxUint32/(3*pools))
	}
	if a, _ := origin(0); a == index[0] {
		t.Error("the automatic seed is seed 1")
	}
}

func TestTruncateString(t *testing.T) {
	for m, want := range map[Truncate]string{
		TruncateMemory: "Memory", TruncateLength: "Length", TruncateNever: "Never", 9: "Truncate(9)",
	} {
		if got := m.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}
