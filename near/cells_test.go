package near_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
)

// Worlds whose values could all be in one bucket, or in one row. Searches look at few of them.
func TestLooksAtFew(t *testing.T) {
	n := 100_000
	if !long.On {
		n = 10_000
	}
	lattice := func(side int, step float64) func(i int) place {
		return func(i int) place { return place{float64(i%side) * step, float64(i/side) * step, 0} }
	}
	r := rand.New(rand.NewPCG(4, 4))
	for _, w := range []struct {
		name  string
		most  int // steps for each value
		place func(i int) place
	}{
		{"uniform", 30, func(int) place { return place{r.Float64() * 300, r.Float64() * 300, 0} }},
		{"lattice of 2 to 10", 40, lattice(316, 1<<10)},
		{"lattice of 2 to 16", 40, lattice(316, 1<<16)},
		{"lattice of 2 to 20", 40, lattice(316, 1<<20)},
		{"row of 2 to 10", 40, lattice(1<<30, 1<<10)},
		{"row of 2 to 18", 40, func(i int) place { return place{float64(i%2000) * (1 << 18), float64(i / 2000), 0} }},
		{"row of 2 to 4", 40, lattice(1<<30, 1<<4)},
		{"column of 2 to 10", 40, lattice(1, 1<<10)},
		{"column of 2 to 14", 40, lattice(1, 1<<14)},
		{"diagonal", 40, func(i int) place { return place{float64(i) * 64, float64(i) * 64, 0} }},
		{"segments", 40, func(i int) place { return place{float64(i%16 + i/16*1024), 0, 0} }},
		{"squares of 2 to 12", 60, func(i int) place {
			return place{float64(i%8 + i/64%64*4096), float64(i/8%8 + i/4096*4096), 0}
		}},
		{"crowd in a wide world", 60, func(i int) place { // large cells are in use, but no crowded one
			if i%4 == 0 {
				return place{r.Float64() * 150, r.Float64() * 150, 0}
			}
			return place{r.Float64() * 1e5, r.Float64() * 1e5, 0}
		}},
		{"outlier", 60, func(i int) place {
			return place{r.Float64() * 300, r.Float64()*300 + float64(i/(n-1))*1e12, 0}
		}},
		{"far cluster", 100, func(i int) place {
			return place{r.Float64()*300 + float64(i%2)*1e7, r.Float64() * 300, 0}
		}},
		{"very far cluster", 100, func(i int) place { // a cell is a step of a float32 there
			return place{r.Float64()*300 + float64(i%2)*(1<<24), r.Float64() * 300, 0}
		}},
		{"corners", 60, func(i int) place {
			far := float64(i/(n-4)) * 1e30 // for the last four
			return place{r.Float64()*300 + far*float64(i%2*2-1), r.Float64()*300 + far*float64(i/2%2*2-1), 0}
		}},
	} {
		for axes := 2; axes <= 3; axes++ {
			var p berth.Pool[dot]
			for i := range n {
				p.Insert(dot{w.place(i), i})
			}
			g := newSearcher(axes, 1)
			g.Rebuild(&p)
			if looks := g.Looks(1) / n; looks > w.most*(3*axes-5) {
				t.Errorf("%s, %d axes: Pairs takes %d steps for each value, want at most %d; %+v",
					w.name, axes, looks, w.most*(3*axes-5), g.Stats())
			}
		}
	}
}
