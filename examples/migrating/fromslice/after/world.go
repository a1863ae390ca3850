// Package after has ships and missiles that have handles of their targets.
package after

import (
	"slices"

	"github.com/seed505807e1/berth"
)

// Ship is a ship.
type Ship struct {
	Hull int
}

// Missile is a missile on its way to a ship.
type Missile struct {
	Target  berth.Handle[Ship]
	Arrives int
}

// World has a Pool of ships. Missiles stay in a slice: nothing refers to a missile.
type World struct {
	ships    berth.Pool[Ship]
	missiles []Missile
	now      int
}

// Launch adds a ship.
func (w *World) Launch(hull int) berth.Handle[Ship] { return w.ships.Insert(Ship{Hull: hull}) }

// Fire adds a missile that needs n steps to its target.
func (w *World) Fire(target berth.Handle[Ship], n int) {
	w.missiles = append(w.missiles, Missile{target, w.now + n})
}

// Step moves the missiles, and returns the number of hits. A missile whose target is gone is lost.
func (w *World) Step() (hits int) {
	w.now++
	w.missiles = slices.DeleteFunc(w.missiles, func(m Missile) bool {
		target := w.ships.Ptr(m.Target)
		if target == nil {
			return true
		}
		if m.Arrives > w.now {
			return false
		}
		target.Hull--
		hits++
		return true
	})
	w.ships.RemoveFunc(func(_ berth.Handle[Ship], s *Ship) bool { return s.Hull <= 0 })
	return hits
}

// Hulls returns the sum of the hulls of all ships.
func (w *World) Hulls() (sum int) {
	for s := range w.ships.Values() {
		sum += s.Hull
	}
	return sum
}
