package sim

import "github.com/seed505807e1/berth"

// Kind is the kind of an enemy.
type Kind uint8

// The kinds of enemies.
const (
	Drone  Kind = iota // flies straight at the ship
	Weaver             // flies in curves
	Dart               // is fast and hardly turns
	Brute              // is large and slow, and breaks into drones
	kinds
)

// kindOf has the properties of a kind.
type kindOf struct {
	radius, speed float32
	grip          float32 // part of its velocity that it can change in a frame
	health        int32
	damage        int32
	points, parts int32 // its score, and the drones that it breaks into
}

var table = [kinds]kindOf{
	Drone:  {radius: 7, speed: 1.6, grip: 0.06, health: 2, damage: 9, points: 10},
	Weaver: {radius: 7, speed: 2.1, grip: 0.05, health: 3, damage: 9, points: 20},
	Dart:   {radius: 6, speed: 4.6, grip: 0.02, health: 1, damage: 12, points: 25},
	Brute:  {radius: 15, speed: 1.1, grip: 0.03, health: 22, damage: 22, points: 90, parts: 4},
}

// Radius returns the radius of enemies of the kind.
func (k Kind) Radius() float32 { return table[k].radius }

const (
	largest = 15 // radius of any enemy
	warp    = 40 // frames in which a new enemy takes shape and neither moves nor does damage
)

// Enemy attacks the ship.
type Enemy struct {
	Pos, Vel Vec
	push     Vec    // away from other enemies, in this frame
	Serial   uint32 // number of the enemy, unique in a game
	Age      int32  // frames
	Health   int32
	Flash    int32 // frames for which it still glows after a hit
	Kind     Kind
}

// Warping returns the remaining part of the time in which a new enemy takes shape, from 1 to 0.
func (e *Enemy) Warping() float32 { return max(0, 1-float32(e.Age)/warp) }

// Bullet flies straight until its power or its time is used up. Each hit takes power.
type Bullet struct {
	Pos, Vel Vec
	Life     int32 // frames left
	power    int32
	last     berth.Handle[Enemy] // the enemy that it hit last and may still be inside of
}

// Missile has one target, by handle. The target may be destroyed at any time, and another enemy may
// get its slot.
type Missile struct {
	Pos, Heading Vec
	Target       berth.Handle[Enemy] // zero while it looks for one
	slot         int32               // of the target, which is all that a plain slice would name
	Fuel         int32               // frames left
	Looking      int32               // frames since it lost its target; 0 while it has one
	Locked       int32               // frames since it took the target that it has
	spin         float32             // direction in which it circles while it looks: 1 or -1
}

// Gem makes the ship stronger.
type Gem struct {
	Pos, Vel Vec
	Life     int32 // frames left
	Worth    int32
}

// Look is the look of a particle.
type Look uint8

// Looks of particles.
const (
	Spark Look = iota // a short line along its way
	Smoke             // a cloud that grows and fades
	Ring              // a circle that grows
	Shard             // a piece of an enemy or the ship
)

// Hue is the colour of a particle: that of a kind of enemies, or one of those below.
type Hue uint8

// Hues that are not of a kind.
const (
	HueShip = Hue(kinds) + iota
	HueFire
	HueSeek
	HueGem
	Hues // number of hues
)

// Particle is decoration.
type Particle struct {
	Pos, Vel   Vec
	Size       float32
	Life, Span int16 // frames left, and at first
	Look       Look
	Hue        Hue
}

// hit is a hit on an enemy, which may be gone when the hit is handled.
type hit struct {
	who    berth.Handle[Enemy]
	damage int32
	way    Vec // of the bullet or missile
}

// blast damages all enemies nearby.
type blast struct {
	at     Vec
	radius float32
	damage int32
}
