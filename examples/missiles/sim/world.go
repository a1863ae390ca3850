// Package sim is the game without a window: what there is, and what happens to it in a frame. It
// knows no clock and no graphics. The same seed and the same inputs make the same game on every
// machine; and once its memory has grown to what it needs, a frame allocates nothing.
//
//   - Everything that comes and goes is in a [berth.Pool], and is named by handle where it is named
//     at all. A missile keeps the handle of its target; a hit, that of who was hit. Neither is told
//     when an enemy dies. They ask, and a stale handle finds nothing, never the newcomer that has
//     the slot by then: see missiles.go and damage.go.
//   - Who is near whom, [near.Grid] says: for bullets, blasts, missiles that look for a target, and
//     enemies that keep their distance: see enemies.go.
//   - Lists that a frame makes lie in an [arena.Arena], which is reset at the start of the next.
//
// Begin with [New] and [World.Step].
package sim

import (
	"math/rand/v2"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/near"
)

// The most of each that can be live. Pools have room for all of them from the start, so that no
// frame has to wait for memory. What finds no room is left out: nobody misses the last spark.
const (
	maxEnemies   = 6600
	maxBullets   = 3000
	maxMissiles  = 1000
	maxGems      = 2500
	maxParticles = 15000
)

// Config is what a game begins with; its zero value is the usual game.
type Config struct {
	Seed       uint64
	Wave       int  // the first wave; the ship has the level that it would have by then
	Invincible bool // the ship takes no harm: for demonstrations and measurements
}

// World is a game. Its pools may be read at any time between two steps.
type World struct {
	Ship  Ship
	Stats Stats
	Frame int // since the start
	Jolt  float32

	Enemies   *berth.Pool[Enemy]
	Bullets   *berth.Pool[Bullet]
	Missiles  *berth.Pool[Missile]
	Gems      *berth.Pool[Gem]
	Particles *berth.Pool[Particle]

	config Config
	pcg    rand.PCG
	rng    *rand.Rand
	grid   *near.Grid[Enemy]
	serial uint32 // of the enemy that came last
	lure   Vec    // from the ship to the nearest gem; zero if there is none

	scratch *arena.Arena // of the frame; so are
	hits    *arena.Vec[hit]
	blasts  *arena.Vec[blast]

	// Of tests: who wants to know of each strike, and that no enemies come.
	onStrike func(*Missile, *Enemy)
	quiet    bool
}

// Stats counts what has happened since the start.
type Stats struct {
	Score   int
	Killed  int
	Lost    int // missiles whose target was gone when they looked
	Taken   int // of these, those that would have found another enemy in the slot
	Late    int // hits on somebody who had died of an earlier one in the same frame
	Dropped int // things for which there was no room
}

// New makes a game.
func New(c Config) *World {
	w := &World{
		// Seeds that are numbered make handles the same on every machine.
		Enemies:   berth.NewPool[Enemy](pool(1, maxEnemies)),
		Bullets:   berth.NewPool[Bullet](pool(2, maxBullets)),
		Missiles:  berth.NewPool[Missile](pool(3, maxMissiles)),
		Gems:      berth.NewPool[Gem](pool(4, maxGems)),
		Particles: berth.NewPool[Particle](pool(5, maxParticles)),
		grid: near.NewGrid(2*elbow, func(e *Enemy) (x, y float64) {
			return float64(e.Pos.X), float64(e.Pos.Y)
		}),
		scratch: arena.NewChunked(64 << 10),
	}
	w.rng = rand.New(&w.pcg)
	w.hits = arena.NewVec[hit](w.scratch)
	w.blasts = arena.NewVec[blast](w.scratch)
	w.Restart(c)
	return w
}

func pool(seed uint32, most int) berth.Config {
	return berth.Config{Seed: seed, Capacity: most, Limit: most}
}

// Restart begins a game in the memory of the last one, which ends all handles into that.
func (w *World) Restart(c Config) {
	w.Enemies.Clear()
	w.Bullets.Clear()
	w.Missiles.Clear()
	w.Gems.Clear()
	w.Particles.Clear()
	w.grid.Rebuild(w.Enemies)
	c.Wave = min(max(c.Wave, 1), MaxWave)
	w.config = c
	w.pcg.Seed(c.Seed, 0x6d697373696c6573)
	w.Ship = newShip(int32(c.Wave))
	w.Stats, w.Frame, w.Jolt, w.serial, w.lure = Stats{}, 0, 0, 0, Vec{}
}

// Config returns what the game has begun with.
func (w *World) Config() Config { return w.config }

// Step is one frame, a 60th of a second for whoever plays.
func (w *World) Step(in Input) {
	if in.Restart {
		next := w.config
		next.Seed++ // a game that is as hard, but not the same
		w.Restart(next)
		return
	}
	w.scratch.Reset() // all lists of the last frame,
	w.hits.Clear()    // which are good for this one
	w.blasts.Clear()
	w.Frame++
	w.Jolt = max(0, float32(w.Jolt*0.9)-0.05)

	w.moveShip(in)
	w.spawn()
	w.moveEnemies()
	w.grid.Rebuild(w.Enemies) // for all that follows
	w.moveBullets()
	w.moveMissiles()
	w.touchShip()
	w.settle()
	w.moveGems()
	w.moveParticles()
}

// Wave is how far the game has come; it counts from 1.
func (w *World) Wave() int { return min(w.config.Wave+w.Frame/waveFrames, MaxWave) }

// WaveAge is how many frames ago the wave began.
func (w *World) WaveAge() int {
	if w.config.Wave+w.Frame/waveFrames > MaxWave {
		return w.Frame // the last one does not end
	}
	return w.Frame % waveFrames
}

// Live returns how many things there are.
func (w *World) Live() int {
	return w.Enemies.Len() + w.Bullets.Len() + w.Missiles.Len() + w.Gems.Len() + w.Particles.Len()
}

// Bytes returns how much memory the pools, the grid and the arena hold.
func (w *World) Bytes() int {
	return w.Enemies.Stats().Bytes + w.Bullets.Stats().Bytes + w.Missiles.Stats().Bytes +
		w.Gems.Stats().Bytes + w.Particles.Stats().Bytes + w.grid.Stats().Bytes +
		w.scratch.Stats().Reserved
}

// put inserts a value, or counts it where there is no room.
func put[T any](w *World, p *berth.Pool[T], v T) berth.Handle[T] {
	h := p.Insert(v)
	if h.IsZero() {
		w.Stats.Dropped++
	}
	return h
}
