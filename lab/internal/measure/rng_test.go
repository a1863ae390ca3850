package measure

import "testing"

func TestGeneratorFirstDraws(t *testing.T) {
	r := RNG{Seed ^ 1}
	want := []uint64{10884996444419297053, 6545267061135302521, 1180306646388297779, 2264667778206765140}
	for i, w := range want {
		if got := r.Next(); got != w {
			t.Errorf("draw %d of seed^1: got %d, want %d", i, got, w)
		}
	}
}
