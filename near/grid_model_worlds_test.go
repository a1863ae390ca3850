package near_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/near"
	"github.com/seed505807e1/berth/stable"
)

// up and down return the next float64 and float32.
func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }
func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
func up32(x float64) float64 {
	return float64(math.Nextafter32(float32(x), float32(math.Inf(1))))
}
func down32(x float64) float64 {
	return float64(math.Nextafter32(float32(x), float32(math.Inf(-1))))
}

// each returns a world in which each coordinate is drawn from f.
func each(f func(r *rand.Rand) float64) func(r *rand.Rand, i int) place {
	return func(r *rand.Rand, _ int) place { return place{f(r), f(r), f(r)} }
}

// oneOf returns a world of some coordinates.
func oneOf(xs ...float64) func(r *rand.Rand, i int) place {
	return each(func(r *rand.Rand) float64 { return xs[r.IntN(len(xs))] })
}

// around returns the world of f, moved.
func around(x, y, z float64, f func(r *rand.Rand, i int) place) func(r *rand.Rand, i int) place {
	return func(r *rand.Rand, i int) place {
		p := f(r, i)
		return place{p.x + x, p.y + y, p.z + z}
	}
}

func uniform(span float64) func(r *rand.Rand, i int) place {
	return each(func(r *rand.Rand) float64 { return (r.Float64() - 0.5) * span })
}

func ints(span int, step float64) func(r *rand.Rand, i int) place {
	return each(func(r *rand.Rand) float64 { return float64(r.IntN(2*span+1)-span) * step })
}

// but returns the world of f, in which some values are from g instead.
func but(every int, f, g func(r *rand.Rand, i int) place) func(r *rand.Rand, i int) place {
	return func(r *rand.Rand, i int) place {
		if i%every == every-1 {
			return g(r, i)
		}
		return f(r, i)
	}
}

const most32 = math.MaxFloat32

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// worlds are places of values, with a typical distance between near ones.
var worlds = []struct {
	name  string
	scale float64
	at    func(r *rand.Rand, i int) place
}{
	{"uniform", 1, uniform(12)},
	{"sparse", 1, uniform(1e4)},
	{"ints", 1, ints(6, 1)},
	{"clusters", 1, but(2, around(7, 9, 8, uniform(2)), around(-30, 5, -3, uniform(3)))},
	{"far clusters", 1, but(3, around(1e6, -1e6, 3e5, uniform(5)), around(-5e5, 3e6, 0, uniform(4)))},
	{"farther", 1, but(2, around(1e9, 1e9, 1e9, ints(3, 64)), around(-1e9, 0, 1e9, ints(3, 64)))},
	{"very far", 1, but(2, around(1e12, 1e12, 1e12, ints(3, 1<<16)), ints(3, 1))},
	{"one point", 1, oneOf(3.7)},
	{"origin", 1, oneOf(0, math.Copysign(0, -1))},
	{"around the origin", 1, oneOf(-0.25, 0.25)},
	{"borders", 1, oneOf(-2, -1, 0, 1, 2, down32(-1), up32(-1), down32(0), up32(0), down32(1), up32(1))},
	{"borders of float64", 1, oneOf(-2, -1, 0, 1, 2, down(-1), up(-1), down(0), up(0), down(1), up(1))},
	{"line", 1, func(r *rand.Rand, i int) place { return place{float64(i) * 0.7, 2, 2} }},
	{"steep line", 1, func(r *rand.Rand, i int) place { return place{2, float64(-i) * 0.7, 2} }},
	{"high line", 1, func(r *rand.Rand, i int) place { return place{2, 2, float64(i) * 0.7} }},
	{"diagonal", 1, func(r *rand.Rand, i int) place { x := float64(i) * 0.5; return place{x, x, x} }},
	{"strip", 1, func(r *rand.Rand, i int) place { return place{r.Float64() * 80, r.Float64(), r.Float64()} }},
	{"outlier", 1, but(40, uniform(10), oneOf(1e12, 5))},
	{"far outlier", 1, but(40, uniform(10), oneOf(-1e30, 5))},
	{"farthest outlier", 1, but(20, uniform(10), oneOf(-most32, most32, 5))},
	{"offset", 1, around(1e6, 1e6, 1e6, uniform(10))},
	{"larger offset", 1, around(4.6e6, -4.6e6, 4.6e6, uniform(10))},
	{"offset of tenths", 0.1, around(4.6e6, -4.6e6, 4.6e6, ints(10, 0.1))},
	{"2 to 24", 1, around(1<<24, 1<<24, -1<<24, ints(4, 1))},
	{"beyond 2 to 24", 4, around(1<<27+1, -1<<27+1, 1<<27+1, ints(9, 1))},
	{"2 to 53", 1e9, around(1<<53, -1<<53, 1<<53, ints(9, 1e8))},
	{"small", 1e-22, ints(9, 1e-22)},
	{"squares are subnormal", 1e-20, uniform(1e-19)},
	{"subnormal float32", 1e-44, ints(9, 0x1p-149)},
	{"subnormal float64", 1e-310, ints(9, 1e-310)},
	{"least float64", 5e-324, ints(9, 5e-324)},
	{"large", 1e18, uniform(1e20)},
	{"squares overflow float32", 1e30, uniform(1e31)},
	{"largest", 1e38, oneOf(-most32, most32, 0, 1e38, -1e38, down32(most32))},
	{"beyond float32", 1, but(3, uniform(9), oneOf(1e39, -1e39, 1e300, math.MaxFloat64, most32, 0))},
	{"nowhere", 1, but(3, uniform(9), oneOf(nan, inf, -inf, 1, 1e39))},
	{"all nowhere", 1, oneOf(nan, inf)},
	{"lattice", 1024, ints(5, 1024)},
	{"row", 1 << 18, func(r *rand.Rand, i int) place { return place{float64(i) * (1 << 18), 0, 0} }},
	{"cross", 1, func(r *rand.Rand, i int) place {
		return []place{{float64(i), 0, 0}, {0, float64(-i), 0}, {0, 0, float64(i)}, {}}[i%4]
	}},
}

// kinds are the containers of a grid.
var kinds = []func(ps []place) *crowd{
	func(ps []place) *crowd { return fill(new(berth.Pool[dot]), ps, 0) },
	func(ps []place) *crowd { return fill(new(berth.Dense[dot]), ps, 0) },
	func(ps []place) *crowd { return fill(new(berth.Pool[dot]), ps, 3) },
	func(ps []place) *crowd {
		return fill(berth.NewDense[dot](berth.DenseConfig{Defrag: berth.DefragManual}), ps, 3)
	},
	func(ps []place) *crowd { return fill(new(berth.Dense[dot]), ps, 2) },
	func(ps []place) *crowd { return fill(list(stable.Config{}), ps, 0) },
	func(ps []place) *crowd { return fill(list(stable.Config{Placement: stable.FirstFreeHeap}), ps, 3) },
	func(ps []place) *crowd { // all but one
		p := new(berth.Pool[dot])
		pivot := p.Insert(dot{place{0.1, 0.1, 0.1}, -1})
		c := fill(p, ps, 4)
		berth.Apply(p, pivot, func(_ *dot, o berth.Others[dot]) { c.view = o })
		return c
	},
	func(ps []place) *crowd { // no container that has a loop of its own in Rebuild
		c := fill(new(berth.Dense[dot]), ps, 4)
		c.view = struct{ berth.View[dot] }{c.view}
		return c
	},
	func(ps []place) *crowd { // the results of another grid
		c := fill(new(berth.Pool[dot]), ps, 0)
		if len(ps) == 0 {
			return c
		}
		p := c.view.(*berth.Pool[dot])
		pivot := p.Insert(dot{id: -1})
		g := near.NewGrid(1, func(*dot) (x, y float64) { return 0, 0 })
		g.Rebuild(p)
		for e, o := range g.Traverse(1) {
			if e.Handle == pivot {
				c.view = o
			}
		}
		return c
	},
}

// ways are the ways to put values into a grid.
var ways = []struct {
	name string
	do   func(g searcher, c *crowd)
}{
	{"Rebuild", func(g searcher, c *crowd) { g.Rebuild(c.view) }},
	{"Insert", func(g searcher, c *crowd) {
		g.Rebuild(new(berth.Pool[dot]))
		g.Rebuild(nobody{c.view})
		for _, h := range c.hs {
			g.Insert(h)
		}
	}},
	{"Move", func(g searcher, c *crowd) {
		for i, h := range c.hs {
			c.view.Ptr(h).place = c.places[(i+1)%len(c.places)]
		}
		g.Rebuild(c.view)
		for i, h := range c.hs {
			c.view.Ptr(h).place = c.places[i]
			g.Move(h)
		}
	}},
	{"Move from one point", func(g searcher, c *crowd) {
		for _, h := range c.hs {
			c.view.Ptr(h).place = place{1, 1, 1}
		}
		g.Rebuild(c.view)
		for i, h := range c.hs {
			c.view.Ptr(h).place = c.places[i]
			g.Move(h)
		}
	}},
	{"Remove and Insert", func(g searcher, c *crowd) {
		g.Rebuild(c.view)
		for i, h := range c.hs {
			if i%3 == 0 {
				g.Remove(h)
			}
		}
		for i, h := range c.hs {
			if i%3 == 0 {
				g.Insert(h)
			}
		}
	}},
}

// nobody is a view whose loops show nothing.
type nobody struct{ berth.View[dot] }

func (nobody) Len() int { return 0 }

func (nobody) All() iter.Seq2[handle, *dot] { return func(func(handle, *dot) bool) {} }

// radii returns radii for a world: small and large, and some that just reach a value.
func radii(r *rand.Rand, q rule, scale float64, ps []place) []float64 {
	rs := []float64{0, scale * 1e-3, scale * 0.5, scale, scale * 2.5, scale * 1e3, 5e-324, 1e200, inf}
	for range 4 {
		if len(ps) == 0 {
			return rs
		}
		d := q.far(ps[r.IntN(len(ps))], ps[r.IntN(len(ps))])
		if q.shape == near.Circle {
			d = math.Sqrt(d)
		}
		if d >= 0 { // not NaN
			rs = append(rs, d, up(d), max(0, down(d)))
		}
	}
	return rs
}

// somewhere returns places to search around: of values, beside them, and far away.
func somewhere(r *rand.Rand, scale float64, ps []place) []place {
	probes := []place{{}, {scale, -scale, scale}, {1e12, 0, 0}, {nan, 0, 0}, {0, inf, 0}, {0, -1e300, 1e300}}
	for range 4 {
		if len(ps) == 0 {
			return probes
		}
		p := ps[r.IntN(len(ps))]
		probes = append(probes, p, place{p.x + scale*(r.Float64()-0.5), p.y + scale*r.Float64(), p.z - scale})
	}
	return probes
}

// A grid finds the same values as brute force, in every world, with cells of every size.
func TestWorlds(t *testing.T) {
	for _, w := range worlds {
		for axes := 2; axes <= 3; axes++ {
			t.Run(fmt.Sprintf("%s/axes=%d", w.name, axes), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(axes), 5))
				for turn, n := range []int{0, 1, 2, 3, 8, 20, 45} {
					if !long.On && turn%3 != 2 {
						continue
					}
					ps := make([]place, n)
					for i := range ps {
						ps[i] = w.at(r, i)
					}
					if !compare(t, r, axes, turn, w.scale, ps) {
						return
					}
				}
			})
		}
	}
}

// compare checks grids of values. It reports false at the first mistake.
func compare(t *testing.T, r *rand.Rand, axes, turn int, scale float64, ps []place) bool {
	t.Helper()
	for i, cell := range []float64{scale, scale * 0.01, scale * 0.3, scale * 5, scale * 1e4, 1e-300, 1e300} {
		if math.IsInf(1/cell, 0) {
			continue
		}
		kind, way := (turn+i)%len(kinds), r.IntN(len(ways))
		if kind == len(kinds)-1 && len(ps) > 8 { // each lookup takes a search
			kind = 0
		}
		if i == 0 {
			way = 0
		}
		if !compareCell(t, r, newSearcher(axes, cell), trial{axes, kind, way, cell, scale, i > 1}, ps) {
			return false
		}
	}
	return true
}

// trial is a way to make a grid and search it.
type trial struct {
	axes, kind, way int
	cell, scale     float64
	few             bool // of the radii
}

func compareCell(t *testing.T, r *rand.Rand, g searcher, o trial, ps []place) (ok bool) {
	t.Helper()
	name := fmt.Sprintf("n=%d, cell %v, kind %d, %s", len(ps), o.cell, o.kind, ways[o.way].name)
	defer report(t, name)
	c := kinds[o.kind](ps)
	ways[o.way].do(g, c)
	g.CheckInvariants()
	if g.Len() != len(ps) {
		t.Errorf("%s: Len = %d, want %d", name, g.Len(), len(ps))
	}
	for _, shape := range []near.Shape{near.Circle, near.Box} {
		q := rule{axes: o.axes, shape: shape}
		for j, radius := range radii(r, q, o.scale, ps) {
			if q.r = radius; o.few && j%5 != 0 {
				continue
			}
			if !c.check(t, fmt.Sprintf("%s, %+v", name, g.Stats()), g, q, somewhere(r, o.scale, ps)) {
				return false
			}
		}
	}
	return true
}

// report turns a panic into an error of the test. It must be deferred.
func report(t *testing.T, name string) {
	t.Helper()
	if e := recover(); e != nil {
		t.Errorf("%s: panic: %v", name, e)
	}
}

// Some hundred values, in long rows of cells.
func TestManyValues(t *testing.T) {
	worlds := worlds
	if !long.On {
		worlds = worlds[:7]
	}
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, 3))
			ps := make([]place, 250)
			for i := range ps {
				ps[i] = w.at(r, i)
			}
			for axes := 2; axes <= 3; axes++ {
				for i, way := range ways {
					func() {
						defer report(t, way.name)
						c := kinds[i%len(kinds)](ps)
						g := newSearcher(axes, max(w.scale, 1e-300))
						way.do(g, c)
						g.CheckInvariants()
						q := rule{axes, near.Shape(i % 2), w.scale * 1.5}
						name, probes := fmt.Sprintf("%s, %+v", way.name, g.Stats()), somewhere(r, w.scale, ps)
						c.check(t, name, g, q, probes)
						q.r = 0
						c.check(t, name, g, q, probes)
					}()
				}
			}
		})
	}
}

// The worlds are scattered or dense as intended.
func TestWorldsAreScattered(t *testing.T) {
	scattered := map[string]bool{}
	for _, w := range worlds {
		r := rand.New(rand.NewPCG(3, 3))
		var ps []place
		for i := range 400 {
			ps = append(ps, w.at(r, i))
		}
		func() {
			defer report(t, w.name)
			g := newSearcher(2, max(w.scale, 1e-300))
			g.Rebuild(kinds[0](ps).view)
			scattered[w.name] = g.Stats().Scattered
		}()
	}
	for name, want := range map[string]bool{
		"uniform": false, "ints": false, "one point": false, "strip": false, "offset": false,
		"far clusters": true, "farther": true, "very far": true, "outlier": true, "far outlier": true,
	} {
		if scattered[name] != want {
			t.Errorf("%s: Scattered = %t, want %t", name, !want, want)
		}
	}
}
