package collections

import "testing"

// The walk is one cycle of all elements.
func TestWalkGoesEverywhere(t *testing.T) {
	for _, n := range []int{1, 2, 1000} {
		steps, at, seen := newWalk(n), uint64(0), map[uint64]bool{}
		for range n {
			seen[at] = true
			at = steps[at].V
		}
		if at != 0 || len(seen) != n {
			t.Errorf("n=%d: the walk ends at %d, after %d elements", n, at, len(seen))
		}
		if got, want := walk(steps), WantBasic(n).Fresh; got != want {
			t.Errorf("n=%d: walk = %d, want %d", n, got, want)
		}
	}
}
