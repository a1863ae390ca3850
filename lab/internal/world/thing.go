package world

import "math"

// Thing is a ship, an enemy, a missile or a particle. All have one type and live in one container,
// so that the slots see inserts and removals of all sorts.
//
// Shape: 40 bytes without pointers.
type Thing struct {
	X, Y   float32 // 0 to 1 of the field, y down
	vx, vy float32 // a step, in heights of the field
	target uint64  // for a missile: its container's handle of an enemy
	id     uint64  // by order of birth, from 1
	age    uint16  // steps; ships and enemies do not age
	life   uint16  // the age at which it ends
	health int16   // for an enemy, which is dead below 1
	kind   sort
	flash  uint8 // for a missile: remaining steps of its flash for a stale target
}

// sort is the sort of a Thing, as in Look.
type sort uint8

const (
	particle sort = iota
	ship
	enemy
	missile
	lost // the look of a missile while it flashes
)

// Look returns the appearance of t. The low three bits are 0 for a particle, 1 for a ship, 2 for an
// enemy, 3 for a missile, and 4 for a missile whose target has just been found gone. The high five
// bits are the remaining life of a particle, the health of an enemy, or the heading of a ship or a
// missile, in 32nds of a turn from the direction of x to that of y.
func (t *Thing) Look() byte {
	switch t.kind {
	case particle:
		left := (int(t.life) - int(t.age)) * 32 / (int(t.life) + 1)
		return byte(particle) | byte(max(left, 0))<<3
	case enemy:
		return byte(enemy) | byte(max(t.health, 0))<<3
	}
	look := t.kind
	if t.flash > 0 {
		look = lost
	}
	return byte(look) | heading(t.vx, t.vy)<<3
}

// sum returns a hash of the state of t, without the handle of its target, which differs between
// containers.
func (t *Thing) sum() uint64 {
	h := mix(mix(t.id) ^ uint64(math.Float32bits(t.X)))
	h = mix(h ^ (uint64(math.Float32bits(t.Y))<<32 | uint64(math.Float32bits(t.vx))))
	h = mix(h ^ (uint64(math.Float32bits(t.vy))<<32 | uint64(t.age)<<16 | uint64(t.life)))
	return mix(h ^ (uint64(uint16(t.health))<<16 | uint64(t.kind)<<8 | uint64(t.flash)))
}
