package near

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
)

type spot struct{ x, y, z float64 }

func (s *spot) flat() (x, y float64)     { return s.x, s.y }
func (s *spot) solid() (x, y, z float64) { return s.x, s.y, s.z }

// spoiled is a way to break a grid's cells, and what the check says of it.
type spoiled struct {
	want  string
	spoil func(c *cells)
}

// fires checks that each way to break cells, which must be whole before, is seen.
func fires(t *testing.T, make func() *cells, all []spoiled) {
	t.Helper()
	for i, s := range all {
		c := make()
		c.checkInvariants()
		s.spoil(c)
		func() {
			defer func() {
				t.Helper()
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "near: "+s.want+":") {
					t.Errorf("way %d: panic %q, want %q", i, got, s.want)
				}
			}()
			c.checkInvariants()
		}()
	}
}

// The checks of the invariants see what they are there for.
func TestInvariantsFire(t *testing.T) {
	var hs []berth.Handle[spot]
	grid := func() *Grid[spot] {
		hs = nil
		p := new(berth.Pool[spot])
		for i := range 40 {
			hs = append(hs, p.Insert(spot{float64(i % 7), float64(i / 7), 0}))
		}
		hs = append(hs, p.Insert(spot{x: math.NaN()}))
		g := NewGrid(1, (*spot).flat)
		g.Rebuild(p)
		for i := range 9 { // leaves chains behind, of more than one
			h := p.Insert(spot{float64(i % 3), 1, 0})
			g.Insert(h)
			hs = append(hs, h)
		}
		g.Remove(hs[3])
		return g
	}
	fires(t, func() *cells { return &grid().cells }, []spoiled{
		{"invariant 1", func(c *cells) { c.start = c.start[:len(c.start)-1] }},
		{"invariant 1", func(c *cells) { c.start[0] = 1 }},
		{"invariant 1", func(c *cells) { c.start[len(c.start)-1]-- }},
		{"invariant 1", func(c *cells) { c.start[3]++ }},
		{"invariant 1", func(c *cells) { c.items[0].x = 5 }},
		{"invariant 1", func(c *cells) { c.items[0].x = float32(math.NaN()) }},
		{"invariant 1", func(c *cells) { c.items[0], c.items[9] = c.items[9], c.items[0] }},
		{"invariant 1", func(c *cells) { c.size, c.inv = 2, 0.5 }},
		{"invariant 1", func(c *cells) { c.buckets-- }},
		{"invariant 1", func(c *cells) { c.row-- }},
		{"invariant 2", func(c *cells) { c.links = c.links[:len(c.links)-1] }},
		{"invariant 2", func(c *cells) { c.heads = nil }},
		{"invariant 2", func(c *cells) { clear(c.heads) }},
		{"invariant 2", func(c *cells) { c.links[len(c.links)-1] = uint32(len(c.items)) }},
		{"invariant 2", func(c *cells) { c.links[0] = uint32(len(c.items)) }},
		{"invariant 2", func(c *cells) { c.heads[0] = 1 }},
		{"invariant 2", func(c *cells) { c.heads[0] = uint32(len(c.items) + 1) }},
		{"invariant 2", func(c *cells) { slices.Reverse(c.heads) }},
		{"invariant 2", func(c *cells) { c.items[c.sorted].y = 4 }},
		{"invariant 3", func(c *cells) { c.vacant++ }},
		{"invariant 3", func(c *cells) { c.items[0].h = 0 }},
		{"invariant 3", func(c *cells) { c.items[0].h = c.items[1].h }},
		{"invariant 3", func(c *cells) { c.items[c.sorted].h = c.items[1].h }},
		{"invariant 4", func(c *cells) { c.places.n++ }},
		{"invariant 4", func(c *cells) { c.items[0].h ^= 1 << 63 }},
		{"invariant 4", func(c *cells) { clear(c.places.table) }},
		{"invariant 4", func(c *cells) { c.places.shift++ }},
		{"invariant 5", func(c *cells) { c.zs = make([]float32, len(c.items)) }},
		{"invariant 6", func(c *cells) { c.home.hi.x -= 0.5 }},
		{"invariant 6", func(c *cells) { c.home.lo.y += 0.5 }},
		{"invariant 6", func(c *cells) { c.items[c.start[1]-1].x = -100 }}, // of the first bucket, still
	})
	fires(t, func() *cells {
		g := NewGrid3(1, (*spot).solid)
		p := new(berth.Pool[spot])
		for i := range 200 {
			p.Insert(spot{float64(i), 1e6 * float64(i%2), -1e6 * float64(i%3)})
		}
		g.Rebuild(p)
		if !g.Stats().Scattered {
			t.Fatal("not scattered")
		}
		return &g.g.cells
	}, []spoiled{
		{"invariant 1", func(c *cells) { c.mask >>= 1 }},
		{"invariant 1", func(c *cells) { c.scattered = false }},
		{"invariant 1", func(c *cells) { c.zs[0] += 5 }},
		{"invariant 5", func(c *cells) { c.zs = append(c.zs, 0) }},
	})
}

// colliding returns handles that begin their search at the last few slots of a table of that shift.
func colliding(shift, n int) (hs []uint64) {
	const golden = 0x9E3779B97F4A7C15
	inverse := uint64(1)
	for range 6 { // each doubles the digits that are right
		inverse *= 2 - golden*inverse
	}
	for i := range uint64(n) {
		home := uint64(math.MaxUint64)>>shift - i%3
		hs = append(hs, (home<<shift+i+1)*inverse)
	}
	return hs
}

// places is a map, also when all its handles collide.
func TestPlaces(t *testing.T) {
	for seed := range uint64(60) {
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
				t.Fatal("finds the zero handle")
			}
			c.checkInvariants()
		}
		if c.places.n != len(model) || len(c.places.table) > 4096 {
			t.Errorf("seed %d: %d places in a table of %d, want %d",
				seed, c.places.n, len(c.places.table), len(model))
		}
	}
}

// coordinates is from the least to the largest.
func coordinates() []float64 {
	list := []float64{
		0, 5e-324, 1e-310, 0x1p-1022, 0x1p-149, 1e-40, 0x1p-126, 1e-20, 1e-17, 1e-9, 0.1, 0.5, 1, 1.5,
		2, 3, 7, 10, 100, 999, 1000, 1e6, 1 << 24, 1<<24 + 1, 1 << 29, 1<<29 + 1, 1 << 30, 1 << 31, 1 << 32,
		1 << 53, 1 << 59, 1 << 60, 1<<60 + 256, 1 << 61, 1 << 62, 1 << 63, 1e19, 1e30, math.MaxFloat32, 1e39,
		1e300, math.MaxFloat64, math.Inf(1),
	}
	for _, x := range list {
		list = append(list, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, 0))
	}
	for _, x := range list {
		list = append(list, -x)
	}
	slices.Sort(list)
	return list
}

// The number of a cell never falls when a coordinate rises, and it is one of the frame's, however
// strange the frame.
func TestFrameCells(t *testing.T) {
	xs := coordinates()
	r := rand.New(rand.NewPCG(1, 1))
	corner := func() float32 {
		for {
			x := float32(xs[r.IntN(len(xs))])
			if !math.IsInf(float64(x), 0) {
				return x
			}
		}
	}
	sizes := []float64{0x1p-1022, 1e-300, 1e-30, 0.1, 1, 3, 1e9, 1e30, 1e300, math.MaxFloat64}
	for i := range 3000 {
		var b box
		p, q := point{corner(), corner(), corner()}, point{corner(), corner(), corner()}
		b.lo = point{min(p.x, q.x), min(p.y, q.y), min(p.z, q.z)}
		b.hi = point{max(p.x, q.x), max(p.y, q.y), max(p.z, q.z)}
		n := []int{0, 1, 2, 7, 100, 5000}[i%6]
		size := sizes[i%len(sizes)]
		checkFrame(t, denseFrame(size, b, n), max(n, 8), size, xs)
		if i%100 == 0 {
			checkFrame(t, scatteredFrame(size, 1<<(i%14)), 1<<(i%14)+segment, size, xs)
		}
		for _, p := range []point{b.lo, b.hi, {b.lo.x, b.hi.y, b.lo.z}, {b.hi.x, b.lo.y, b.hi.z}} {
			f := denseFrame(size, box{point{b.lo.x, b.lo.y, 0}, point{b.hi.x, b.hi.y, 0}}, n)
			if got, want := f.planar(p.x, p.y), f.of(point{p.x, p.y, 0}); got != want {
				t.Fatalf("size %v, box %v: planar(%v) = %d, want %d", size, b, p, got, want)
			}
		}
	}
}

func checkFrame(t *testing.T, f frame, most int, size float64, xs []float64) {
	t.Helper()
	if f.buckets < 1 || f.buckets > most || f.size < size {
		t.Fatalf("%+v: want 1 to %d buckets, of cells of %v at least", f, most, size)
	}
	for axis := range axes {
		first, end := int64(0), int64(f.count[axis])-1
		if f.scattered {
			first, end = -horizon, horizon
		}
		last := first
		for _, x := range xs {
			k := f.cell(axis, x)
			if k < last || k > end {
				t.Fatalf("%+v: axis %d: cell(%v) = %d, after %d, of %d", f, axis, x, k, last, end)
			}
			last = k
		}
		if k := f.cell(axis, math.NaN()); k != first {
			t.Fatalf("%+v: cell(NaN) = %d, want %d", f, k, first)
		}
	}
	for i, x := range xs {
		p := point{float32(x), float32(xs[(i*7)%len(xs)]), float32(xs[(i*31)%len(xs)])}
		k := f.of(p)
		if k < 0 || k > f.buckets || (k == f.buckets) != p.nowhere() {
			t.Fatalf("%+v: bucket of %v = %d", f, p, k)
		}
	}
}

// A run of cells within a segment of a row has successive buckets.
func TestFrameRuns(t *testing.T) {
	f := scatteredFrame(1, 64)
	for x := int64(-100); x < 100; x++ {
		a, b := f.scatter(x, 5, 9), f.scatter(x+1, 5, 9)
		if (x+1)%segment != 0 && b != a+1 {
			t.Errorf("buckets of cells %d and %d are %d and %d", x, x+1, a, b)
		}
	}
	for _, x := range []int64{-horizon, -horizon + 1, -17, -1, 0, 15, 16, horizon - 1, horizon} {
		for _, y := range []int64{-horizon, -1, 0, 1, horizon} {
			if k := f.scatter(x, y, -y); k < 0 || k >= f.buckets {
				t.Errorf("bucket of %d, %d = %d", x, y, k)
			}
		}
	}
}
