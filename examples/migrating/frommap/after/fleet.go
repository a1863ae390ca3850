// Package after has a fleet of ships in a Pool.
package after

import "github.com/seed505807e1/berth"

// Ship is a ship of a Fleet.
type Ship struct {
	Hull, X, Speed int
}

// Fleet is a Pool. The zero Fleet is empty.
type Fleet struct {
	ships berth.Pool[Ship]
}

// Launch adds a ship, and returns its handle.
func (f *Fleet) Launch(s Ship) berth.Handle[Ship] { return f.ships.Insert(s) }

// Hit damages a ship, and reports whether it is there.
func (f *Fleet) Hit(h berth.Handle[Ship], damage int) bool {
	s := f.ships.Ptr(h)
	if s == nil {
		return false
	}
	s.Hull -= damage
	return true
}

// Step moves all ships, removes those without a hull, and returns their number.
func (f *Fleet) Step() (sunk int) {
	for h, s := range f.ships.All() {
		s.X += s.Speed
		if s.Hull <= 0 {
			f.ships.Delete(h)
			sunk++
		}
	}
	return sunk
}

// Sum returns the sum of all positions.
func (f *Fleet) Sum() (sum int) {
	for s := range f.ships.Values() {
		sum += s.X
	}
	return sum
}
