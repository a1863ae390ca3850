package sim

import "github.com/seed505807e1/berth"

const (
	missileFuel  = 420
	missileSpeed = 5.2
	boost        = 22 // frames in which a missile flies straight on from the ship
	looking      = 16 // frames that a missile circles before it takes another target
	choice       = 6  // number of nearest enemies to choose from
)

// The most that a missile turns in a frame, in 256ths of a turn.
var (
	turnChase = Direction(4)
	turnLook  = Direction(7)
)

func (w *World) missile(at, heading Vec) {
	m := Missile{Pos: at, Heading: heading, Fuel: missileFuel, spin: 1}
	w.aim(&m, w.choose(at.plus(heading.times(220))))
	if w.Missiles.Len()%2 == 1 {
		m.spin = -1
	}
	put(w, w.Missiles, m)
}

// moveMissiles looks up the target of each missile by handle. The handle finds the enemy that the
// missile has chosen, or nothing. Mostly another enemy has the slot of a destroyed target, because
// inserts take the lowest vacant slot. The missile never turns on that enemy; it looks for another
// target.
func (w *World) moveMissiles() {
	changing(w.past.missiles)
	for h, m := range w.Missiles.All() {
		target := w.Enemies.Ptr(m.Target)
		if target == nil && !m.Target.IsZero() {
			w.lose(m)
		}
		switch {
		case m.Fuel <= 0:
			w.puff(m)
			w.Missiles.Remove(h)
		case target == nil:
			w.look(m)
		case w.chase(m, target):
			w.Missiles.Remove(h)
		}
	}
}

// lose handles a missile whose target is gone. It also counts the missiles whose target's slot has
// another enemy, which a missile with a slot number would follow.
func (w *World) lose(m *Missile) {
	w.Stats.Lost++
	if _, other := w.Enemies.At(int(m.slot)); other != nil {
		w.Stats.Taken++
	}
	m.Target = berth.Handle[Enemy]{}
	m.Looking, m.Locked = 0, 0
}

// aim gives a missile its target, which may be none.
func (w *World) aim(m *Missile, target berth.Handle[Enemy]) {
	m.Target, m.slot = target, int32(w.Enemies.IndexOf(target))
}

// look lets a missile without a target circle for a while and then choose one.
func (w *World) look(m *Missile) {
	m.Looking++
	side := turnLook
	side.Y = float32(side.Y * m.spin)
	m.Heading = m.Heading.turn(side).unit()
	w.glide(m, 0.6*missileSpeed, HueSeek)
	if m.Looking < looking {
		return
	}
	w.aim(m, w.choose(m.Pos.plus(m.Heading.times(60))))
	if !m.Target.IsZero() {
		m.Looking, m.Locked = 0, 0
		m.spin = -m.spin
	}
}

// chase flies towards the target and reports whether the missile has reached it.
func (w *World) chase(m *Missile, target *Enemy) bool {
	m.Locked++
	if missileFuel-m.Fuel > boost {
		m.Heading = m.Heading.steer(m.Pos.toward(target.Pos), turnChase)
	}
	w.glide(m, missileSpeed, HueFire)
	if !m.Pos.within(target.Pos, target.Kind.Radius()+missileSpeed) {
		return false
	}
	if w.onStrike != nil {
		w.onStrike(m, target)
	}
	w.hits.Push(hit{who: m.Target, damage: 4, way: m.Heading})
	w.blasts.Push(blast{at: m.Pos, radius: 30, damage: 1})
	return true
}

// glide moves a missile, which leaves smoke.
func (w *World) glide(m *Missile, speed float32, hue Hue) {
	m.Fuel--
	m.Pos = m.Pos.plus(m.Heading.times(speed))
	w.particle(m.Pos.minus(m.Heading.times(5)), m.Heading.times(-0.6), 2.6, 26, Smoke, hue)
}

func (w *World) puff(m *Missile) { w.burst(m.Pos, m.Heading, 5, HueSeek) }

// choose returns the handle of a random one of the enemies nearest to a place, so that missiles
// choose different ones. It returns the zero Handle if there are none.
func (w *World) choose(at Vec) (h berth.Handle[Enemy]) {
	skip := w.rng.IntN(choice)
	for e := range w.grid.NearestK(float64(at.X), float64(at.Y), choice) {
		h = e.Handle
		if skip == 0 {
			break
		}
		skip--
	}
	return h
}
