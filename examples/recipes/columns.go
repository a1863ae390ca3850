package recipes

import "github.com/seed505807e1/berth"

// Rock is a value of a World.
type Rock struct{ speed float32 }

// World holds rocks, and what only some of them have.
type World struct {
	rocks   berth.Pool[Rock]
	weights *berth.Column[Rock, float32]
	held    *berth.Column[Rock, struct{}]
}

// NewWorld returns an empty World.
func NewWorld() *World {
	w := new(World)
	w.weights = berth.NewColumn[float32](&w.rocks)
	w.held = berth.NewColumn[struct{}](&w.rocks)
	return w
}

// Fall accelerates the rocks that have a weight, and that nobody holds.
func (w *World) Fall(dt float32) {
	for h, weight := range berth.Without(w.weights, w.held) {
		w.rocks.Ptr(h).speed += *weight * dt
	}
}

// Particle is what a particle has beside its place and speed.
type Particle struct {
	Name  string
	Color uint32
}

// Particles are particles whose place and speed lie in slices of their own.
type Particles struct {
	rows       berth.Dense[Particle]
	pos, speed *berth.DenseColumn[Particle, float32]
}

// NewParticles returns no particles.
func NewParticles() *Particles {
	s := new(Particles)
	s.pos = berth.NewDenseColumn[float32](&s.rows)
	s.speed = berth.NewDenseColumn[float32](&s.rows)
	return s
}

// Add adds a particle.
func (s *Particles) Add(p Particle, pos, speed float32) berth.Handle[Particle] {
	h := s.rows.Insert(p)
	*s.pos.Ptr(h), *s.speed.Ptr(h) = pos, speed
	return h
}

// Move moves all particles. It reads no color and no name.
func (s *Particles) Move(dt float32) {
	speed := s.speed.Slice()
	pos := s.pos.Slice()[:len(speed)] // the compiler then needs no bounds check
	for i, v := range speed {
		pos[i] += v * dt
	}
}
