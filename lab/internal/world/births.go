package world

import (
	"cmp"
	"math"
	"slices"
)

// wish is a planned birth of a parent. The wishes of a step are sorted by parent and kind before
// they are executed, so that their order does not matter.
type wish struct {
	what   wishKind
	n      int // number of things; for a trail, its share of the particles of a step
	from   spot
	target uint64 // for a shot
}

type wishKind uint8

const (
	comesShip wishKind = iota // these belong to the world, which is parent 0
	comesEnemy
	bang
	trail // of a flying thing
	shot
	spark
	blast // of an enemy
)

func spotOf(t *Thing) spot { return spot{id: t.id, x: t.X, y: t.Y, vx: t.vx, vy: t.vy} }

// arrive makes the wishes of the world itself.
func (s *stage) arrive() {
	d := newDice(s.seed, saltWorld, uint64(s.step))
	if len(s.ships) < fleet && s.step%returns == 0 {
		s.wishes = append(s.wishes, wish{what: comesShip, n: 1})
	}
	if d.below(arrivals) < fullCrowd-len(s.enemies) {
		s.wishes = append(s.wishes, wish{what: comesEnemy, n: 1})
	}
}

// people makes the wishes for step 0.
func (s *stage) people() {
	s.wishes = append(s.wishes,
		wish{what: comesShip, n: fleet}, wish{what: comesEnemy, n: crowd})
}

// bear executes the wishes in order and returns the new things, at most room, which the container
// must insert.
func (s *stage) bear(room int) []Thing {
	slices.SortFunc(s.wishes, func(a, b wish) int {
		return cmp.Or(cmp.Compare(a.from.id, b.from.id), cmp.Compare(a.what, b.what))
	})
	s.share()
	s.born = s.born[:0]
	for i := range s.wishes {
		w := &s.wishes[i]
		for range min(w.n, room-len(s.born)) {
			s.born = append(s.born, s.make(w))
		}
	}
	return s.born
}

// share divides the new particles among the trails, if anything flies: spawn in all, less those of
// sparks and blasts, now or in earlier steps. A random number decides where the remainder begins.
func (s *stage) share() {
	all := 0
	for i := range s.wishes {
		switch w := &s.wishes[i]; w.what {
		case trail:
			all += w.n
		case spark, blast:
			s.debt += w.n
		}
	}
	s.debt = min(s.debt, mostDebt*s.spawn)
	if all == 0 {
		return
	}
	pays := min(s.debt, s.spawn/2)
	s.debt -= pays
	d := newDice(s.seed, saltWorld, uint64(s.step)).of(1)
	sum := d.below(all)
	for i := range s.wishes {
		if w := &s.wishes[i]; w.what == trail {
			was := sum
			sum += (s.spawn - pays) * w.n
			w.n = sum/all - was/all
		}
	}
}

func (s *stage) make(w *wish) Thing {
	t := Thing{
		id: s.next, X: w.from.x, Y: w.from.y, vx: w.from.vx, vy: w.from.vy, target: w.target,
	}
	s.next++
	d := s.dice.of(t.id)
	switch w.what {
	case comesShip:
		t.kind = ship
		s.place(&t, &d)
	case comesEnemy:
		t.kind = enemy
		t.health = int16(leastHealth + d.below(mostHealth-leastHealth+1))
		s.place(&t, &d)
	case shot:
		t.kind, t.life = missile, fuel
	default:
		t.life = uint16(s.life/2 + d.below(s.life+1))
		t.fly(w.what, &d)
	}
	s.counts.add(t.kind, 1)
	return t
}

// place puts t anywhere at the beginning, and later at a border.
func (s *stage) place(t *Thing, d *dice) {
	t.X, t.Y = d.unit(), d.unit()
	if s.step == 0 {
		return
	}
	switch d.below(4) {
	case 0:
		t.X = 0
	case 1:
		t.X = 1
	case 2:
		t.Y = 0
	default:
		t.Y = 1
	}
	t.bounce()
}

// fly gives a new particle its speed, and a position near its parent's.
func (t *Thing) fly(what wishKind, d *dice) {
	way, u := d.way(), d.unit()
	var keep, force float32 // parts of the parent's speed, and of a random direction
	switch what {
	case trail:
		keep, force = -0.4, 0.0015
		back := d.unit()
		t.X -= float32(float32(t.vx*back) * perWide)
		t.Y -= float32(t.vy * back)
	case spark:
		keep, force = 0.3, 0.004
	case blast:
		keep, force = 1, 0.011
		u = root(u)
	case bang:
		// A disc, and a ring around it.
		force = 0.03
		if u = root(u); d.below(4) == 0 {
			u = 0.96 + float32(d.unit()*0.08)
		}
	}
	t.vx = float32(t.vx*keep) + float32(way[0]*float32(force*u))
	t.vy = float32(t.vy*keep) + float32(way[1]*float32(force*u))
	t.bounce()
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func (s *stage) bang(d dice) {
	x, y := 0.3+float32(d.unit()*0.4), 0.3+float32(d.unit()*0.4)
	s.wishes = append(s.wishes, wish{what: bang, n: burst, from: spot{x: x, y: y}})
}
