package arena_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// The capacity that Append adds behind the last value is zero.
func TestAppendZeroRoom(t *testing.T) {
	for kind := range kinds {
		a := newArena(t, kind, 1<<14)
		for n := range 30 {
			if b, err := a.AllocDirty(8000, 1); err == nil {
				for i := range b {
					b[i] = 0xEE
				}
			}
			a.Reset()
			s, _ := arena.Append(a, []uint16(nil), make([]uint16, n)...)
			for k := range 2 { // in place, and elsewhere
				for i, x := range s[len(s):cap(s)] {
					if x != 0 {
						t.Fatalf("kind %d: %d values, place %d behind them is %x", kind, n, i, x)
					}
				}
				if k == 1 {
					arena.New[byte](a)
				}
				s, _ = arena.Append(a, s[:cap(s)], 7)
				if s[len(s)-1] != 7 {
					t.Fatalf("kind %d: the value is lost", kind)
				}
			}
			a.CheckInvariants()
		}
	}
}

// Many types do not confuse the record of types without pointers.
func TestManyTypes(t *testing.T) {
	const refused = "cannot hold Go pointers"
	a := arena.NewChunked(1 << 12)
	slots := map[int]int{}
	for n := range 300 {
		p, q := reflect.ArrayOf(n+1, reflect.TypeFor[int]()), reflect.ArrayOf(n+1, reflect.TypeFor[*int]())
		slots[arena.TypeSlot(p)]++
		slots[arena.TypeSlot(q)]++
		for range 2 {
			a.MustHold(p)
			wantPanic(t, refused, func() { a.MustHold(q) })
			wantPanic(t, refused, func() { arena.New[*int](a) })
			wantPanic(t, refused, func() { arena.MakeSlice[inner](a, 1, 1) })
			if arena.New[int](a) == nil || arena.New[wide](a) == nil || arena.MakeSlice[wide](a, 1, 1) == nil {
				t.Fatalf("after %v, a type of numbers is refused", p)
			}
			a.Reset()
		}
	}
	for _, slot := range []int{arena.TypeSlot(reflect.TypeFor[*int]()), arena.TypeSlot(reflect.TypeFor[inner]())} {
		if slots[slot] < 4 {
			t.Errorf("slot %d of the record is not used by many types: %v", slot, slots)
		}
	}
}

// Append to a slice that is not in the arena copies it, and leaves the original unchanged.
func TestAppendForeign(t *testing.T) {
	for kind := range kinds {
		a, b := newArena(t, kind, 1<<12), newArena(t, kind, 1<<12)
		heap := []int{1, 2, 3}
		other := arena.MakeSlice[int](b, 3, 3)
		for name, s := range map[string][]int{"heap": heap, "other": other} {
			got, ok := arena.Append(a, s[:3:3], 4)
			if got[0] = 9; !ok || len(got) != 4 || got[3] != 4 || s[0] == 9 {
				t.Errorf("kind %d, %s: Append = %v, of %v", kind, name, got, s)
			}
			if got, ok = arena.Append(a, got, got...); !ok || len(got) != 8 || got[4] != 9 || got[7] != 4 {
				t.Errorf("kind %d, %s: Append of itself = %v", kind, name, got)
			}
			if got, ok = arena.Append(a, got[:2:2], got[1:]...); !ok || len(got) != 9 || got[2] != got[1] {
				t.Errorf("kind %d, %s: Append of its end = %v", kind, name, got)
			}
		}
		m := a.Mark()
		stale, _ := arena.Append(a, nil, 1, 2, 3)
		a.Rewind(m)
		own := arena.MakeSlice[int](a, 3, 3)
		if got, ok := arena.Append(a, stale[:3:3], 5); !ok || len(got) != 4 || got[3] != 5 { //nolint:berthends // what is tested
			t.Errorf("kind %d: Append to a stale slice = %v", kind, got)
		}
		a.CheckInvariants()
		if !slices.Equal(own, []int{0, 0, 0}) {
			t.Errorf("kind %d: it writes to %v", kind, own)
		}
	}
}
