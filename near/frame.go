package near

import (
	"math"

	"github.com/seed505807e1/berth/internal/origin"
)

// axes is the number of axes in space. A Grid uses two.
const axes = 3

const (
	// segment is the number of cells of a row that have successive buckets in a scattered frame.
	segmentBits = 4
	segment     = 1 << segmentBits
	// horizon is the number of cells from 0, in each direction, that a scattered frame
	// distinguishes.
	horizon = 1 << 60
)

// point is a position as kept in a grid.
type point struct{ x, y, z float32 }

// frame maps positions to cells, and cells to buckets.
//
// In a dense frame the cells of the box around all values are numbered row by row, and each has a
// bucket of its own. In a scattered one the bucket is found by hashing the segment of the row, and
// may have the values of several cells. In both, the cells of a run within a row (and segment) have
// successive buckets, and positions outside of the frame count to the cell at its edge. So the
// number of the cell never falls when a coordinate rises, and searches rely on nothing else.
type frame struct {
	size, inv float64       // of a cell, and the number of cells per unit
	low       [axes]float64 // the number of the first cell, along each axis
	count     [axes]float64 // number of cells along each axis
	row       int           // dense: distance in buckets from one row to the next
	layer     int           // dense: from one layer to the next
	scattered bool
	mask      uint64 // scattered: of the hash
	buckets   int    // without the one for nowhere
	home      box    // dense: the box that the frame was made for
	far       point  // dense: the greatest absolute value of a coordinate
}

// box is the space between two corners, inclusive.
type box struct{ lo, hi point }

// noBox is the empty box.
var noBox = box{
	point{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
	point{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
}

// extend extends the box to hold a position in the plane, unless it is nowhere.
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

// denseFrame returns the frame of a box with at most n buckets, or 8. Its cells have the requested
// size, or the smallest sufficient one.
func denseFrame(size float64, b box, n int) (f frame) {
	n = max(n, 8)        // an axis that crosses 0 has two cells, however large
	if b.lo.x > b.hi.x { // empty
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
	// A product is the same on every machine; a root may not be.
	for ; ; size *= 1.25 {
		f.size, f.inv = size, 1/size
		all := 1.0
		for i := range least {
			f.low[i] = math.Floor(float64(least[i] * f.inv))
			f.count[i] = math.Floor(float64(most[i]*f.inv)-f.low[i]) + 1 // as computed by cell
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

// scatteredFrame returns a frame of about that many buckets, a power of two, for cells of that
// size.
func scatteredFrame(size float64, buckets int) (f frame) {
	f.size, f.inv = size, 1/size
	f.scattered = true
	f.mask = uint64(buckets - 1)
	f.buckets = buckets + segment - 1
	return f
}

// cell returns the number of the cell of x along an axis. In a dense frame it is 0 for NaN, and for
// all coordinates to the left of the frame.
func (f *frame) cell(axis int, x float64) int64 {
	if f.scattered {
		return scatteredCell(float64(x * f.inv))
	}
	// The conversion keeps processors from fusing the two operations.
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

// scatter is bucket in a scattered frame: a hash of each segment of a row.
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

// planar is of for a position in the plane that was in the box of a dense frame.
func (f *frame) planar(x, y float32) int {
	if (x-x)+(y-y) != 0 { // nowhere
		return f.buckets
	}
	cx := int(float64(float64(x)*f.inv) - f.low[0])
	cy := int(float64(float64(y)*f.inv) - f.low[1])
	return cy*f.row + cx
}

// toFloat32 returns a position as kept in a grid.
func toFloat32(x, y, z float64) point { return point{float32(x), float32(y), float32(z)} }

// nowhere reports whether a coordinate is NaN or infinite.
func (p point) nowhere() bool { return (p.x-p.x)+(p.y-p.y)+(p.z-p.z) != 0 }

// is reports whether p has the coordinates x, y, z without loss.
func (p point) is(x, y, z float64) bool {
	return float64(p.x) == x && float64(p.y) == y && float64(p.z) == z
}

// area is the range of a search.
type area struct {
	r     float64
	shape Shape
	most  float32 // for the squared distance of kept positions in the plane, if they are exact
	wide  float64 // r plus the rounding error of distances
}

// areaOf returns the area within a radius.
func areaOf(r float64, s Shape) (a area) {
	a.r, a.shape = r, s
	a.wide = float64(r*(1+0x1p-22)) + 0x1p-120
	if math.IsInf(r*r, 1) { // every position is within it
		a.wide = r * r
	}
	a.most = a.square(a.wide)
	return a
}

// square returns a bound for the squared distance in the plane of two kept positions. wide bounds
// their distance or, in a Box, each coordinate of it. The result has a margin for float32.
func (a *area) square(wide float64) float32 {
	most := float64(float64(wide*wide)*(1+0x1p-18)) + 0x1p-120
	if a.shape == Box {
		most *= 2 // as far as the corners of the box
	}
	return float32(most)
}

// off returns a bound for the rounding error of the difference of two kept coordinates, of x and of
// another in the area: each is off by 2^-24 of itself.
func (a *area) off(x float64) float64 { return (math.Abs(x) + a.wide) * 0x1p-23 }

// extent is the greatest distance from a kept position to kept positions in its area: along each
// axis, and in the plane, squared.
type extent struct {
	x, y, z float64
	most    float32
}

// extent returns the extent around positions whose coordinates are at most x, y, z. If they are
// exact, so are all positions that may be found, and only distances are rounded.
func (a *area) extent(x, y, z float64, exact bool) (s extent) {
	s.x, s.y, s.z, s.most = a.wide, a.wide, a.wide, a.most
	if !exact {
		s.x, s.y, s.z = s.x+a.off(x), s.y+a.off(y), s.z+a.off(z)
		s.most = a.square(a.wide + a.off(x) + a.off(y))
	}
	return s
}

// high returns the extent in z, for comparison with the difference of kept coordinates.
func (s *extent) high() float32 {
	if math.IsInf(float64(s.most), 1) { // a difference may be infinite, too
		return s.most
	}
	return float32(s.z * (1 + 0x1p-20))
}
