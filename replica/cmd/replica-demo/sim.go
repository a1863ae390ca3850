package main

import (
	"math"
	"math/rand/v2"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica"
)

const (
	worldSize = 1024.0
	cellSize  = worldSize / 4
	groups    = 10 // a value moves in one of so many frames, so a frame changes a tenth of them

	missileSpeed = 60.0 // a second
	targetSpeed  = 10.0
	missileFuel  = 250 // moves
	targetHealth = 20  // hits
	perTarget    = 20  // missiles
)

const (
	kindClock = iota // the first value, which counts the frames
	kindMissile
	kindTarget
)

// thing is a value of the world, in 32 bytes.
type thing struct {
	X, Y   float32
	VX, VY float32
	Target berth.Handle[thing] // of a missile
	Kind   uint32
	Left   uint32 // fuel of a missile, health of a target, frames of the clock
}

func position(t *thing) (x, y float64) { return float64(t.X), float64(t.Y) }

// quarter returns the cells of the upper left quarter of the world.
func quarter() (cells []replica.Cell) {
	for i := range int32(4) {
		cells = append(cells, replica.Cell{X: i % 2, Y: i / 2})
	}
	return cells
}

// changer is what changes the world: a [replica.Leader], or a Pool in tests.
type changer interface {
	Insert(thing) berth.Handle[thing]
	Edit(berth.Handle[thing]) *thing
	Remove(berth.Handle[thing]) (thing, bool)
}

// sim simulates missiles that fly to their targets. Its whole state is in the Pool: the frame after
// depends on that and on the seed alone. So a leader that has loaded the world continues it as the
// leader before would have.
type sim struct {
	pool     *berth.Pool[thing]
	to       changer
	missiles int
	dt       float64 // between the moves of a value
	seed     uint64

	// Of the frame:
	rand    *rand.Rand
	targets []berth.Handle[thing] // of its beginning
	due     []berth.Handle[thing] // values that move
	flying  int
}

func newSim(p *berth.Pool[thing], to changer, missiles, hz int, seed uint64) *sim {
	return &sim{pool: p, to: to, missiles: missiles, dt: groups / float64(hz), seed: seed}
}

// clock returns the handle of the clock, which has the first slot, or the zero Handle.
func clock(v berth.View[thing]) berth.Handle[thing] {
	for h, t := range v.All() {
		if t.Kind == kindClock {
			return h
		}
		break
	}
	return berth.Handle[thing]{}
}

// frameOf returns the number of frames that have been simulated.
func frameOf(v berth.View[thing]) uint64 {
	if t := v.Ptr(clock(v)); t != nil {
		return uint64(t.Left)
	}
	return 0
}

// step simulates a frame.
func (s *sim) step() {
	now := clock(s.pool)
	if now.IsZero() {
		now = s.to.Insert(thing{Kind: kindClock})
	}
	c := s.to.Edit(now)
	if c == nil {
		return // the leader is fenced
	}
	c.Left++
	s.rand = rand.New(rand.NewPCG(s.seed, uint64(c.Left)))
	s.survey(int(c.Left % groups))
	for _, h := range s.due {
		switch t := s.pool.Ptr(h); {
		case t == nil: // destroyed in this frame
		case t.Kind == kindTarget:
			s.to.Edit(h).move(s.dt)
		default:
			s.fly(h, s.to.Edit(h))
		}
	}
	s.replenish()
}

// survey fills targets, due and flying.
func (s *sim) survey(group int) {
	s.targets, s.due, s.flying = s.targets[:0], s.due[:0], 0
	for h, t := range s.pool.All() {
		switch t.Kind {
		case kindClock:
			continue
		case kindMissile:
			s.flying++
		case kindTarget:
			s.targets = append(s.targets, h)
		}
		if s.pool.IndexOf(h)%groups == group {
			s.due = append(s.due, h)
		}
	}
}

// fly moves a missile towards its target. If the target is gone, its handle finds nothing, and the
// missile gets another one.
func (s *sim) fly(h berth.Handle[thing], m *thing) {
	if m.Left--; m.Left == 0 {
		s.lose(h)
		return
	}
	target := s.pool.Ptr(m.Target)
	if target == nil {
		m.Target = s.aim()
		m.move(s.dt)
		return
	}
	dx, dy := float64(target.X-m.X), float64(target.Y-m.Y)
	d := math.Hypot(dx, dy)
	if d <= missileSpeed*s.dt {
		if e := s.to.Edit(m.Target); e.Left > 1 {
			e.Left--
		} else {
			s.to.Remove(m.Target)
		}
		s.lose(h)
		return
	}
	const turn = 0.4 * missileSpeed
	m.head(float64(m.VX)*0.6+dx/d*turn, float64(m.VY)*0.6+dy/d*turn, missileSpeed)
	m.move(s.dt)
}

func (s *sim) lose(h berth.Handle[thing]) {
	s.to.Remove(h)
	s.flying--
}

// aim returns the handle of a target, or the zero Handle if there is none.
func (s *sim) aim() berth.Handle[thing] {
	if len(s.targets) == 0 {
		return berth.Handle[thing]{}
	}
	return s.targets[s.rand.IntN(len(s.targets))]
}

// replenish inserts missiles and targets for those that are gone: in a frame, at most a tenth of
// all.
func (s *sim) replenish() {
	most := (s.missiles + perTarget - 1) / perTarget
	live := 0
	for _, h := range s.targets {
		if s.pool.Contains(h) {
			live++
		}
	}
	for range min(most-live, most/10+1) {
		t := thing{Kind: kindTarget, Left: targetHealth}
		t.X, t.Y = s.coordinate(), s.coordinate()
		t.head(s.rand.NormFloat64(), s.rand.NormFloat64(), targetSpeed)
		s.targets = append(s.targets, s.to.Insert(t))
	}
	for range min(s.missiles-s.flying, s.missiles/10+1) {
		m := thing{Kind: kindMissile, Left: missileFuel, Target: s.aim()}
		along, side := s.coordinate(), float32(s.rand.IntN(2))*most32
		if m.X, m.Y = along, side; s.rand.IntN(2) == 0 {
			m.X, m.Y = side, along
		}
		m.head(worldSize/2-float64(m.X), worldSize/2-float64(m.Y), missileSpeed)
		s.to.Insert(m)
	}
}

// most32 is the greatest coordinate.
const most32 = float32(worldSize - 1.0/16)

func (s *sim) coordinate() float32 { return s.rand.Float32() * most32 }

// head sets the velocity to the given direction and speed.
func (t *thing) head(x, y, speed float64) {
	d := math.Hypot(x, y)
	if d == 0 {
		x, d = 1, 1
	}
	t.VX, t.VY = float32(x/d*speed), float32(y/d*speed)
}

// move moves t, which turns around at the borders of the world.
func (t *thing) move(dt float64) {
	t.X, t.VX = bounce(t.X+t.VX*float32(dt), t.VX)
	t.Y, t.VY = bounce(t.Y+t.VY*float32(dt), t.VY)
}

func bounce(x, v float32) (float32, float32) {
	switch {
	case x < 0:
		return min(-x, most32), -v
	case x > most32:
		return max(2*most32-x, 0), -v
	}
	return x, v
}
