package bitset

import (
	"math"
	"testing"
)

func TestRun(t *testing.T) {
	for w, want := range map[uint64][2]int{
		1: {0, 1}, 2: {1, 1}, 6: {1, 2}, 0b1011: {0, 2}, math.MaxUint64: {0, 64},
		1 << 63: {63, 1}, 3 << 62: {62, 2}, ^uint64(1): {1, 63}, math.MaxUint64 >> 1: {0, 63},
	} {
		if i, n := Run(w); i != want[0] || n != want[1] {
			t.Errorf("Run(%x) = %d, %d, want %v", w, i, n, want)
		}
	}
}

func TestBeyond(t *testing.T) {
	for i := range 65 {
		for k := range 64 {
			if got := Beyond(i)>>k&1 != 0; got != (k >= i) {
				t.Fatalf("bit %d of Beyond(%d) is %t", k, i, got)
			}
		}
	}
}
