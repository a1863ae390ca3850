// Package before has ships and missiles that point to their targets.
package before

import "slices"

// Ship is a ship. Missiles may point to it when it is no longer in the world.
type Ship struct {
	Hull int
	Sunk bool
}

// Missile is a missile on its way to a ship.
type Missile struct {
	Target  *Ship
	Arrives int
}

// World has a slice of pointers.
type World struct {
	ships    []*Ship
	missiles []Missile
	now      int
}

// Launch adds a ship.
func (w *World) Launch(hull int) *Ship {
	s := &Ship{Hull: hull}
	w.ships = append(w.ships, s)
	return s
}

// Fire adds a missile that needs n steps to its target.
func (w *World) Fire(target *Ship, n int) {
	w.missiles = append(w.missiles, Missile{target, w.now + n})
}

// Step moves the missiles, and returns the number of hits. A missile whose target is gone is lost.
func (w *World) Step() (hits int) {
	w.now++
	w.missiles = slices.DeleteFunc(w.missiles, func(m Missile) bool {
		if m.Target.Sunk {
			return true
		}
		if m.Arrives > w.now {
			return false
		}
		m.Target.Hull--
		hits++
		return true
	})
	w.ships = slices.DeleteFunc(w.ships, func(s *Ship) bool {
		s.Sunk = s.Hull <= 0
		return s.Sunk
	})
	return hits
}

// Hulls returns the sum of the hulls of all ships.
func (w *World) Hulls() (sum int) {
	for _, s := range w.ships {
		sum += s.Hull
	}
	return sum
}
