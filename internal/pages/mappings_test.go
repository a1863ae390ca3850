package pages

import (
	"math/rand/v2"
	"testing"
)

// The model of spans is a flag for each unit.
func TestSpans(t *testing.T) {
	const units = 24
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var s spans
		var model [units + 1]bool // the last one stands for the guard page
		for step := range 100 {
			from := r.IntN(units)
			to := from + 1 + r.IntN(units-from)
			add := r.IntN(2) == 0
			c := s.removing(from*4096, to*4096)
			if add {
				c = s.adding(from*4096, to*4096)
			}
			for i := from; i < to; i++ {
				model[i] = add
			}
			runs := 1
			var want spans
			for i, on := range model {
				if i > 0 && on != model[i-1] {
					runs++
				}
				switch {
				case on && (i == 0 || !model[i-1]):
					want = append(want, span{i * 4096, (i + 1) * 4096})
				case on:
					want[len(want)-1].to += 4096
				}
			}
			if got := s.mappings(c, false); got != max(runs, 2) {
				t.Fatalf("seed %d, step %d: %d mappings after %+v of %v, want %d",
					seed, step, got, c, s, max(runs, 2))
			}
			if got := s.mappings(c, true); got != max(runs, 2)+2 {
				t.Fatalf("seed %d, step %d: %d mappings with huge pages, want %d",
					seed, step, got, max(runs, 2)+2)
			}
			s = s.apply(c)
			if len(s) != len(want) {
				t.Fatalf("seed %d, step %d: spans %v, want %v", seed, step, s, want)
			}
			for i := range s {
				if s[i] != want[i] {
					t.Fatalf("seed %d, step %d: spans %v, want %v", seed, step, s, want)
				}
			}
		}
	}
}

// Committing from the front and decommitting from the back allocates nothing on Go's heap.
func TestPrefixAllocs(t *testing.T) {
	r := reserveOrSkip(t, 64*Size(), false)
	must(t, "Commit", r.Commit(0, Size()))
	if n := testing.AllocsPerRun(20, func() {
		must(t, "Commit", r.Commit(Size(), 8*Size()))
		must(t, "Decommit", r.Decommit(2*Size(), 8*Size()))
	}); n != 0 && !decommitKeeps {
		t.Errorf("%v allocations, want 0", n)
	}
}
