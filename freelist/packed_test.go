package freelist_test

import (
	"testing"

	"github.com/seed505807e1/berth/freelist"
	"github.com/seed505807e1/berth/internal/long"
)

// The memory is within one word of n times bits, and exact in the two documented sizes.
func TestPackedMemory(t *testing.T) {
	for bits := 1; bits <= 32; bits++ {
		for _, n := range []int{1, 2, 3, 31, 32, 33, 100, 4095} {
			if bits < 12 && n > 1<<bits {
				continue
			}
			exact := (n*bits + 7) / 8
			if got := freelist.NewPackedBits(n, bits).Bytes(); got < exact || got > exact+8 {
				t.Errorf("%d of %d bits take %d bytes, want %d to %d", n, bits, got, exact, exact+8)
			}
		}
	}
	if got := freelist.NewPacked(262_144).Bytes(); got > 589_824+8 {
		t.Errorf("262 144 of 18 bits take %d bytes", got)
	}
	if !long.On {
		return
	}
	if got := freelist.NewPacked(1 << 24).Bytes(); got > 48<<20+8 {
		t.Errorf("16 777 216 of 24 bits take %d bytes", got)
	}
}
