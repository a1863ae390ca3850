package sim

// Pilot returns the input of a simple automatic player. It uses only what a player sees, and
// changes nothing.
func (w *World) Pilot() Input {
	s := &w.Ship
	if s.Dead > 0 {
		return Input{Restart: s.Dead > 180}
	}
	in := Input{Fire: true, Move: w.course()}
	in.Salvo = w.danger(s.Pos, 150) > 4
	in.Aim = w.Threat()
	return in
}

// Threat returns the position of the nearest enemy relative to the ship, or zero if there is none.
func (w *World) Threat() Vec {
	at := w.Ship.Pos
	e, ok := w.grid.Nearest(float64(at.X), float64(at.Y))
	if !ok {
		return Vec{}
	}
	return e.Value.Pos.minus(at)
}

// course returns the best of sixteen directions and of staying.
func (w *World) course() (best Vec) {
	s := &w.Ship
	least := w.danger(s.Pos, 110)
	lure := w.lure.unit()
	for i := range 16 {
		way := Direction(16 * i)
		to := s.Pos.plus(way.times(70))
		d := w.danger(to, 110) - float32(0.5*way.dot(lure)) - float32(0.1*way.dot(s.Vel))
		if d < least {
			least, best = d, way
		}
	}
	return best
}

// danger returns a weighted number of enemies near a place. Very near ones count more.
func (w *World) danger(at Vec, radius float32) (sum float32) {
	for e := range w.within(at, radius) {
		far := e.Value.Pos.minus(at).length()
		near := 1 - far/radius
		sum += float32(near*near) * float32(table[e.Value.Kind].damage) / 6
	}
	return sum
}
