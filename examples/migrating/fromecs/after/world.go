// Package after has a world of units in a Pool.
package after

import "github.com/seed505807e1/berth"

// Position is the place of a unit.
type Position struct{ X, Y int }

// Velocity is the change of a unit's position in a step.
type Velocity struct{ X, Y int }

// Health is how much damage a unit can take.
type Health struct{ Left int }

// Cargo is the rest of a unit.
type Cargo struct{ Tons [11]int }

// Unit is one value with all of it.
type Unit struct {
	Position
	Velocity Velocity
	Health   Health
	Cargo    Cargo
}

// World has a Pool of units.
type World struct {
	units berth.Pool[Unit]
}

// Add adds a unit.
func (w *World) Add(p Position, v Velocity, h Health) berth.Handle[Unit] {
	handle, u := w.units.New()
	u.Position, u.Velocity, u.Health = p, v, h
	return handle
}

// Hit damages a unit, and reports whether it is there.
func (w *World) Hit(h berth.Handle[Unit], damage int) bool {
	u := w.units.Ptr(h)
	if u == nil {
		return false
	}
	u.Health.Left -= damage
	return true
}

// Step moves all units, removes the dead, and returns their number.
func (w *World) Step() (died int) {
	for h, u := range w.units.All() {
		u.X += u.Velocity.X
		u.Y += u.Velocity.Y
		if u.Health.Left <= 0 {
			w.units.Delete(h)
			died++
		}
	}
	return died
}

// Sum reads one field of each unit.
func (w *World) Sum() (sum int) {
	for u := range w.units.Values() {
		sum += u.X + u.Y
	}
	return sum
}
