package arena_test

import (
	"fmt"
	"slices"
	"strings"
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
	a := arena.NewChunked(1 << 12)
	slots := map[int]int{}
	ok := func(ok bool) {
		if !ok {
			t.Error("a type of numbers is refused")
		}
	}
	refused := 0
	refuse := func(f func()) {
		defer func() {
			if r := recover(); r != nil && strings.Contains(fmt.Sprint(r), "cannot hold Go pointers") {
				refused++
			}
		}()
		f()
	}
	for range 3 {
		manyTypes[int, string](a, slots, ok, refuse)
		manyTypes[int8, *int8](a, slots, ok, refuse)
		manyTypes[int16, *int16](a, slots, ok, refuse)
		manyTypes[[1]int, [1]*int](a, slots, ok, refuse)
		manyTypes[pair[int], pair[*int]](a, slots, ok, refuse)
		manyTypes[pair[pair[int]], pair[pair[any]]](a, slots, ok, refuse)
		manyTypes[struct{}, struct{ P *int }](a, slots, ok, refuse)
		manyTypes[uint64, error](a, slots, ok, refuse)
		manyTypes[halves, outer](a, slots, ok, refuse)
		manyTypes[wide, inner](a, slots, ok, refuse)
	}
	if refused != 3*10*2*8*2 {
		t.Errorf("%d refusals, want %d", refused, 3*10*2*8*2)
	}
	most := 0
	for _, n := range slots {
		most = max(most, n)
	}
	if most < 4 {
		t.Errorf("no slot of the record is used by many types: %v", slots)
	}
}

// manyTypes uses types around P, which has no pointers, and Q, which has some, in turns.
func manyTypes[P, Q any](a *arena.Arena, slots map[int]int, ok func(bool), refuse func(func())) {
	for range 2 {
		twoTypes[P, Q](a, slots, ok, refuse)
		twoTypes[[2]P, [2]Q](a, slots, ok, refuse)
		twoTypes[[3]P, [3]Q](a, slots, ok, refuse)
		twoTypes[pair[P], pair[Q]](a, slots, ok, refuse)
		twoTypes[pair[[2]P], pair[[2]Q]](a, slots, ok, refuse)
		twoTypes[[5]pair[P], [5]pair[Q]](a, slots, ok, refuse)
		twoTypes[struct{ A P }, struct{ A Q }](a, slots, ok, refuse)
		twoTypes[struct{ B P }, struct{ B Q }](a, slots, ok, refuse)
	}
}

func twoTypes[P, Q any](a *arena.Arena, slots map[int]int, ok func(bool), refuse func(func())) {
	slots[arena.TypeSlot[P]()]++
	slots[arena.TypeSlot[Q]()]++
	ok(arena.New[P](a) != nil)
	refuse(func() { arena.New[Q](a) })
	ok(arena.MakeSlice[P](a, 1, 1) != nil)
	refuse(func() { arena.MakeSlice[Q](a, 1, 1) })
	ok(arena.New[P](a) != nil)
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
