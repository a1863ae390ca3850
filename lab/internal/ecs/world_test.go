// Package ecs has the world of examples/ecs twice: in berth's Pool and Columns, and in ark. Its
// tests check that both do the same, and its benchmark compares them.
package ecs

import "github.com/seed505807e1/berth/lab/internal/measure"

// The components. Every entity has a Position.
type (
	Position struct{ X, Y float32 }
	Velocity struct{ X, Y float32 }
	Health   struct{ Now, Max int32 }
	Poison   struct{ Damage, Steps int32 }
)

// World is a world of entities with components.
type World interface {
	// Spawn adds n entities. All have health, two of three a velocity.
	Spawn(n int)
	// Infect poisons n entities at random. A new entity takes the place of one that has died.
	Infect(r *measure.RNG, n int)

	Move(dt float32)
	Suffer()
	Heal()
	Bury() int

	// Sum adds up all components, whatever their order.
	Sum() uint64
}

// The components of a new entity.
func positionOf(i int) Position { return Position{float32(i), 0} }
func velocityOf(i int) Velocity { return Velocity{1, float32(i % 7)} }
func healthOf(i int) Health     { return Health{Now: 50 + int32(i%50), Max: 100} }

// moves reports whether entity i has a velocity.
func moves(i int) bool { return i%3 != 0 }

var poison = Poison{Damage: 3, Steps: 40}

// sumOf is the part of an entity in a Sum.
func sumOf(p Position, h Health, x Poison) uint64 {
	return uint64(p.X*8) + 3*uint64(p.Y*8) + 7*uint64(uint32(h.Now)) + 31*uint64(uint32(x.Steps))
}

// Step is a frame of a world that was made with n entities. One in 20 is poisoned at any time. Most
// of these die, and others are born.
func Step(w World, r *measure.RNG, n int) (buried int) {
	w.Infect(r, 1+n/500)
	w.Move(1.0 / 8)
	w.Suffer()
	w.Heal()
	return w.Bury()
}
