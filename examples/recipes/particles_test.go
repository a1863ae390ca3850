package recipes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
)

func ExampleParticles_Move() {
	s := NewParticles()
	a := s.Add(Particle{Kind: 1}, 1, 5, 2, 0)
	s.Age()
	b := s.Add(Particle{Kind: 2}, 5, 5, 0, 0)
	s.Move(0.5)
	s.Age()
	fmt.Println(*s.x.Ptr(a), s.Near(5, 5, 1))
	fmt.Println(s.Expire(2), s.rows.Contains(a), s.rows.Contains(b))
	// Output:
	// 2 1
	// 1 false true
}

// extremes are odd values of float32, among them those that a fused or reordered sum shows.
var extremes = []float32{
	0, float32(math.Copysign(0, -1)), 1e-45, -1e-40, 1, 0.1, 1.0000001, 1e30, math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// floats returns n floats, half of them odd.
func floats(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		if s[i] = r.Float32() - 0.5; r.IntN(2) == 0 {
			s[i] = extremes[r.IntN(len(extremes))]
		}
	}
	return s
}

// same reports whether a and b have the same bits. All NaNs are the same.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// The loops compute what the scalar ones do, to the bit, with vector instructions or without.
func TestVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		for range 20 {
			x, y, v := floats(r, n), floats(r, n), floats(r, n+3)
			dt := floats(r, 1)[0]
			gx, gy, wx, wy := slices.Clone(x), slices.Clone(y), slices.Clone(x), slices.Clone(y)
			move(gx, gy, v, v[3:], dt)
			moveScalar(wx, wy, v, v[3:], dt)
			for i := range x {
				if !same(gx[i], wx[i]) || !same(gy[i], wy[i]) {
					t.Fatalf("%v + %v*%v = %v, want %v", x[i], v[i], dt, gx[i], wx[i])
				}
			}
			a := make([]uint32, n)
			for i := range a {
				a[i] = ^uint32(0) - uint32(i%3)
			}
			b := slices.Clone(a)
			increment(a)
			incrementScalar(b)
			if !slices.Equal(a, b) {
				t.Fatalf("increment makes %v, want %v", a, b)
			}
			r2 := r.Float32() / 4
			if g, w := countNear(x, y, v[0], dt, r2), countNearScalar(x, y, v[0], dt, r2); g != w {
				t.Fatalf("%d of %d points are near, want %d", g, n, w)
			}
		}
	}
}

// wide is a particle as one struct of 48 bytes.
type wide struct {
	X, Y, VX, VY float32
	Age          uint32
	Particle
}

// moveStructs, ageStructs and nearStructs are the loops of Particles over structs.
func moveStructs(ps []wide, dt float32) {
	for i := range ps {
		p := &ps[i]
		p.X += float32(p.VX * dt)
		p.Y += float32(p.VY * dt)
	}
}

func ageStructs(ps []wide) {
	for i := range ps {
		ps[i].Age++
	}
}

func nearStructs(ps []wide, x, y, r2 float32) (n int) {
	for i := range ps {
		dx, dy := ps[i].X-x, ps[i].Y-y
		if float32(dx*dx)+float32(dy*dy) < r2 {
			n++
		}
	}
	return n
}

// lifetime is the number of frames that a particle of the frames below lives.
const lifetime = 100

// frameStructs plays a frame in which a hundredth of the particles die and as many are born.
func frameStructs(d *berth.Dense[wide]) {
	moveStructs(d.Slice(), .1)
	ageStructs(d.Slice())
	dead := d.RemoveFunc(func(_ berth.Handle[wide], p *wide) bool { return p.Age >= lifetime })
	for i := range dead {
		d.Insert(wide{X: float32(i), Y: 50, VX: 1, VY: -1})
	}
}

// frameColumns is frameStructs for columns.
func frameColumns(s *Particles) {
	s.Move(.1)
	s.Age()
	for i := range s.Expire(lifetime) {
		s.Add(Particle{}, float32(i), 50, 1, -1)
	}
}

// twice returns n particles of many ages, as structs and as columns.
func twice(n int) (*berth.Dense[wide], *Particles) {
	d, s := new(berth.Dense[wide]), NewParticles()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		p := wide{
			X: r.Float32() * 100, Y: r.Float32() * 100, VX: r.Float32() - .5, VY: r.Float32() - .5,
			Age: uint32(i) % lifetime, Particle: Particle{Kind: uint32(i)},
		}
		d.Insert(p)
		s.Add(p.Particle, p.X, p.Y, p.VX, p.VY)
	}
	for i, p := range d.Slice() {
		s.age.Slice()[i] = p.Age
	}
	return d, s
}

// wides returns the particles of s as structs.
func wides(s *Particles) (ps []wide) {
	for i, p := range s.rows.Slice() {
		ps = append(ps, wide{
			*s.x.PtrAt(i), *s.y.PtrAt(i), *s.vx.PtrAt(i), *s.vy.PtrAt(i), *s.age.PtrAt(i), p,
		})
	}
	return ps
}

// sum is a checksum of what the loops change.
func sum(ps []wide) (h uint64) {
	for i := range ps {
		for _, v := range []uint32{math.Float32bits(ps[i].X), math.Float32bits(ps[i].Y), ps[i].Age} {
			h = (h ^ uint64(v)) * 1099511628211
		}
	}
	return h
}

// A hundred steps give the same over structs and columns, on every machine and in every build.
func TestStepsAreAlike(t *testing.T) {
	const wantSum, wantNear = 0xd4603aa21ea52f3f, 122899
	d, s := twice(10_000)
	near := 0
	for range 100 {
		moveStructs(d.Slice(), .1)
		ageStructs(d.Slice())
		s.Move(.1)
		s.Age()
		n := s.Near(50, 50, 400)
		if near += n; n != nearStructs(d.Slice(), 50, 50, 400) {
			t.Fatalf("%d columns are near, and of structs %d", n, nearStructs(d.Slice(), 50, 50, 400))
		}
	}
	if a, b := sum(d.Slice()), sum(wides(s)); a != b || a != wantSum || near != wantNear {
		t.Errorf("checksums %#x and %#x, near %d, want %#x and %d", a, b, near, uint64(wantSum), wantNear)
	}
}

// The frames of structs and those of columns are the same, in the values and in their order.
func TestFramesAreAlike(t *testing.T) {
	d, s := twice(5000)
	for range 150 {
		frameStructs(d)
		frameColumns(s)
	}
	if d.Len() != 5000 || !slices.Equal(d.Slice(), wides(s)) {
		t.Errorf("%d structs, %d in columns, or others", d.Len(), s.rows.Len())
	}
}
