package measure

import (
	"slices"
	"testing"
)

func TestGeneratorFirstDraws(t *testing.T) {
	r := RNG{Seed ^ 1}
	want := []uint64{10884996444419297053, 6545267061135302521, 1180306646388297779, 2264667778206765140}
	for i, w := range want {
		if got := r.Next(); got != w {
			t.Errorf("draw %d of seed^1: got %d, want %d", i, got, w)
		}
	}
}

// A shuffle reaches every order, and so it may also leave a value where it is.
func TestShuffleReachesEveryOrder(t *testing.T) {
	r, orders := RNG{Seed ^ 3}, map[[3]int]int{}
	for range 600 {
		v := [3]int{1, 2, 3}
		Shuffle(&r, v[:])
		orders[v]++
	}
	for v, n := range orders {
		if s := slices.Sorted(slices.Values(v[:])); !slices.Equal(s, []int{1, 2, 3}) || n < 60 || n > 150 {
			t.Errorf("%d of 600 shuffles give %v", n, v)
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d orders of 3 values", len(orders))
	}
}
