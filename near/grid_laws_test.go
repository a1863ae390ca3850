package near_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/near"
)

// scale3 returns the world of f with each coordinate scaled, so that it is thin along some axes.
func scale3(x, y, z float64, f func(r *rand.Rand, i int) place) func(r *rand.Rand, i int) place {
	return func(r *rand.Rand, i int) place {
		p := f(r, i)
		return place{p.x * x, p.y * y, p.z * z}
	}
}

// hardWorlds are those in which searching by cells is slow, and some in which it is fast.
var hardWorlds = []struct {
	name string
	at   func(r *rand.Rand, i int) place
}{
	{"uniform", uniform(60)},
	{"one stray", func(r *rand.Rand, i int) place {
		if i == 7 {
			return place{1e9, -1e9, 5}
		}
		return uniform(60)(r, i)
	}},
	{"a crowd at 1e8", around(1e8, 1e8, 1e8, uniform(50))},
	{"a crowd at 1e8 and one at 0", but(2, around(1e8, 1e8, 1e8, uniform(50)), uniform(50))},
	{"one point", oneOf(3.5)},
	{"two points", but(2, around(1e5, 3, 3, oneOf(0)), oneOf(0))},
	{"a line", scale3(1, 0, 0, uniform(1e4))},
	{"a column", scale3(0, 1, 0, uniform(1e4))},
	{"a pillar", scale3(0, 0, 1, uniform(1e4))},
	{"a diagonal", func(r *rand.Rand, i int) place { return place{float64(i), float64(i), float64(i)} }},
	{"clusters", func(r *rand.Rand, i int) place {
		k := float64(r.IntN(9))
		return around(k*k*900, k*7000, k*-800, uniform(3))(r, i)
	}},
	{"two clusters far apart", but(2, around(1e12, 0, 0, uniform(9)), uniform(9))},
	{"clusters of different sizes", but(3, uniform(2), but(2, around(500, 0, 0, uniform(200)), uniform(1e6)))},
	{"crowds in a row", func(r *rand.Rand, i int) place { return place{float64(i % 8), 1e4 * float64(i%2), 0} }},
	{"crowded cells far apart", func(r *rand.Rand, i int) place {
		return place{float64(i%6) * 1e4, float64(i/6%2) * 1e4, 2}
	}},
	{"a lattice", func(r *rand.Rand, i int) place { return place{float64(i%12) * 1024, float64(i/12) * 1024, 0} }},
	{"a ring", func(r *rand.Rand, i int) place {
		s, c := math.Sincos(float64(i))
		return place{300 * s, 300 * c, 0}
	}},
	{"corners of everything", oneOf(-most32, most32, 0, 1)},
	{"many nowhere", but(2, uniform(20), oneOf(nan, inf, 1e39))},
}

// without are ways to remove most values again.
var without = []struct {
	name string
	do   func(g searcher, c *crowd)
}{
	{"", func(searcher, *crowd) {}},
	{", most removed", func(g searcher, c *crowd) {
		for i, h := range c.hs {
			if i%10 != 3 {
				c.view.(*berth.Pool[dot]).Remove(h)
			}
		}
	}},
	{", most taken out", func(g searcher, c *crowd) {
		for i, h := range c.hs {
			if i%10 != 3 {
				g.Remove(h)
			}
		}
	}},
}

// bounds counts the steps of searches, and compares them with a scan of all values.
type bounds struct {
	t    *testing.T
	name string
	g    searcher
	n    int
}

// atMost checks the number of steps of a search.
func (b *bounds) atMost(most int, what string, search func() (results int)) {
	b.t.Helper()
	results := 0
	steps := near.Steps(func() { results = search() })
	if steps > most || steps < results {
		b.t.Errorf("%s: %s takes %d steps for %d of %d values, want at most %d; %+v",
			b.name, what, steps, results, b.n, most, b.g.Stats())
	}
}

func (b *bounds) searches(hs []handle, probes []place, radii []float64) {
	b.t.Helper()
	for _, p := range probes {
		for _, r := range radii {
			b.atMost(2*b.n, fmt.Sprintf("Within(%v, %v)", p, r), func() (n int) {
				for range b.g.within(p, r) {
					n++
				}
				return n
			})
		}
		b.atMost(3*b.n, fmt.Sprintf("Nearest(%v)", p), func() int { b.g.nearest(p); return 0 })
		for _, k := range []int{0, 2, 10, b.n / 2, b.n, math.MaxInt} {
			b.atMost(3*b.n, fmt.Sprintf("NearestK(%v, %d)", p, k), func() (n int) {
				for range b.g.nearestK(p, k) {
					n++
				}
				return n
			})
		}
	}
	for i, h := range hs {
		r := radii[i%len(radii)]
		b.atMost(2*b.n, fmt.Sprintf("Near(%d, %v)", i, r), func() (n int) {
			for range b.g.Near(h, r) {
				n++
			}
			return n
		})
	}
}

func (b *bounds) loops(r float64) {
	b.t.Helper()
	// Two values are one pair, but three steps: each of them, and one from the other.
	b.atMost(max(b.n*(b.n-1), b.n+b.n/2), fmt.Sprintf("Pairs(%v)", r), func() (n int) {
		for range b.g.Pairs(r) {
			n++
		}
		return n
	})
	b.atMost(2*b.n*b.n-b.n, fmt.Sprintf("Traverse(%v)", r), func() (n int) { // plus n for the pivots
		for _, o := range b.g.Traverse(r) {
			n += o.Len()
		}
		return n
	})
}

// No search costs more than two scans of all values, or three for the nearest, and no loop more
// than twice the comparison of each value with each.
func TestNeverWorseThanAScan(t *testing.T) {
	for _, w := range hardWorlds {
		for axes := 2; axes <= 3; axes++ {
			t.Run(fmt.Sprintf("%s/axes=%d", w.name, axes), func(t *testing.T) {
				for turn, n := range []int{0, 1, 2, 3, 5, 20, 33, 120} {
					if n > 100 && !long.On {
						n = 60
					}
					for i, way := range ways {
						r := rand.New(rand.NewPCG(uint64(n), uint64(i)))
						ps := make([]place, n)
						for k := range ps {
							ps[k] = w.at(r, k)
						}
						c := kinds[0](ps)
						cell := []float64{1, 0.01, 40, 1e-9}[(turn+i)%4]
						g := newSearcher(axes, cell)
						way.do(g, c)
						gone := without[(turn/2+i)%len(without)]
						gone.do(g, c)
						g.CheckInvariants()
						g.SetShape(near.Shape(i % 2))
						s := g.Stats()
						b := &bounds{t, fmt.Sprintf("n=%d, %s%s, cell %v", n, way.name, gone.name, cell),
							g, s.Items + s.Vacant}
						probes := append(somewhere(r, 1, ps), place{20, -20, 20},
							place{100, 5, 0}, place{1e8, 1e8, 1e8})
						radii := []float64{0, 1e-9, 1, 9, 70, 1e4, 1.5e8, 1e12, inf}
						b.searches(c.hs[:min(n, 9)], probes, radii)
						for k, r := range radii {
							if n < 50 || (k+i)%3 == 0 {
								b.loops(r)
							}
						}
					}
				}
			})
		}
	}
}

// The same searches return the right results, also if they scan after some cells.
func TestHardWorlds(t *testing.T) {
	for _, w := range hardWorlds {
		for axes := 2; axes <= 3; axes++ {
			t.Run(fmt.Sprintf("%s/axes=%d", w.name, axes), func(t *testing.T) {
				t.Parallel()
				for i, way := range ways {
					r := rand.New(rand.NewPCG(uint64(axes), uint64(i)))
					ps := make([]place, 60)
					for k := range ps {
						ps[k] = w.at(r, k)
					}
					c := kinds[0](ps)
					g := newSearcher(axes, []float64{1, 0.01, 40}[i%3])
					way.do(g, c)
					for k, radius := range []float64{0, 1, 9, 70, 1e4, 1.5e8, inf} {
						q := rule{axes, near.Shape((i + k) % 2), radius}
						if !c.check(t, fmt.Sprintf("%s, %+v", way.name, g.Stats()), g, q, somewhere(r, 1, ps)) {
							return
						}
					}
				}
			})
		}
	}
}

// One stray among many values must not make searches near the others scan the same cells many
// times.
func TestStrayAmongMany(t *testing.T) {
	n := 20_000
	if !long.On {
		n = 2_000
	}
	for axes := 2; axes <= 3; axes++ {
		for _, spread := range []float64{0, 3, 50} {
			ps := make([]place, n)
			r := rand.New(rand.NewPCG(1, 1))
			for i := range ps {
				ps[i] = uniform(spread)(r, i)
			}
			ps[n/2] = place{1e6, 1e6, 0}
			c := kinds[0](ps)
			g := newSearcher(axes, 1)
			g.Rebuild(c.view)
			b := &bounds{t, fmt.Sprintf("%d axes, spread %v", axes, spread), g, n}
			probes := []place{{60, 0, 0}, {1000, 0, 0}, {1e5, -1e5, 0}, {1e6, 1e6, 0}, {5e5, 0, 0}}
			b.searches(c.hs[:9], probes, []float64{1, 50, 150, 1e3, 1e5, 1e7})
			// A search of nearly all cells begins with a scan.
			b.atMost(n, "Within(1e6)", func() (n int) {
				for range g.within(place{}, 1e6) {
					n++
				}
				return n
			})
		}
	}
}

// Grids with most values added after the last Rebuild keep to the bounds. They have many buckets
// for the values that are sorted, or few for all the others.
func TestChainsAreNotDear(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		for first := 1; first < 40; first += 1 + first/4 {
			for later := 1; later < 80; later += 1 + later/4 {
				var p berth.Pool[dot]
				put := func(i int) handle {
					return p.Insert(dot{place{0.5, float64(i*7%10) + 0.5, 0.5}, i})
				}
				for i := range first {
					put(i)
				}
				g := newSearcher(axes, 1)
				g.Rebuild(&p)
				for i := range later {
					g.Insert(put(i))
				}
				s := g.Stats()
				b := &bounds{t, fmt.Sprintf("%d axes, %d and %d later", axes, first, later), g, s.Items}
				b.searches(nil, []place{{}, {0.5, 5, 0.5}}, []float64{1, 4, 100})
				b.loops(100)
			}
		}
	}
}

// A step is a row or a segment, a head of a chain, or an item. In loops over pairs each value takes
// four, since the two behind it are always looked at.
func TestWhatAStepIs(t *testing.T) {
	steps := func(name string, want int, f func()) {
		t.Helper()
		if got := near.Steps(f); got != want {
			t.Errorf("%s takes %d steps, want %d", name, got, want)
		}
	}
	c := kinds[0](square(10))
	for i := range c.hs {
		d := c.view.Ptr(c.hs[i])
		d.x, d.y = d.x+0.5, d.y+0.5
	}
	g := newSearcher(2, 1)
	g.Rebuild(c.view)
	within := func(r float64) func() {
		return func() {
			for range g.within(place{5.5, 5.5, 0}, r) {
				continue
			}
		}
	}
	pairs := func() {
		for range g.Pairs(0.4) {
			continue
		}
	}
	steps("Within of one cell", 1+1, within(0.4))
	steps("Within of nine cells", 3+9, within(1))
	steps("Within of all cells", 10+100, within(20))
	steps("Within of everything", 100, within(inf))
	steps("Pairs", 10+4*100, pairs)
	g.SetShape(near.Circle)
	steps("Nearest", 3+9, func() { g.nearest(place{5.5, 5.5, 0}) })
	steps("NearestK of all", 3+9+5+25+9+81+100, func() { // three rings, and a scan
		for range g.nearestK(place{5.5, 5.5, 0}, 100) {
			continue
		}
	})

	var hs []handle
	for i := range 12 {
		hs = append(hs, c.view.(*berth.Pool[dot]).Insert(dot{place{5.5, 5.5, 0}, 100 + i}))
		g.Insert(hs[i])
	}
	steps("Within of nine cells and chains", 3+9+9+12, within(1))
	steps("Within of 25 cells and 12 later ones", 5+25+12, within(2))
	steps("Pairs with 12 later ones", 10+4*100+12*(1+1+1+1+12), pairs)

	for i, h := range c.hs {
		c.view.Ptr(h).place = place{float64(i%4) * 1e6, 0, 0}
	}
	for _, h := range hs {
		c.view.(*berth.Pool[dot]).Remove(h)
	}
	g.Rebuild(c.view)
	if !g.Stats().Scattered {
		t.Fatalf("not scattered: %+v", g.Stats())
	}
	steps("Within of one segment", 1+25, func() {
		for range g.within(place{1e6 + 0.5, 0.5, 0}, 0.4) {
			continue
		}
	})
	steps("Within of six segments", 6+25, func() {
		for range g.within(place{1e6 + 0.5, 0.5, 0}, 1) {
			continue
		}
	})
	// There are 49 cells and half as many buckets, so a scan is cheaper.
	steps("Within of 14 segments", 100, func() {
		for range g.within(place{1e6 + 0.5, 0.5, 0}, 3) {
			continue
		}
	})
}

// In space a row of each layer above is a step too: here one, and the value in it, for each value
// but the last two.
func TestWhatAStepIsInSpace(t *testing.T) {
	ps := make([]place, 40)
	for i := range ps {
		ps[i] = place{0.5, 0.5, float64(i) + 0.5}
	}
	g := newSearcher(3, 1)
	g.Rebuild(kinds[0](ps).view)
	got := near.Steps(func() {
		for range g.Pairs(0.6) {
			continue
		}
	})
	if want := 40 + 4*40 + 2*38 + 1; got != want {
		t.Errorf("Pairs takes %d steps, want %d", got, want)
	}
}
