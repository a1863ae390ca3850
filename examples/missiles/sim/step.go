package sim

import (
	"math/rand/v2"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/near"
)

// New returns a new game.
func New(c Config) *World {
	w := &World{
		// With these seeds, handles are the same on every machine.
		Enemies:   berth.NewPool[Enemy](pool(1, maxEnemies)),
		Bullets:   berth.NewPool[Bullet](pool(2, maxBullets)),
		Missiles:  berth.NewPool[Missile](pool(3, maxMissiles)),
		Gems:      berth.NewPool[Gem](pool(4, maxGems)),
		Particles: berth.NewPool[Particle](pool(5, maxParticles)),
		states:    berth.NewPool[State](pool(6, 1)),
		scratch:   arena.NewChunked(64 << 10),
	}
	w.self = w.states.Insert(State{})
	w.State = w.states.Ptr(w.self) // for ever, since values of a pool never move
	w.rng = rand.New(&w.pcg)
	w.past.grids = []*near.Grid[Enemy]{newGrid()}
	w.hits = arena.NewVec[hit](w.scratch)
	w.blasts = arena.NewVec[blast](w.scratch)
	w.Restart(c)
	return w
}

// Restart begins a new game in the memory of the last one. All handles of the last one become
// stale. A game that is recorded is restarted by an Input instead.
func (w *World) Restart(c Config) {
	edit(w.states, w.past.states, w.self)
	w.Enemies.Clear()
	w.Bullets.Clear()
	w.Missiles.Clear()
	w.Gems.Clear()
	w.Particles.Clear()
	w.regrid()
	c.Wave = min(max(c.Wave, 1), MaxWave)
	w.config = c
	w.pcg.Seed(c.Seed, 0x6d697373696c6573)
	w.Ship = newShip(int32(c.Wave))
	w.Stats, w.Frame, w.Jolt, w.serial, w.lure = Stats{}, 0, 0, 0, Vec{}
}

// Step plays one frame, a 60th of a second.
func (w *World) Step(in Input) {
	w.step(in)
	w.mark()
}

func (w *World) step(in Input) {
	if in.Restart {
		next := w.config
		next.Seed++ // another game, equally hard
		w.Restart(next)
		return
	}
	edit(w.states, w.past.states, w.self)
	w.scratch.Reset()
	w.hits.Clear() // makes the list usable again
	w.blasts.Clear()
	w.Frame++
	w.Jolt = max(0, float32(w.Jolt*0.9)-0.05)

	w.moveShip(in)
	w.spawn()
	w.moveEnemies()
	w.regrid()
	w.moveBullets()
	w.moveMissiles()
	w.touchShip()
	w.settle()
	w.moveGems()
	w.moveParticles()
}
