package near

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// coordinates returns coordinates from the least to the largest.
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

// The number of a cell never falls when a coordinate rises, and it is always one of the frame's.
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
