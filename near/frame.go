package near

import (
	"math"

	"github.com/seed505807e1/berth/internal/origin"
)

// axes is how many there are, of which a Grid has two.
const axes = 3

const (
	// segment is how many cells of a row lie side by side where rows are scattered.
	segmentBits = 4
	segment     = 1 << segmentBits
	// horizon is how many cells from 0 a scattered grid tells apart, in each direction.
	horizon = 1 << 60
)

// point is a position as a grid keeps it.
type point struct{ x, y, z float32 }

// frame says which cell a position is in, and which bucket has a cell.
//
// In a dense frame the cells of the box around all values are numbered row by row, and each has a
// bucket of its own. In a scattered one a bucket is found by hashing, for each segment of a row: it
// may have the values of several cells. Either way the cells of a run within a row (and segment)
// have successive buckets, and what lies outside of the frame counts to the cell at its edge. So
// the number of the cell never falls when a coordinate rises, which is all that searches rely on.
type frame struct {
	size, inv float64       // of a cell, and how many cells there are to a unit
	low       [axes]float64 // the number of the first cell, along each axis
	count     [axes]float64 // how many there are
	row       int           // dense: from a bucket to that of the next row
	layer     int           // dense: to that of the next layer
	scattered bool
	mask      uint64 // scattered: of the hash
	buckets   int    // and one more for what is nowhere
	home      box    // dense: what the frame was made for
	far       point  // dense: how far from 0 the farthest coordinates are
}

// box is the space between two corners, which it includes.
type box struct{ lo, hi point }

// noBox is a box that holds nothing.
var noBox = box{
	point{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
	point{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
}

// extend makes the box hold a position in the plane, unless it is nowhere.
func (b *box) extend(x, y float32) {
	if (x-x)+(y-y) != 0 {
		return
	}
	if x < b.lo.x {
		b.lo.x = x
	}
	if x > b.hi.x {
		b.hi.x = x
	}
	if y < b.lo.y {
		b.lo.y = y
	}
	if y > b.hi.y {
		b.hi.y = y
	}
}

// has reports whether a position is in the box.
func (b *box) has(p point) bool {
	return b.lo.x <= p.x && p.x <= b.hi.x && b.lo.y <= p.y && p.y <= b.hi.y &&
		b.lo.z <= p.z && p.z <= b.hi.z
}

// denseFrame returns the frame of a box with at most n buckets, or 8: its cells are as large as
// asked for, or as large as they have to be.
func denseFrame(size float64, b box, n int) (f frame) {
	n = max(n, 8)        // there are two to an axis where it crosses 0, however large they are
	if b.lo.x > b.hi.x { // of nothing
		b = box{}
	}
	if b.lo.z > b.hi.z { // in the plane
		b.lo.z, b.hi.z = 0, 0
	}
	f.home = b
	f.far = point{max(-b.lo.x, b.hi.x), max(-b.lo.y, b.hi.y), max(-b.lo.z, b.hi.z)}
	least := [axes]float64{float64(b.lo.x), float64(b.lo.y), float64(b.lo.z)}
	most := [axes]float64{float64(b.hi.x), float64(b.hi.y), float64(b.hi.z)}
	for i := range least {
		size = max(size, (most[i]-least[i])/float64(n))
	}
	// A product is the same on every machine, which a root need not be.
	for ; ; size *= 1.25 {
		f.size, f.inv = size, 1/size
		all := 1.0
		for i := range least {
			f.low[i] = math.Floor(float64(least[i] * f.inv))
			f.count[i] = math.Floor(float64(most[i]*f.inv)-f.low[i]) + 1 // as cell computes it
			all *= f.count[i]
		}
		if all <= float64(n) {
			f.row = int(f.count[0])
			f.layer = f.row * int(f.count[1])
			f.buckets = int(all)
			return f
		}
	}
}

// scatteredFrame returns a frame of about as many buckets, a power of two, for cells of that size.
func scatteredFrame(size float64, buckets int) (f frame) {
	f.size, f.inv = size, 1/size
	f.scattered = true
	f.mask = uint64(buckets - 1)
	f.buckets = buckets + segment - 1
	return f
}

// cell returns the number of the cell, along an axis, in which x is. In a dense frame it is 0 for
// NaN, and for all that is to the left of it.
func (f *frame) cell(axis int, x float64) int64 {
	if f.scattered {
		return scatteredCell(float64(x * f.inv))
	}
	// The conversion keeps processors from fusing the two operations, which some do.
	t := float64(x*f.inv) - f.low[axis]
	if !(t >= 1) {
		return 0
	}
	if last := f.count[axis] - 1; t > last {
		t = last
	}
	return int64(t)
}

// scatteredCell is cell in a scattered frame.
func scatteredCell(t float64) int64 {
	switch {
	case t >= horizon:
		return horizon
	case t > -horizon:
		return int64(math.Floor(t))
	}
	return -horizon
}

// bucket returns the bucket of a cell.
func (f *frame) bucket(x, y, z int64) int {
	if f.scattered {
		return f.scatter(x, y, z)
	}
	return int(z)*f.layer + int(y)*f.row + int(x)
}

// scatter is bucket in a scattered frame: a hash for each segment of a row.
func (f *frame) scatter(x, y, z int64) int {
	h := uint64(x>>segmentBits) * origin.Golden64
	h = (h ^ h>>32 ^ uint64(y)) * 0xC2B2AE3D27D4EB4F
	h = (h ^ h>>29 ^ uint64(z)) * 0xD6E8FEB86659FD93
	return int(h>>32&f.mask) + int(x&(segment-1))
}

// of returns the bucket of a position.
func (f *frame) of(p point) int {
	if p.nowhere() {
		return f.buckets
	}
	x, y := f.cell(0, float64(p.x)), f.cell(1, float64(p.y))
	return f.bucket(x, y, f.cell(2, float64(p.z)))
}

// planar is of in the plane and a dense frame, for a position that was in its box.
func (f *frame) planar(x, y float32) int {
	if (x-x)+(y-y) != 0 { // nowhere
		return f.buckets
	}
	cx := int(float64(float64(x)*f.inv) - f.low[0])
	cy := int(float64(float64(y)*f.inv) - f.low[1])
	return cy*f.row + cx
}

// toFloat32 returns a position as a grid keeps it.
func toFloat32(x, y, z float64) point { return point{float32(x), float32(y), float32(z)} }

// nowhere reports whether a coordinate is NaN or infinite.
func (p point) nowhere() bool { return (p.x-p.x)+(p.y-p.y)+(p.z-p.z) != 0 }

// is reports whether p is all of a position.
func (p point) is(x, y, z float64) bool {
	return float64(p.x) == x && float64(p.y) == y && float64(p.z) == z
}

// area is how far to look.
type area struct {
	r     float64
	shape Shape
	most  float32 // of the squared distance of kept positions in the plane, where they are exact
	wide  float64 // r, and what distances may be rounded by
}

// areaOf returns the area within a radius.
func areaOf(r float64, s Shape) (a area) {
	a.r, a.shape = r, s
	a.wide = float64(r*(1+0x1p-22)) + 0x1p-120
	if math.IsInf(r*r, 1) { // then all are within it
		a.wide = r * r
	}
	a.most = a.square(a.wide)
	return a
}

// square returns a bound for the squared distance in the plane of two kept positions, if wide is
// one for their distance or, in a Box, for a coordinate of it; with a margin for float32.
func (a *area) square(wide float64) float32 {
	most := float64(float64(wide*wide)*(1+0x1p-18)) + 0x1p-120
	if a.shape == Box {
		most *= 2 // as far as its corners are
	}
	return float32(most)
}

// off returns how far the kept forms of x, and of another coordinate in the area, may be off: each
// 2^-24 of itself.
func (a *area) off(x float64) float64 { return (math.Abs(x) + a.wide) * 0x1p-23 }

// extent is how far from a kept position others may be kept that are in its area: along each axis,
// and in the plane, squared.
type extent struct {
	x, y, z float64
	most    float32
}

// extent returns the extent around positions whose coordinates are at most x, y, z. If they are
// exact, so is all that may be found, and nothing is rounded but distances.
func (a *area) extent(x, y, z float64, exact bool) (s extent) {
	s.x, s.y, s.z, s.most = a.wide, a.wide, a.wide, a.most
	if !exact {
		s.x, s.y, s.z = s.x+a.off(x), s.y+a.off(y), s.z+a.off(z)
		s.most = a.square(a.wide + a.off(x) + a.off(y))
	}
	return s
}

// high returns the extent in z as it is compared with the difference of kept coordinates.
func (s *extent) high() float32 {
	if math.IsInf(float64(s.most), 1) { // a difference may be infinite, too
		return s.most
	}
	return float32(s.z * (1 + 0x1p-20))
}
