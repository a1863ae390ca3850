package concurrent

import (
	"math/rand/v2"
	"testing"
)

// A tally agrees with a map of the words that are not 0, and its memory follows them.
func TestTally(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var l tally
		words := map[uint64]uint64{}
		var slots []uint64
		spread := uint64(1) << (6 + r.IntN(14))
		n := r.IntN(5000)
		for step := range 3000 {
			if grow := step/500%2 == 0; len(slots) == 0 || grow && r.IntN(3) > 0 {
				slot := r.Uint64N(spread)
				if words[slot] == 0 {
					slots = append(slots, slot)
				}
				words[slot] = r.Uint64() | 1
				*l.ref(slot, n) = words[slot]
			} else {
				i := r.IntN(len(slots))
				slot := slots[i]
				if got := l.word(slot); got != words[slot] {
					t.Fatalf("word(%d) = %x, want %x", slot, got, words[slot])
				}
				*l.ref(slot, n) = 0
				delete(words, slot)
				slots[i] = slots[len(slots)-1]
				slots = slots[:len(slots)-1]
			}
			if l.isLarge(n, len(words)) {
				l.sweep(n)
			}
			if step%100 == 0 {
				compareTally(t, &l, words)
			}
		}
		compareTally(t, &l, words)
		for slot := range words {
			*l.ref(slot, n) = 0
		}
		l.sweep(0)
		if l.held > minHeld || l.isLarge(0, 0) || len(l.blocks) > 4*minHeld {
			t.Errorf("an empty tally holds %d blocks, and %d places", l.held, len(l.blocks))
		}
	}
}

func compareTally(t *testing.T, l *tally, words map[uint64]uint64) {
	t.Helper()
	used, hid := l.check()
	want := 0
	for slot, w := range words {
		if got := l.word(slot); got != w {
			t.Fatalf("word(%d) = %x, want %x", slot, got, w)
		}
		want += int(w >> 63)
	}
	if used != len(words) || hid != want {
		t.Fatalf("%d words, %d hidden, want %d and %d", used, hid, len(words), want)
	}
	if l.word(1<<40) != 0 {
		t.Fatal("a word beyond the directory is not 0")
	}
}
