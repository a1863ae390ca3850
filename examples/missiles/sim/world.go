// Package sim is the game without a window. It has neither a clock nor graphics. Games with the
// same seed and the same inputs are the same on every machine. Once its memory has grown, a frame
// allocates nothing.
//
//   - Values that come and go live in a [berth.Pool], and others refer to them by handle. A missile
//     keeps the handle of its target, and a hit the handle of its enemy. When the enemy is gone,
//     the handle finds nothing, even if a new enemy has its slot: see missiles.go and damage.go.
//   - A [near.Grid] finds nearby enemies: for bullets, blasts, missiles that look for a target, and
//     enemies that keep their distance: see enemies.go.
//   - The lists of a frame are in an [arena.Arena], which is reset at the start of the next frame.
//   - A [berth.History] of each pool takes the game back some frames, for players far apart: see
//     past.go.
//
// Begin with [New] and [World.Step].
package sim

import (
	"math/rand/v2"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/near"
)

// Limits of the pools. The pools have room for all values from the start, so that no frame waits
// for memory. Values that find no room are left out, which players do not see.
const (
	maxEnemies   = 6600
	maxBullets   = 3000
	maxMissiles  = 1000
	maxGems      = 2500
	maxParticles = 15000
)

// Config configures a game. The zero Config is the usual game.
type Config struct {
	Seed       uint64
	Wave       int  // the first wave, which sets the level of the ship
	Invincible bool // the ship takes no damage, for demonstrations and measurements
}

// State is what a game has beside its pools.
type State struct {
	Ship  Ship
	Stats Stats
	Frame int // since the start
	Jolt  float32

	config Config
	pcg    rand.PCG
	serial uint32 // of the last enemy
	lure   Vec    // from the ship to the nearest gem; zero if there is none
}

// World is a game. Its pools may be read at any time between two steps.
type World struct {
	*State // a pool's only value, so that it can be taken back too

	Enemies   *berth.Pool[Enemy]
	Bullets   *berth.Pool[Bullet]
	Missiles  *berth.Pool[Missile]
	Gems      *berth.Pool[Gem]
	Particles *berth.Pool[Particle]

	states *berth.Pool[State]
	self   berth.Handle[State]
	rng    *rand.Rand        // has no state but pcg
	grid   *near.Grid[Enemy] // the last one that was built
	past   past

	scratch *arena.Arena // of the frame, like
	hits    *arena.Vec[hit]
	blasts  *arena.Vec[blast]

	// For tests: a function that gets each strike, and a switch that keeps enemies out.
	onStrike func(*Missile, *Enemy)
	quiet    bool
}

// Stats counts what has happened since the start.
type Stats struct {
	Score   int
	Killed  int
	Lost    int // missiles whose target was gone
	Taken   int // of these, missiles whose target's slot had another enemy
	Late    int // hits on enemies that an earlier hit of the frame had destroyed
	Dropped int // things for which there was no room
}

func pool(seed uint32, most int) berth.Config {
	return berth.Config{Seed: seed, Capacity: most, Limit: most}
}

func newGrid() *near.Grid[Enemy] {
	return near.NewGrid(2*elbow, func(e *Enemy) (x, y float64) {
		return float64(e.Pos.X), float64(e.Pos.Y)
	})
}

// Config returns the configuration of the game.
func (w *World) Config() Config { return w.config }

// Wave returns the number of the wave, from 1.
func (w *World) Wave() int { return min(w.config.Wave+w.Frame/waveFrames, MaxWave) }

// WaveAge returns the number of frames since the wave began.
func (w *World) WaveAge() int {
	if w.config.Wave+w.Frame/waveFrames > MaxWave {
		return w.Frame // the last wave does not end
	}
	return w.Frame % waveFrames
}

// Live returns the number of live things.
func (w *World) Live() int {
	return w.Enemies.Len() + w.Bullets.Len() + w.Missiles.Len() + w.Gems.Len() + w.Particles.Len()
}

// Bytes returns the memory of the pools, the grid and the arena, without that of a record.
func (w *World) Bytes() int {
	return w.Enemies.Stats().Bytes + w.Bullets.Stats().Bytes + w.Missiles.Stats().Bytes +
		w.Gems.Stats().Bytes + w.Particles.Stats().Bytes + w.states.Stats().Bytes +
		w.grid.Stats().Bytes + w.scratch.Stats().Reserved
}

// put inserts a value, or counts it if there is no room.
func put[T any](w *World, p *berth.Pool[T], v T) berth.Handle[T] {
	h := p.Insert(v)
	if h.IsZero() {
		w.Stats.Dropped++
	}
	return h
}
