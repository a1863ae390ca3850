package sim

func (w *World) moveShip(in Input) {
	s := &w.Ship
	s.Risen++
	if s.Dead > 0 {
		s.Dead++
		return
	}
	in = in.clean()
	if s.Risen == 1 { // a new level pushes enemies away
		w.blasts.Push(blast{at: s.Pos, radius: 190, damage: 12})
	}
	s.Hurt = max(0, s.Hurt-1)
	s.Charge = min(s.Charge+1, FullCharge)
	if w.Frame%60 == 0 {
		s.Health = min(s.Health+1, MaxHealth)
	}
	s.Vel = s.Vel.times(0.82).plus(in.Move.times(0.18 * shipSpeed))
	s.Pos = s.Pos.plus(s.Vel)
	if !s.Pos.finite() { // too far away for float32
		s.Pos, s.Vel = Vec{}, Vec{}
	}
	if aim := in.Aim.unit(); aim != (Vec{}) {
		s.Aim = aim
	}
	if s.Vel.length() > 1 {
		back := s.Vel.times(-0.3).plus(Direction(w.rng.IntN(256)).times(0.5))
		w.particle(s.Pos.minus(s.Vel.unit().times(8)), back, 3, 18, Smoke, HueShip)
	}
	w.fire(in.Fire)
	w.launch(in.Salvo)
}

// fire fires a fan to the front and, from some level on, rotating arms in all directions.
func (w *World) fire(wanted bool) {
	s := &w.Ship
	s.gun = max(0, s.gun-1)
	if !wanted || s.gun > 0 {
		return
	}
	s.gun = s.gunRest()
	right := Vec{-s.Aim.Y, s.Aim.X}
	for i := range s.fan() {
		aside := float32(2*i-s.fan()+1) / 2
		at := s.Pos.plus(s.Aim.times(12)).plus(right.times(4 * aside))
		w.bullet(at, s.Aim.plus(right.times(0.05*aside)).unit())
	}
	s.twist += 3
	for i := range s.arms() {
		out := Direction(int(s.twist + i*256/s.arms()))
		w.bullet(s.Pos.plus(out.times(16)), out)
	}
}

// launch launches missiles when they are due, each at another of the enemies nearby.
func (w *World) launch(all bool) {
	s := &w.Ship
	s.tube = max(0, s.tube-1)
	n := int32(0)
	if s.tube == 0 && w.Enemies.Len() > 0 {
		s.tube, n = s.tubeRest(), s.tubes()
	}
	if all && s.Charge == FullCharge {
		s.Charge, n = 0, n+salvo
		w.Jolt += 3
	}
	for i := range n {
		w.missile(s.Pos, Direction(int(s.twist+i*256/n)))
	}
}

// touchShip lets enemies that touch the ship damage it, which destroys them.
func (w *World) touchShip() {
	s := &w.Ship
	if s.Dead > 0 || s.Hurt > 0 {
		return
	}
	for e := range w.within(s.Pos, shipRadius+largest) {
		v := e.Value
		if v.Age < warp || !v.Pos.within(s.Pos, shipRadius+v.Kind.Radius()) {
			continue
		}
		w.hits.Push(hit{who: e.Handle, damage: 10, way: s.Pos.toward(v.Pos)})
		w.harm(table[v.Kind].damage)
		return // the ship is safe for some frames after a hit
	}
}

// harm takes health from the ship.
func (w *World) harm(damage int32) {
	s := &w.Ship
	s.Hurt = 24
	w.Jolt += 6
	w.burst(s.Pos, s.Vel, 16, HueShip)
	if w.config.Invincible {
		return
	}
	if s.Health -= damage; s.Health > 0 {
		return
	}
	s.Health, s.Dead = 0, 1
	w.Jolt += 14
	for i := range 3 {
		w.burst(s.Pos, s.Vel, 60, HueShip)
		w.particle(s.Pos, Vec{}, float32(120+80*i), int16(40+15*i), Ring, HueShip)
	}
}
