package sim

// settle handles the blasts of the frame, which add hits, and then the hits in their order.
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

// hurt applies a hit. Several hits of a frame may be on the same enemy. After the one that destroys
// it, its handle finds nothing. Later hits affect neither the destroyed enemy nor a drone that has
// got its slot, so the code needs no mark for dead enemies and no search in lists.
func (w *World) hurt(h hit) {
	e := edit(w.Enemies, w.past.enemies, h.who)
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
	dead, _ := w.Enemies.Remove(h.who) // ends e
	w.bury(&dead, h.way)
}

// bury makes the remains of a destroyed enemy.
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
	for i := range int(k.parts) { // the first one gets the slot of the destroyed enemy
		out := Direction(i*256/int(k.parts) + int(e.Serial))
		h := w.enemy(Drone, e.Pos.plus(out.times(10)))
		part := edit(w.Enemies, w.past.enemies, h)
		if part != nil {
			part.Vel, part.Age = out.times(3), warp
		}
	}
}
