package world

// The rules of the world, in heights of the field and steps.
const (
	burst    = 10_000 // particles
	survival = 10     // an OpKill spares one thing in this number
	few      = 25     // the number of things that OpCull spares

	fleet      = 5  // ships
	returns    = 10 // steps until the next one comes, while some are missing
	crowd      = 80 // enemies at the beginning
	fullCrowd  = 120
	arrivals   = 240 // the chance of a new enemy is the number missing of fullCrowd, in this number
	reload     = 9   // steps between two missiles of a ship
	fuel       = 500 // the maximum of steps that a missile flies
	flashSteps = 24

	leastHealth, mostHealth = 12, 31 // of an enemy; Look has five bits for it
	leastDamage, mostDamage = 5, 8   // of a hit
	leastBlast, mostBlast   = 60, 150
	sparks                  = 6 // of a hit, and of a missile that fizzles out

	shipSpeed, shipForce       = 0.0034, 0.00005
	enemySpeed, enemyForce     = 0.0012, 0.00001
	missileSpeed, missileForce = 0.0085, 0.0006
	hitDistance                = 0.014

	shipLeg, enemyLeg = 8, 9 // logarithms of the number of steps towards a point

	drag = 0.975 // the part of a particle's speed that is left after a step

	shipWeight, missileWeight = 8, 1 // shares of the particles of a step
	mostDebt                  = 10   // steps
)

// spot holds the data of a thing other than a particle that the rest of the step needs.
type spot struct {
	h, id        uint64
	x, y, vx, vy float32
}

// stage is the state of a container's turn at a step: the input of the rules, and their results.
// The containers use it in turn, and its slices are reused.
type stage struct {
	seed        uint32
	spawn, life int
	step        uint32
	wind        *flow
	dice        dice // of this step, for things
	limit       uint64

	*tally                           // of the container
	ships, enemies, missiles []spot  // in the container's order, which must not matter
	wishes                   []wish  // planned births
	born                     []Thing // by order of birth
	lost                     loss
}

// tally holds a container's state besides its things.
type tally struct {
	counts Counts
	next   uint64 // id of the next thing
	debt   int    // particles to subtract from those of later steps
}

// loss is the missile with the highest id whose target was gone in a step, if any.
type loss struct {
	step            uint32
	missile, target uint64
	fate            string // of the slot of the target, if the container exposes it
	turned          uint64 // id of its new target; 0: none
}

// verdict is the result of the rules for a thing in the first pass.
type verdict uint8

const (
	stays verdict = iota
	gone          // it must be removed
	noted         // note must be called with its handle
)

func (s *stage) begin(t *tally) {
	s.tally = t
	s.dice = newDice(s.seed, saltThing, uint64(s.step))
	s.ships, s.enemies, s.missiles = s.ships[:0], s.enemies[:0], s.missiles[:0]
	s.wishes = s.wishes[:0]
	s.lost = loss{}
}

// move applies the first pass to a thing. It moves all but missiles.
func (s *stage) move(t *Thing) verdict {
	if t.kind != particle {
		return s.cruise(t)
	}
	t.age++
	if t.age >= t.life {
		s.counts.Particles--
		return gone
	}
	x, y := float32(t.X*flowCols), float32(t.Y*flowRows)
	col, row := int32(x), int32(y)
	w := &s.wind[row&(flowRows-1)][col&(flowCols-1)]
	t.vx = float32(t.vx*drag) + w.x + float32(w.dx*(x-float32(col)))
	t.vy = float32(t.vy*drag) + w.y + float32(w.dy*(y-float32(row)))
	t.X += float32(t.vx * perWide)
	t.Y += t.vy
	if !(t.X >= 0 && t.X < 1 && t.Y >= 0 && t.Y < 1) {
		t.bounce()
	}
	return stays
}

// bounce keeps a thing in the field, whose border takes half of its speed.
func (t *Thing) bounce() {
	t.X, t.vx = bounced(t.X, t.vx)
	t.Y, t.vy = bounced(t.Y, t.vy)
}

func bounced(at, v float32) (float32, float32) {
	const belowOne = 1 - 1.0/(1<<24)
	switch {
	case at < 0:
		at, v = -at, v/-2
	case at >= 1:
		at, v = 2-at, v/-2
	}
	return min(max(at, 0), belowOne), v
}

// cruise is move for things other than particles.
func (s *stage) cruise(t *Thing) verdict {
	switch t.kind {
	case ship:
		x, y := s.point(t.id, shipLeg)
		t.seek(x, y, shipSpeed, shipForce)
		t.keep(shipSpeed)
		t.advance()
	case enemy:
		x, y := s.point(t.id, enemyLeg)
		t.seek(x, y, enemySpeed, enemyForce)
		t.keep(enemySpeed)
		t.advance()
	}
	return noted
}

// point returns the current destination of the thing with this id. Each thing changes its
// destination at another step.
func (s *stage) point(id uint64, leg int) (x, y float32) {
	d := newDice(s.seed, saltLeg, (uint64(s.step)+id*golden>>32)>>leg).of(id)
	return 0.1 + float32(d.unit()*0.8), 0.12 + float32(d.unit()*0.76)
}

// seek turns t towards a point, with at most the given force.
func (t *Thing) seek(x, y, speed, force float32) {
	dx, dy := between(t.X, t.Y, x, y)
	far := length(dx, dy)
	if far < 1e-3 {
		return
	}
	ax, ay := float32(dx*(speed/far))-t.vx, float32(dy*(speed/far))-t.vy
	if a := length(ax, ay); a > force {
		ax, ay = float32(ax*(force/a)), float32(ay*(force/a))
	}
	t.vx += ax
	t.vy += ay
}

// keep sets the speed, so that a thing turns in a curve.
func (t *Thing) keep(speed float32) {
	if v := length(t.vx, t.vy); v > 0 {
		t.vx, t.vy = float32(t.vx*(speed/v)), float32(t.vy*(speed/v))
	}
}

// advance moves t by its speed.
func (t *Thing) advance() {
	t.X += float32(t.vx * perWide)
	t.Y += t.vy
	if !(t.X >= 0 && t.X < 1 && t.Y >= 0 && t.Y < 1) {
		t.bounce()
	}
}

// note keeps the data of t that the rest of the step needs; h is its handle.
func (s *stage) note(t *Thing, h uint64) {
	n := spot{h: h, id: t.id, x: t.X, y: t.Y, vx: t.vx, vy: t.vy}
	switch t.kind {
	case ship:
		s.ships = append(s.ships, n)
	case enemy:
		s.enemies = append(s.enemies, n)
	case missile:
		s.missiles = append(s.missiles, n)
	}
}

// home applies a step to the missile t, whose target is e, or nil if the lookup found nothing. It
// reports whether t survives. Targets have moved already, and a hit only reduces their health, so
// the order of the missiles does not matter.
func (s *stage) home(t, e *Thing) bool {
	t.age++
	t.flash -= min(t.flash, 1)
	var x, y float32
	if e != nil {
		x, y = e.X, e.Y
	} else {
		near := s.turn(t)
		if near == nil {
			return s.spent(t)
		}
		x, y = near.x, near.y
	}
	if t.age >= t.life {
		return s.spent(t)
	}
	t.seek(x, y, missileSpeed, missileForce)
	t.advance()
	if e != nil && length(between(t.X, t.Y, x, y)) < hitDistance {
		d := s.dice.of(t.id)
		e.health -= int16(leastDamage + d.below(mostDamage-leastDamage+1))
		s.counts.Hits++
		return s.spent(t)
	}
	s.wishes = append(s.wishes, wish{what: trail, n: missileWeight, from: spotOf(t)})
	return true
}

// turn gives t, whose target is gone, the nearest enemy as a target, and returns it, or nil if
// there is none.
func (s *stage) turn(t *Thing) (near *spot) {
	s.counts.Lost++
	near = s.nearest(t.X, t.Y)
	if t.id > s.lost.missile {
		s.lost = loss{step: s.step, missile: t.id, target: t.target}
		if near != nil {
			s.lost.turned = near.id
		}
	}
	if near != nil {
		s.counts.Turned++
		t.target, t.flash = near.h, flashSteps
	}
	return near
}

// spent ends a missile, and returns false.
func (s *stage) spent(t *Thing) bool {
	s.counts.Missiles--
	s.wishes = append(s.wishes, wish{what: spark, n: sparks, from: spotOf(t)})
	return false
}

// dead reports whether the enemy t must be removed, after all missiles have moved.
func (s *stage) dead(t *Thing) bool {
	if t.health > 0 {
		return false
	}
	s.counts.Kills++
	s.counts.Enemies--
	d := s.dice.of(t.id)
	n := leastBlast + d.below(mostBlast-leastBlast+1)
	s.wishes = append(s.wishes, wish{what: blast, n: n, from: spotOf(t)})
	return true
}

// nearest returns the enemy nearest to a point, and of several the first born, or nil if there is
// none.
func (s *stage) nearest(x, y float32) (near *spot) {
	var least float32
	for i := range s.enemies {
		e := &s.enemies[i]
		dx, dy := between(x, y, e.x, e.y)
		far := float32(dx*dx) + float32(dy*dy)
		if near == nil || far < least || far == least && e.id < near.id {
			near, least = e, far
		}
	}
	return near
}

// anyEnemy returns a random enemy, or nil if there is none.
func (s *stage) anyEnemy(d dice) (one *spot) {
	var least uint64
	for i := range s.enemies {
		e := &s.enemies[i]
		of := d.of(e.id)
		if r := of.next(); one == nil || r < least {
			one, least = e, r
		}
	}
	return one
}

// fire lets the ships fire and burn their engines. Every other missile targets the nearest enemy,
// so that many lose their target to another missile.
func (s *stage) fire() {
	for i := range s.ships {
		p := &s.ships[i]
		s.wishes = append(s.wishes, wish{what: trail, n: shipWeight, from: *p})
		if (uint64(s.step)+p.id*5)%reload != 0 {
			continue
		}
		d := s.dice.of(p.id)
		target := s.nearest(p.x, p.y)
		if d.below(2) == 0 {
			target = s.anyEnemy(d)
		}
		if target != nil {
			s.wishes = append(s.wishes, wish{what: shot, n: 1, from: *p, target: target.h})
		}
	}
}

// rank orders things at random, without ties. An event spares those up to a limit.
func (s *stage) rank(t *Thing) uint64 { return uint64(s.dice.of(t.id)) }

// doomed reports whether an event removes t.
func (s *stage) doomed(t *Thing) bool {
	if s.rank(t) <= s.limit {
		return false
	}
	s.counts.add(t.kind, -1)
	return true
}
