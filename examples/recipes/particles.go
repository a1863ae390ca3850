package recipes

import "github.com/seed505807e1/berth"

// Particle is what no loop over all particles reads.
type Particle struct {
	Kind         uint32
	Mass, Radius float32
	Tag          [16]byte
}

// Particles are particles whose places, speeds and ages lie in slices of their own.
type Particles struct {
	rows         berth.Dense[Particle]
	x, y, vx, vy *berth.DenseColumn[float32, Particle]
	age          *berth.DenseColumn[uint32, Particle]
	old          []berth.Handle[Particle] // memory of Expire
}

// NewParticles returns no particles.
func NewParticles() *Particles {
	s := new(Particles)
	s.x, s.y = berth.NewDenseColumn[float32](&s.rows), berth.NewDenseColumn[float32](&s.rows)
	s.vx, s.vy = berth.NewDenseColumn[float32](&s.rows), berth.NewDenseColumn[float32](&s.rows)
	s.age = berth.NewDenseColumn[uint32](&s.rows)
	return s
}

// Add adds a particle of age 0.
func (s *Particles) Add(p Particle, x, y, vx, vy float32) berth.Handle[Particle] {
	h := s.rows.Insert(p)
	i := s.rows.PlaceOf(h) // one lookup for all columns
	*s.x.PtrAt(i), *s.y.PtrAt(i) = x, y
	*s.vx.PtrAt(i), *s.vy.PtrAt(i) = vx, vy
	return h
}

// Move moves all particles by their speeds.
func (s *Particles) Move(dt float32) {
	move(s.x.Slice(), s.y.Slice(), s.vx.Slice(), s.vy.Slice(), dt)
}

// Age adds 1 to the age of each particle.
func (s *Particles) Age() { increment(s.age.Slice()) }

// Near counts the particles that are nearer to a place than the square root of r2.
func (s *Particles) Near(x, y, r2 float32) int {
	return countNear(s.x.Slice(), s.y.Slice(), x, y, r2)
}

// Expire removes the particles whose age is limit or more, and returns their number.
func (s *Particles) Expire(limit uint32) int {
	s.old = s.old[:0]
	for i, age := range s.age.Slice() {
		if age >= limit {
			h, _ := s.rows.At(i)
			s.old = append(s.old, h)
		}
	}
	for _, h := range s.old { // after the loop, since a removal ends the slice
		s.rows.Delete(h)
	}
	return len(s.old)
}

// moveScalar adds vx times dt to x, and vy times dt to y. The conversions keep Go from fusing the
// product with the sum, as the vector instructions do not.
func moveScalar(x, y, vx, vy []float32, dt float32) {
	y, vx, vy = y[:len(x)], vx[:len(x)], vy[:len(x)] // then the loop checks no bounds
	for i := range x {
		x[i] += float32(vx[i] * dt)
		y[i] += float32(vy[i] * dt)
	}
}

// incrementScalar adds 1 to each element.
func incrementScalar(a []uint32) {
	for i := range a {
		a[i]++
	}
}

// countNearScalar counts the points nearer to a place than the square root of r2.
func countNearScalar(xs, ys []float32, x, y, r2 float32) (n int) {
	ys = ys[:len(xs)]
	for i := range xs {
		dx, dy := xs[i]-x, ys[i]-y
		if float32(dx*dx)+float32(dy*dy) < r2 {
			n++
		}
	}
	return n
}
