package sim

// blast harms all who are near.
type blast struct {
	at     Vec
	radius float32
	damage int32
}

// settle deals with what has been written down in the frame: first blasts, which are further hits,
// and then hits, in their order.
func (w *World) settle() {
	for _, b := range w.blasts.Slice() {
		w.particle(b.at, Vec{}, b.radius, 14, Ring, HueFire)
		w.burst(b.at, Vec{}, 6, HueFire)
		for e := range w.within(b.at, b.radius) {
			w.hits.Push(hit{who: e.Handle, damage: b.damage, way: b.at.toward(e.Value.Pos)})
		}
	}
	for _, h := range w.hits.Slice() {
		w.hurt(h)
	}
}

// hurt takes health of who was hit. Several hits of a frame may be for the same enemy. After the
// one that kills it, its handle finds nothing, and neither the dead nor a drone that has come into
// its slot is hit by the others: nothing has to be marked as dead, and no list be searched.
func (w *World) hurt(h hit) {
	e := w.Enemies.Ptr(h.who)
	if e == nil {
		w.Stats.Late++
		return
	}
	e.Health -= h.damage
	e.Flash = 5
	e.Vel = e.Vel.plus(h.way.times(1.6 / e.Kind.Radius() * 3))
	if e.Health > 0 {
		return
	}
	dead, _ := w.Enemies.Remove(h.who) // e is not good any more
	w.bury(&dead, h.way)
}

// bury leaves what a dead enemy leaves.
func (w *World) bury(e *Enemy, way Vec) {
	k := &table[e.Kind]
	w.Stats.Killed++
	w.Stats.Score += int(k.points)
	w.burst(e.Pos, e.Vel.plus(way), 12, Hue(e.Kind))
	w.particle(e.Pos, Vec{}, 3*k.radius, 16, Ring, Hue(e.Kind))
	w.gem(e)
	if k.parts == 0 {
		return
	}
	w.Jolt += 1.5
	for i := range int(k.parts) { // the first of them gets the slot of the dead
		out := Direction(i*256/int(k.parts) + int(e.Serial))
		part := w.Enemies.Ptr(w.enemy(Drone, e.Pos.plus(out.times(10))))
		if part != nil {
			part.Vel, part.Age = out.times(3), warp
		}
	}
}
