// Package before has a fleet of ships in a map of pointers.
package before

// Ship is a ship of a Fleet.
type Ship struct {
	Hull, X, Speed int
}

// Fleet is a map of pointers whose keys are counted.
type Fleet struct {
	ships map[uint64]*Ship
	last  uint64
}

// NewFleet returns an empty fleet.
func NewFleet() *Fleet { return &Fleet{ships: map[uint64]*Ship{}} }

// Launch adds a ship, and returns its key.
func (f *Fleet) Launch(s Ship) uint64 {
	f.last++
	f.ships[f.last] = &s
	return f.last
}

// Hit damages a ship, and reports whether it is there.
func (f *Fleet) Hit(key uint64, damage int) bool {
	s := f.ships[key]
	if s == nil {
		return false
	}
	s.Hull -= damage
	return true
}

// Step moves all ships, removes those without a hull, and returns their number.
func (f *Fleet) Step() (sunk int) {
	for key, s := range f.ships {
		s.X += s.Speed
		if s.Hull <= 0 {
			delete(f.ships, key)
			sunk++
		}
	}
	return sunk
}

// Sum returns the sum of all positions.
func (f *Fleet) Sum() (sum int) {
	for _, s := range f.ships {
		sum += s.X
	}
	return sum
}
