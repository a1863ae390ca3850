package freelist_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/costtest"
)

// Functions that are documented never to allocate do not allocate.
func TestNeverAllocates(t *testing.T) {
	const n = 200
	s, c := freelist.NewIndices[uint32](n), freelist.NewChecked[uint32](n)
	p, l := freelist.NewPacked(n), freelist.NewLowest(n)
	items := make([]int, n)
	cp := freelist.NewCheckedPointers(items)
	table := map[string]func(){
		"Stack.Pop":             func() { s.Pop() },
		"Stack.Push":            func() { s.Push(1) },
		"Stack.Reset":           func() { s.Reset() },
		"Stack.Clear":           func() { s.Clear() },
		"Checked.Pop":           func() { c.Pop() },
		"Checked.Push":          func() { c.Push(1) },
		"Checked.Reset":         func() { c.Reset() },
		"Checked.Clear":         func() { c.Clear() },
		"Packed.Pop":            func() { p.Pop() },
		"Packed.Push":           func() { p.Push(1) },
		"Packed.Reset":          func() { p.Reset() },
		"Packed.Clear":          func() { p.Clear() },
		"CheckedPointers.Index": func() { cp.Index(&items[7]) },
		"CheckedPointers.Pop":   func() { cp.Pop() },
		"CheckedPointers.Push":  func() { cp.Push(&items[0]) },
		"CheckedPointers.Reset": func() { cp.Reset() },
		"CheckedPointers.Clear": func() { cp.Clear() },
		"Lowest.Take":           func() { l.Take() },
		"Lowest.Free":           func() { l.Free(0); l.Free(64) },
		"Lowest.Reset":          func() { l.Reset() },
		"Lowest.TakeWord":       func() { l.TakeWord(1, 3); l.Free(64); l.Free(65) },
		"Lowest.Clear":          func() { l.Clear() },
	}
	costtest.NeverAllocates(t, 300, table)
}

// Sizes that no machine has are refused before anything is allocated.
func TestNoMachineHas(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		return // a 32-bit machine may have as much
	}
	for _, n := range []int{math.MaxInt>>23 + 2, math.MaxInt >> 20, math.MaxInt >> 17, math.MaxInt} {
		for name, f := range map[string]func(){
			"NewIndices":           func() { freelist.NewIndices[uint64](n) },
			"NewIndices of uint32": func() { freelist.NewIndices[uint32](n) },
			"NewChecked":           func() { freelist.NewChecked[uint64](n) },
			"NewPacked":            func() { freelist.NewPacked(n) },
			"NewPackedBits":        func() { freelist.NewPackedBits(n, 32) },
			"NewLowest":            func() { freelist.NewLowest(n) },
			"Lowest.Grow":          func() { new(freelist.Lowest).Grow(n) },
		} {
			if got := mustPanic(t, f); !strings.HasPrefix(got, "freelist: ") {
				t.Errorf("%s(%d) panics with %q", name, n, got)
			}
		}
	}
	if got := mustPanic(t, func() { freelist.NewIndices[uint64](math.MaxInt>>26 + 2) }); !strings.Contains(got,
		"137438953473 indices do not fit any memory") {
		t.Errorf("NewIndices of more than 1 TiB panics with %q", got)
	}
}
