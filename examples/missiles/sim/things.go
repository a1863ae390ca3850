package sim

import "github.com/seed505807e1/berth"

// Kind is what an enemy is.
type Kind uint8

// The kinds of enemies.
const (
	Drone  Kind = iota // comes straight at you
	Weaver             // comes in curves
	Dart               // is fast, and cannot turn
	Brute              // is large and slow, and breaks into drones
	kinds
)

// kindOf is what all enemies of a kind have in common.
type kindOf struct {
	radius, speed float32
	grip          float32 // how much of its velocity it can change in a frame
	health        int32
	damage        int32
	points, parts int32 // for its death: what it scores, and how many drones it breaks into
}

var table = [kinds]kindOf{
	Drone:  {radius: 7, speed: 1.6, grip: 0.06, health: 2, damage: 9, points: 10},
	Weaver: {radius: 7, speed: 2.1, grip: 0.05, health: 3, damage: 9, points: 20},
	Dart:   {radius: 6, speed: 4.6, grip: 0.02, health: 1, damage: 12, points: 25},
	Brute:  {radius: 15, speed: 1.1, grip: 0.03, health: 22, damage: 22, points: 90, parts: 4},
}

// Radius is how large enemies of the kind are.
func (k Kind) Radius() float32 { return table[k].radius }

const (
	largest = 15 // radius of any enemy
	warp    = 40 // frames in which a new enemy takes shape, and can neither move nor harm
)

// Enemy is somebody who wants to get at the ship.
type Enemy struct {
	Pos, Vel Vec
	push     Vec    // away from others, in this frame
	Serial   uint32 // counts all enemies there ever were: no two have the same
	Age      int32  // frames
	Health   int32
	Flash    int32 // frames that it still glows from a hit
	Kind     Kind
}

// Warping is how much of the enemy is still to take shape, from 1 down to 0.
func (e *Enemy) Warping() float32 { return max(0, 1-float32(e.Age)/warp) }

// Bullet flies straight, through as many enemies as it has power for, until its time is over.
type Bullet struct {
	Pos, Vel Vec
	Life     int32 // frames left
	power    int32
	last     berth.Handle[Enemy] // whom it hit last, and does not hit again on its way through
}

// Missile goes for one enemy and no other, which it names by handle: the enemy may be gone at any
// time, and its slot may be another's.
type Missile struct {
	Pos, Heading Vec
	Target       berth.Handle[Enemy] // zero while it looks for one
	Fuel         int32               // frames left
	Looking      int32               // frames since it lost its target; 0 while it has one
	Locked       int32               // frames since it took the target that it has
	spin         float32             // to which side it circles while it looks: 1 or -1
}

// Gem is what makes the ship stronger.
type Gem struct {
	Pos, Vel Vec
	Life     int32 // frames left
	Worth    int32
}

// Look is what a particle looks like.
type Look uint8

// The looks of particles.
const (
	Spark Look = iota // a short line along its way
	Smoke             // a cloud that grows and fades
	Ring              // a circle that grows
	Shard             // a piece of somebody
)

// Hue is the colour of a particle: that of a kind of enemies, or one of these.
type Hue uint8

// The hues that are not of a kind.
const (
	HueShip = Hue(kinds) + iota
	HueFire
	HueSeek
	HueGem
	Hues // how many there are
)

// Particle is something that only looks good.
type Particle struct {
	Pos, Vel   Vec
	Size       float32
	Life, Span int16 // frames left, and at first
	Look       Look
	Hue        Hue
}
