package berth

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/internal/slots"
)

// Sizes beyond any machine's memory panic with the rule, and change nothing.
func TestSizesThatNoMachineHas(t *testing.T) {
	const n = math.MaxInt32
	p, d := new(Pool[spanning]), new(Dense[spanning])
	h, g := p.Insert(spanning{}), d.Insert(spanning{})
	before, dense := p.Stats(), d.Stats()
	for fn, f := range map[string]func(){
		"NewPool":    func() { NewPool[spanning](Config{Capacity: n}) },
		"NewDense":   func() { NewDense[spanning](DenseConfig{Capacity: n}) },
		"Pool.Grow":  func() { p.Grow(n) },
		"Dense.Grow": func() { d.Grow(n) },
	} {
		wantPanic(t, fmt.Sprintf("berth: %s: more than 1 TiB of slots (got %d)", fn, n), f)
	}
	if p.Stats() != before || d.Stats() != dense || !p.Contains(h) || !d.Contains(g) {
		t.Errorf("after refused calls: %+v and %+v, want %+v and %+v", p.Stats(), d.Stats(), before, dense)
	}
	p.checkInvariants()
	d.checkInvariants()
	if c := NewPool[spanning](Config{Capacity: n, Limit: 10}).Cap(); c != 10 {
		t.Errorf("Capacity above Limit: Cap = %d, want 10", c)
	}
	if c := NewDense[spanning](DenseConfig{Capacity: n, Limit: 10}).Cap(); c != 10 {
		t.Errorf("Capacity above Limit: Cap = %d, want 10", c)
	}
	if math.MaxInt == math.MaxInt32 {
		return
	}
	for fn, f := range map[string]func(){
		"NewPool":    func() { NewPool[int](Config{Capacity: math.MaxInt}) },
		"NewDense":   func() { NewDense[int](DenseConfig{Capacity: math.MaxInt}) },
		"Pool.Grow":  func() { p.Grow(math.MaxInt) },
		"Dense.Grow": func() { d.Grow(math.MaxInt) },
	} {
		wantPanic(t, fmt.Sprintf("berth: %s: more than 2^32 slots (got %d)", fn, math.MaxInt), f)
	}
}

// The bounds of CheckSlots are exact.
func TestCheckSlots(t *testing.T) {
	const most = limits.MaxBytes
	if math.MaxInt > math.MaxInt32 {
		slots.CheckSlots("f", slots.MaxSlots, 1, 5)
	}
	wantPanic(t, "berth: f: more than 2^32 slots (got 5)", func() { slots.CheckSlots("f", slots.MaxSlots+1, 1, 5) })
	slots.CheckSlots("f", 3, most/3, 6)
	wantPanic(t, "berth: f: more than 1 TiB of slots (got 6)",
		func() { slots.CheckSlots("f", 3, most/3+1, 6) })
}

func TestPoolBadConfig(t *testing.T) {
	for want, c := range map[string]Config{
		"berth: NewPool: Capacity must not be negative (got -1)": {Capacity: -1},
		"berth: NewPool: Limit must not be negative (got -1)":    {Limit: -1},
		"berth: NewPool: unknown Truncate(4)":                    {Truncate: 4},
		"berth: NewPool: unknown Truncate(77)":                   {Truncate: 77},
	} {
		mustPanic(t, want, func() { NewPool[int](c) })
	}
	if math.MaxInt > math.MaxUint32 {
		mustPanic(t, "berth: NewPool: more than 2^32 slots", func() { NewPool[int](Config{Capacity: math.MaxInt}) })
	}
	var p Pool[int]
	mustPanic(t, "berth: Pool.Grow: n must not be negative (got -1)", func() { p.Grow(-1) })
	p.Insert(1)
	if math.MaxInt > math.MaxUint32 {
		mustPanic(t, "berth: Pool.Grow: more than 2^32 slots", func() { p.Grow(math.MaxInt) })
	}
	p.checkInvariants()
	if p.Len() != 1 {
		t.Errorf("Len() = %d after refused calls, want 1", p.Len())
	}
}
