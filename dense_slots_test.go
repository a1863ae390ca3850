package berth

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
)

// TestDenseSlots compares Slots with the places of the values, in each mode.
func TestDenseSlots(t *testing.T) {
	for mode := DefragDeferred; mode <= DefragManual; mode++ {
		d := NewDense[int](DenseConfig{Defrag: mode})
		rng := rand.New(rand.NewPCG(1, 2))
		var hs []Handle[int]
		for range 300 {
			for range rng.IntN(100) {
				hs = append(hs, d.Insert(1))
			}
			for range min(rng.IntN(100), len(hs)) {
				i := rng.IntN(len(hs))
				d.Remove(hs[i])
				hs[i] = hs[len(hs)-1]
				hs = hs[:len(hs)-1]
			}
			if rng.IntN(9) == 0 {
				d.Clip()
			}
			checkDenseSlots(t, d)
		}
		for range d.Slots() {
			d.Insert(1) // the loop ends
		}
	}
}

func checkDenseSlots(t *testing.T, d *Dense[int]) {
	t.Helper()
	live, vacant, i := 0, 0, 0
	for s := range d.Slots() {
		if s.Live&s.Vacant != 0 || s.Retired != 0 {
			t.Fatalf("a place has two states: %+x", s)
		}
		live += bits.OnesCount64(s.Live)
		vacant += bits.OnesCount64(s.Vacant)
		for k := range slots.BlockSlots {
			if (s.Live>>k&1 != 0) != !handleAt(d, i).IsZero() {
				t.Fatalf("place %d: %+x", i, s)
			}
			i++
		}
	}
	if live != d.Len() || live+vacant != max(d.Len()+d.Holes(), d.Cap()) {
		t.Fatalf("%d live and %d vacant places, Len %d, %d holes, Cap %d", live, vacant, d.Len(), d.Holes(), d.Cap())
	}
}
