package freelist_test

import (
	"math"
	"testing"

	"github.com/seed505807e1/berth/freelist"
)

// A wide index that is valid after truncation to 32 bits is refused.
func TestCheckedWideIndices(t *testing.T) {
	c := freelist.NewChecked[uint64](10)
	for range 10 {
		c.Pop()
	}
	c.Push(3)
	for _, i := range []uint64{1 << 32, 1<<32 + 5, 1<<63 + 5, math.MaxUint64} {
		if c.Push(i) || c.IsFree(i) || c.IsFree(i|3) {
			t.Errorf("Push(%d) or IsFree = true", i)
		}
	}
	if c.Len() != 1 {
		t.Errorf("Len = %d, want 1", c.Len())
	}
}
