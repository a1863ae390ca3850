// Package plain has a struct of numbers.
package plain

//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Particle

// Particle has fields of both kinds.
type Particle struct {
	X, Y float32 // two columns
	Name string
	age  int
}

// Speed is a method of the struct, which may have the name of a generated one.
func (p Particle) Len() int { return p.age }

// Move is a method that the package adds to the container.
func (s *Particles) Move(dx float32) {
	c := s.Cols()
	for i := range c.X {
		c.X[i] += dx
		c.age[i]++
	}
	s.rows.Defrag()
}
