package main

import "github.com/seed505807e1/berth"

// The components. Every entity has a Position, and may have any of the others.
type (
	Position struct{ X, Y float32 }
	Velocity struct{ X, Y float32 }
	Health   struct{ Now, Max int32 }
	Poison   struct{ Damage, Steps int32 }
)

// Entity is the handle of an entity, which finds its components until it is removed.
type Entity = berth.Handle[Position]

// World is a Pool of positions, and a Column for each other component.
type World struct {
	berth.Pool[Position]

	velocity *berth.Column[Velocity, Position]
	health   *berth.Column[Health, Position]
	poison   *berth.Column[Poison, Position]
}

// NewWorld returns an empty World.
func NewWorld() *World {
	w := new(World)
	w.velocity = berth.NewColumn[Velocity](&w.Pool)
	w.health = berth.NewColumn[Health](&w.Pool)
	w.poison = berth.NewColumn[Poison](&w.Pool)
	return w
}

// Move moves the entities that have a velocity.
func (w *World) Move(dt float32) {
	for p, v := range w.velocity.Join() {
		p.X += v.X * dt
		p.Y += v.Y * dt
	}
}

// Suffer takes health from the poisoned entities, until their poison wears off.
func (w *World) Suffer() {
	for e, x := range w.poison.All() {
		if h := w.health.Ptr(e); h != nil {
			h.Now -= x.Damage
		}
		if x.Steps--; x.Steps == 0 {
			w.poison.Delete(e)
		}
	}
}

// Heal gives health to the entities that are not poisoned.
func (w *World) Heal() {
	for _, h := range berth.Without(w.health, w.poison) {
		h.Now = min(h.Now+1, h.Max)
	}
}

// Bury removes the entities without health left, with all their components.
func (w *World) Bury() (buried int) {
	for e, h := range w.health.All() {
		if h.Now <= 0 && w.Delete(e) {
			buried++
		}
	}
	return buried
}
