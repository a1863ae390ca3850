package collections

import "testing"

// The walk is one cycle of all elements.
func TestWalkGoesEverywhere(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100, 1000, 10_000} {
		walkEverywhere[[2]uint64](t, n)
		walkEverywhere[[4]uint64](t, n)
	}
}

func walkEverywhere[S Step](t *testing.T, n int) {
	t.Helper()
	steps, at, seen := NewWalk[S](n, 12), uint64(0), map[uint64]bool{}
	for range n {
		seen[at] = true
		at = steps[at][0]
	}
	if at != 0 || len(seen) != n {
		t.Errorf("n=%d: the walk ends at %d, after %d elements", n, at, len(seen))
	}
	if got, want := Walk(steps), WantBasic(n).Fresh; got != want {
		t.Errorf("n=%d: Walk = %d, want %d", n, got, want)
	}
}
