package stable_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/limits"
	"github.com/seed505807e1/berth/stable"
)

// A list with 16-bit indices is full at 65 536 values, with each placement and from each size.
func TestIndexTypeEnds(t *testing.T) {
	for _, p := range placements {
		for _, c := range []stable.Config{{}, {Min: 12}, {Capacity: 1 << 16}, {Capacity: 65_533}, {Min: 1 << 16}} {
			c.Placement = p
			l := stable.NewOf[int, uint16, stable.Counter32](c)
			ks := fill(t, l, 1<<16)
			for range 2 {
				k, err := l.TryInsert(1)
				if !k.IsZero() || !errors.Is(err, stable.ErrFull) || !errors.Is(err, berth.ErrFull) {
					t.Fatalf("%+v: value 65 537 gets %v, %v", c, k, err)
				}
				l.Grow(0)
			}
			seen := make([]bool, 1<<16)
			for i, k := range ks {
				if v, ok := l.Get(k); seen[k.Index()] || !ok || v != i {
					t.Fatalf("%+v: Get(%v) = %d, %v; slot reused: %v", c, k, v, ok, seen[k.Index()])
				}
				seen[k.Index()] = true
			}
			l.CheckInvariants()
			l.Remove(ks[40_000])
			if k := l.Insert(1); k.Index() != 40_000 {
				t.Errorf("%+v: the only vacant slot is 40 000, but Insert = %v", c, k)
			}
			n := 0
			for k := range l.All() {
				if k.Index() > 5 {
					l.Remove(k)
				}
				n++
			}
			if n != 1<<16 || l.Len() != 6 || l.Touched() > max(16, c.Min) {
				t.Errorf("%+v: visited %d; %d of %d left", c, n, l.Len(), l.Touched())
			}
			l.CheckInvariants()
			fill(t, l, 1<<16-6)
			if !l.Insert(1).IsZero() {
				t.Errorf("%+v: a list filled again takes one more value", c)
			}
		}
	}
}

func TestBadConfig(t *testing.T) {
	huge := math.MaxInt
	for _, c := range []struct {
		f    func()
		want string
	}{
		{func() { stable.New[int](stable.Config{Capacity: -1}) },
			"stable: New: Capacity must not be negative (got -1)"},
		{func() { stable.New[int](stable.Config{Min: -5}) }, "stable: New: Min must not be negative (got -5)"},
		{func() { stable.New[int](stable.Config{Capacity: huge}) }, "stable: New: Capacity"},
		{func() { stable.New[[1 << 20]byte](stable.Config{Min: 1 << 30}) }, "stable: New: Min"},
		{func() { stable.NewOf[int, uint16, stable.Counter32](stable.Config{Capacity: 1<<16 + 1}) },
			"stable: NewOf: Capacity must be at most 65536, the slots that the index type can number (got 65537)"},
		{func() { stable.NewOf[int, uint16, stable.Counter32](stable.Config{Min: 1<<16 + 1}) },
			"stable: NewOf: Min must be at most 65536, the slots that the index type can number (got 65537)"},
		{func() { stable.NewOf[int, uint64, stable.Counter32](stable.Config{Min: huge}) }, "stable: NewOf: Min"},
		{func() { stable.New[int](stable.Config{Truncate: 4}) },
			"stable: New: Truncate must be one of its constants (got Truncate(4))"},
		{func() { stable.New[int](stable.Config{Placement: 5}) },
			"stable: New: Placement must be one of its constants (got Placement(5))"},
		{func() { new(stable.List[int]).Grow(-1) }, "stable: ListOf.Grow: n must not be negative (got -1)"},
		{func() { new(stable.List[int]).Grow(huge) }, "stable: ListOf.Grow: n must be at most "},
		{func() {
			l := new(stable.ListOf[int, uint16, stable.Counter32])
			fill(t, l, 10)
			l.Grow(1<<16 - 10)
			l.Grow(1<<16 - 9)
		}, "stable: ListOf.Grow: n must be at most 65526 (got 65527)"},
		{func() { new(stable.ListOf[int, uint16, stable.Counter32]).Grow(1<<16 + 1) },
			"stable: ListOf.Grow: n must be at most 65536 (got 65537)"},
	} {
		if got := panics(c.f); !strings.HasPrefix(got, c.want) {
			t.Errorf("panics with %q, want %q", got, c.want)
		}
	}
	for in, want := range map[int]int{0: 0, 1: 4, 4: 4, 5: 8, 1000: 1000, 1001: 1004} {
		if got := stable.New[int](stable.Config{Capacity: in}).Cap(); got != want {
			t.Errorf("Capacity %d makes Cap %d, want %d", in, got, want)
		}
		l := stable.New[int](stable.Config{Min: in})
		if l.Insert(1); l.Cap() != max(4, want) {
			t.Errorf("Min %d makes Cap %d, want %d", in, l.Cap(), want)
		}
	}
}

// Sizes beyond any machine's memory are refused before any slot is made.
func TestSizesThatNoMachineHas(t *testing.T) {
	const most = limits.MaxBytes
	type big [1 << 20]byte
	for name, f := range map[string]func(){
		"Capacity": func() { stable.NewOf[int64, uint64, stable.Counter32](stable.Config{Capacity: most / 8}) },
		"Min":      func() { stable.NewOf[int64, uint64, stable.Counter32](stable.Config{Min: most / 8}) },
		"Grow":     func() { new(stable.ListOf[int64, uint64, stable.Counter32]).Grow(most / 8) },
		"values":   func() { stable.New[big](stable.Config{Capacity: most>>20 + 4}) },
		"nothing":  func() { stable.NewOf[struct{}, uint64, nothing](stable.Config{Capacity: math.MaxInt}) },
		"links": func() {
			stable.NewOf[struct{}, uint64, nothing](stable.Config{
				Placement: stable.Quartered, Capacity: most / 2,
			})
		},
	} {
		if msg := panics(f); !strings.HasPrefix(msg, "stable: ") || !strings.Contains(msg, " must be at most ") {
			t.Errorf("%s: %q", name, msg)
		}
	}
}
