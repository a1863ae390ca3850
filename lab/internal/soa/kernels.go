package soa

// The loops of a simulation, over structs and over columns. Products are converted to float32
// before they are added, so that no compiler fuses the two operations and all versions compute the
// same.

// MoveStructs moves the particles by their velocities.
func MoveStructs(ps []Particle, dt float32) {
	for i := range ps {
		p := &ps[i]
		p.X += float32(p.VX * dt)
		p.Y += float32(p.VY * dt)
	}
}

// AgeStructs adds 1 to the age of each particle.
func AgeStructs(ps []Particle) {
	for i := range ps {
		ps[i].Age++
	}
}

// NearStructs returns the number of particles that are nearer to a place than the square root of
// r2.
func NearStructs(ps []Particle, x, y, r2 float32) (n int) {
	for i := range ps {
		dx, dy := ps[i].X-x, ps[i].Y-y
		if float32(dx*dx)+float32(dy*dy) < r2 {
			n++
		}
	}
	return n
}

// Move is MoveStructs for columns.
func Move(c *ParticleCols, dt float32) { move(c.X, c.Y, c.VX, c.VY, dt) }

// Age is AgeStructs for columns.
func Age(c *ParticleCols) { increment(c.Age) }

// Near is NearStructs for columns.
func Near(c *ParticleCols, x, y, r2 float32) int { return countNear(c.X, c.Y, x, y, r2) }

// moveScalar adds vx times dt to x, and vy times dt to y.
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
