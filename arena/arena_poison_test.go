//go:build berth_poison

package arena_test

import (
	"testing"

	"github.com/seed505807e1/berth/arena"
)

func poisoned(b []byte) bool {
	for _, c := range b {
		if c != 0xDB {
			return false
		}
	}
	return true
}

// Rewound memory is 0xDB, whichever way it was rewound, and is zero when it is allocated again.
func TestPoison(t *testing.T) {
	for kind := range kinds {
		for name, rewind := range map[string]func(a *arena.Arena, f func()){
			"Rewind": func(a *arena.Arena, f func()) { m := a.Mark(); f(); a.Rewind(m) },
			"Scope":  func(a *arena.Arena, f func()) { a.Scope(func(*arena.Arena) { f() }) },
			"panic": func(a *arena.Arena, f func()) {
				defer func() { _ = recover() }()
				a.Scope(func(*arena.Arena) { f(); panic("") })
			},
			"Reset": func(a *arena.Arena, f func()) { a.Reset(); f(); a.Reset() },
		} {
			a := newArena(t, kind, 4096)
			before := arena.MakeSlice[byte](a, 100, 100)
			var rewound [][]byte
			rewind(a, func() {
				for range 20 { // many chunks
					rewound = append(rewound, arena.MakeSlice[byte](a, 150, 150))
				}
			})
			if a.Used() == 0 {
				before = before[:0]
			}
			if !allZero(before) {
				t.Errorf("kind %d, %s: what is before the Mark is %v", kind, name, before)
			}
			for i, b := range rewound {
				if kind == virtual && i > 15 {
					continue // the page may have been returned to the system
				}
				if !poisoned(b) {
					t.Errorf("kind %d, %s: piece %d is %v, want 0xDB", kind, name, i, b)
				}
			}
			for range 20 {
				if b := arena.MakeSlice[byte](a, 150, 150); !allZero(b) {
					t.Errorf("kind %d, %s: new memory is %v, want zeros", kind, name, b)
				}
			}
		}
	}
}

// Vec.Clear, a refused growth of a Map and PutScratch also poison what they give back.
func TestPoisonElsewhere(t *testing.T) {
	a := arena.NewFixed(300)
	v := arena.NewVec[byte](a)
	v.Append(make([]byte, 60)...)
	s := v.Slice()
	if v.Clear(); !poisoned(s) {
		t.Errorf("after Vec.Clear: %v", s)
	}
	m := arena.NewMap[uint64, [2]uint64](a)
	if m.Set(1, [2]uint64{}) != true {
		t.Fatal("Set = false")
	}
	rest := arena.MakeSliceDirty[byte](a, 300-a.Used(), 300-a.Used())
	clear(rest)
	scratch := arena.GetScratch()
	b := arena.MakeSlice[byte](scratch, 100, 100)
	if arena.PutScratch(scratch); !poisoned(b) {
		t.Errorf("after PutScratch: %v", b)
	}
	f := arena.NewFixed(100)
	b = arena.MakeSlice[byte](f, 100, 100)
	if err := f.Release(); err != nil || !poisoned(b) {
		t.Errorf("after Release: %v, %v", b, err)
	}
}
