package near_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth/near"
)

// countOthers returns the number of others of each value, by its id, in a Traverse.
func countOthers(g searcher, n int, r float64) []int {
	counts := make([]int, n)
	for e, o := range g.Traverse(r) {
		for range o.Values() {
			counts[e.Value.id]++
		}
	}
	return counts
}

// crowds returns a world in which most values are alone or few are, with coordinates that a float32
// keeps or does not, and its width.
func crowds(r *rand.Rand, seed uint64) (ps []place, side float64) {
	n, side, at := 64+r.IntN(200), 20+r.Float64()*200, float64(seed%3)*1e5-1e5
	ps = make([]place, n)
	for i := range ps {
		p := place{at + r.Float64()*side, at/3 + r.Float64()*side, 0}
		switch {
		case seed%2 == 0:
			p = place{float64(int(p.x)), float64(int(p.y)), 0}
		case seed%7 == 0: // a dozen in a cell
			p = place{r.Float64() * 8, r.Float64() * 8, 0}
		case seed%5 == 0 && i%3 > 0: // beside another
			p = place{ps[i-1].x + r.Float64()*2, ps[i-1].y + r.Float64()*2 - 1, 0}
		}
		ps[i] = p
	}
	return ps, side
}

// checkOthers checks the results of Traverse and Pairs in a world, for a cell size and some radii.
func checkOthers(t *testing.T, what any, ps []place, cell float64, s near.Shape, radii ...float64) {
	t.Helper()
	c, g := kinds[0](ps), newSearcher(2, cell)
	g.SetShape(s)
	g.Rebuild(c.view)
	for _, radius := range radii {
		q := rule{2, s, radius}
		got, pairs := countOthers(g, len(ps), radius), make([]int, len(ps))
		for a, b := range g.Pairs(radius) {
			if !q.near(ps[a.Value.id], ps[b.Value.id]) {
				t.Fatalf("%v, %v: Pairs visits %v and %v", what, q, a.Value, b.Value)
			}
			pairs[a.Value.id]++
			pairs[b.Value.id]++
		}
		for i := range ps {
			want := 0
			for k := range ps {
				if k != i && q.near(ps[k], ps[i]) {
					want++
				}
			}
			if got[i] != want || pairs[i] != want {
				t.Fatalf("%v, %v: %d at %v has %d others, and %d in Pairs, want %d",
					what, q, i, ps[i], got[i], pairs[i], want)
			}
		}
	}
}

// Traverse distinguishes values that have no others from those that have, with areas that reach
// over one row of cells and over many.
func TestTraverseTellsTheLone(t *testing.T) {
	for seed := range uint64(42) {
		ps, side := crowds(rand.New(rand.NewPCG(seed, 1)), seed)
		checkOthers(t, seed, ps, 2, near.Shape(seed/2%2), 0, 0.05, 1, 2, 7, side/3)
	}
}

// The nearest value is not in the next row, but in the one behind it.
func TestLoneTwoRowsApart(t *testing.T) {
	ps := []place{{0.5, 0.9, 0}, {0.5, 2.1, 0}}
	for i := range 100 {
		ps = append(ps, place{5.25 + float64(i%10)/2, 0.5 + float64(i/10), 0})
	}
	checkOthers(t, "two rows", ps, 1, near.Circle, 1.3)
}

// The last of a crowd is near one that comes before it, which did not look at so many.
func TestLoneBehindACrowd(t *testing.T) {
	ps := []place{{0.95, 0.5, 0}}
	for i := range 9 {
		ps = append(ps, place{1.3 + 0.3*float64(i%3), 0.1 + 0.4*float64(i/3), 0})
	}
	ps = append(ps, place{1.05, 0.5, 0})
	for i := range 64 {
		ps = append(ps, place{4.25 + float64(i%8)/2, 0.5 + float64(i/8), 0})
	}
	checkOthers(t, "a crowd", ps, 1, near.Circle, 0.15)
}

// A row has more values than the list of those that may have others near, and all of them do.
func TestPairsOfACrowd(t *testing.T) {
	var ps []place
	for i := range 64 {
		ps = append(ps, place{0.5 + float64(i%8), 0.5 + float64(i/8), 0})
	}
	for i := range 300 {
		ps = append(ps, place{0.1 + float64(i)/512, 2.5, 0})
	}
	checkOthers(t, "a crowd", ps, 1, near.Circle, 0.01)
}

// A lone value costs three steps and no search. At the edge of its row it costs one more, and one
// for the value in the next row. The last two are searched for.
func TestStepsOfTheLone(t *testing.T) {
	for y, want := range map[float64]int{
		0.5: 98*3 + 2*(1+1),
		0.1: 10*3 + 88*(3+1+1) + 2*(2+2),
		0.9: 90*(3+1+1) + 8*3 + 2*(1+1),
	} {
		c := kinds[0](square(10))
		for _, h := range c.hs {
			d := c.view.Ptr(h)
			d.x, d.y = d.x+0.5, d.y+y
		}
		g := newSearcher(2, 1)
		g.SetShape(near.Box)
		g.Rebuild(c.view)
		if got := near.Steps(func() { countOthers(g, 100, 0.4) }); got != want {
			t.Errorf("y = %v: Traverse takes %d steps, want %d", y, got, want)
		}
	}
}
