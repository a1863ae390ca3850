package near

import (
	"math"
	"math/rand/v2"
	"testing"
)

// colliding returns handles whose search begins at the last few slots of a table of that shift.
func colliding(shift, n int) (hs []uint64) {
	const golden = 0x9E3779B97F4A7C15
	inverse := uint64(1)
	for range 6 { // each turn doubles the number of right digits
		inverse *= 2 - golden*inverse
	}
	for i := range uint64(n) {
		home := uint64(math.MaxUint64)>>shift - i%3
		hs = append(hs, (home<<shift+i+1)*inverse)
	}
	return hs
}

// places works as a map, also if all its handles collide.
func TestPlaces(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 7))
		all := colliding(64-4-int(seed%5), 120)
		if seed%3 == 0 {
			for i := range all {
				all[i] = r.Uint64() | 1
			}
		}
		var c cells
		c.begin("test", 1)
		model := map[uint64]bool{}
		for step := range 600 {
			h := all[r.IntN(1+step/5)%len(all)]
			i := c.find(h)
			if (i >= 0) != model[h] || i >= 0 && c.items[i].h != h {
				t.Fatalf("seed %d, step %d: find(%x) = %d, want %t", seed, step, h, i, model[h])
			}
			switch {
			case i < 0:
				c.insert(h, float64(step%5), 0, 0)
				model[h] = true
			case step%50 == 0:
				c.move(i, float64(step%7)*9, 0, 0)
			default:
				c.remove(i)
				delete(model, h)
			}
			if c.find(0) >= 0 {
				t.Fatal("find(0) returns a place")
			}
			c.checkInvariants()
		}
		if c.places.n != len(model) || len(c.places.table) > 4096 {
			t.Errorf("seed %d: %d places in a table of %d, want %d",
				seed, c.places.n, len(c.places.table), len(model))
		}
	}
}
