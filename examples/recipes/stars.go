package recipes

import "cmp"

//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Star

// Star is a value of Stars, which soagen writes.
type Star struct {
	X, Y   float32
	VX, VY float32
	Name   string
}

// Move moves all stars. It reads no name.
func (s *Stars) Move(dt float32) {
	c := s.Cols()
	x := c.X
	y, vx, vy := c.Y[:len(x)], c.VX[:len(x)], c.VY[:len(x)] // then the loop checks no bounds
	for i := range x {
		x[i] += vx[i] * dt
		y[i] += vy[i] * dt
	}
}

// Fade removes the stars that have left the sky, and sorts the others from left to right.
func (s *Stars) Fade(width float32) {
	c := s.Cols()
	s.RemoveFunc(func(i int) bool { return c.X[i] < 0 || c.X[i] > width })
	c = s.Cols() // a removal ends the slices
	s.Sort(func(i, k int) int { return cmp.Compare(c.X[i], c.X[k]) })
}
