package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed505807e1/berth"
)

const (
	hz        = 60 // frames a second
	worldSize = 1024.0
	cellSize  = worldSize / 4
	groups    = 10 // a missile moves in one frame of ten, so a frame changes a tenth of them

	stride       = 60.0 * groups / hz // of a move, 60 a second
	targetHealth = 20                 // hits
	perTarget    = 20                 // missiles
)

const (
	kindClock = iota // the first value, which counts the frames
	kindMissile
	kindTarget
)

// thing is a value of the world.
type thing struct {
	Target berth.Handle[thing] // of a missile
	X, Y   float32
	Kind   uint32
	Left   uint32 // health of a target, frames of the clock
}

func position(t *thing) (x, y float64) { return float64(t.X), float64(t.Y) }

// changer is what changes the world: a replica.Leader, or a Pool in tests.
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
	seed     uint64

	// Of the frame:
	rand    *rand.Rand
	targets []berth.Handle[thing] // of its beginning
}

// clock returns the handle of the clock, which has the first slot, and the number of frames so far.
// If there is no clock, they are zero.
func clock(v berth.View[thing]) (now berth.Handle[thing], frames uint64) {
	for h, t := range v.All() {
		if t.Kind == kindClock {
			return h, uint64(t.Left)
		}
		break
	}
	return now, 0
}

// step simulates a frame.
func (s *sim) step() {
	now, _ := clock(s.pool)
	if now.IsZero() {
		now = s.to.Insert(thing{Kind: kindClock})
	}
	c := s.to.Edit(now)
	if c == nil {
		return // the leader is fenced
	}
	c.Left++
	s.rand = rand.New(rand.NewPCG(s.seed, uint64(c.Left)))
	s.targets = s.targets[:0]
	for h, t := range s.pool.All() {
		if t.Kind == kindTarget {
			s.targets = append(s.targets, h)
		}
	}
	group := int(c.Left % groups)
	for h, t := range s.pool.All() {
		if t.Kind == kindMissile && s.pool.IndexOf(h)%groups == group {
			s.fly(h, s.to.Edit(h))
		}
	}
	s.replenish()
}

// fly moves a missile towards its target. If the target is gone, its handle finds nothing, and the
// missile gets another one.
func (s *sim) fly(h berth.Handle[thing], m *thing) {
	target := s.pool.Ptr(m.Target)
	if target == nil {
		m.Target = s.aim()
		return
	}
	dx, dy := float64(target.X-m.X), float64(target.Y-m.Y)
	if d := math.Hypot(dx, dy); d > stride {
		m.X += float32(dx / d * stride)
		m.Y += float32(dy / d * stride)
		return
	}
	if e := s.to.Edit(m.Target); e.Left > 1 {
		e.Left--
	} else {
		s.to.Remove(m.Target)
	}
	s.to.Remove(h)
}

// aim returns the handle of a target. There always is one, since replenish makes them.
func (s *sim) aim() berth.Handle[thing] { return s.targets[s.rand.IntN(len(s.targets))] }

// replenish inserts missiles and targets for those that are gone: in a frame, at most a tenth of
// all.
func (s *sim) replenish() {
	s.targets = slices.DeleteFunc(s.targets,
		func(h berth.Handle[thing]) bool { return !s.pool.Contains(h) })
	flying := s.pool.Len() - 1 - len(s.targets)
	most := (s.missiles + perTarget - 1) / perTarget
	for range min(most-len(s.targets), most/10+1) {
		t := thing{Kind: kindTarget, X: s.coordinate(), Y: s.coordinate(), Left: targetHealth}
		s.targets = append(s.targets, s.to.Insert(t))
	}
	for range min(s.missiles-flying, s.missiles/10+1) {
		s.to.Insert(thing{Kind: kindMissile, X: s.coordinate(), Y: s.coordinate(), Target: s.aim()})
	}
}

func (s *sim) coordinate() float32 { return s.rand.Float32() * worldSize }
