// Package before has a world of units in ark, an entity component system.
package before

import "github.com/mlange-42/ark/ecs"

// Position is the place of a unit.
type Position struct{ X, Y int }

// Velocity is the change of a unit's position in a step.
type Velocity struct{ X, Y int }

// Health is how much damage a unit can take.
type Health struct{ Left int }

// Cargo is the rest of a unit.
type Cargo struct{ Tons [11]int }

// World has entities with four components.
type World struct {
	world  *ecs.World
	units  *ecs.Map4[Position, Velocity, Health, Cargo]
	health *ecs.Map1[Health]
	moving *ecs.Filter3[Position, Velocity, Health]
	places *ecs.Filter1[Position]
	dead   []ecs.Entity
}

// NewWorld returns an empty world.
func NewWorld() *World {
	w := ecs.NewWorld()
	return &World{
		world:  w,
		units:  ecs.NewMap4[Position, Velocity, Health, Cargo](w),
		health: ecs.NewMap1[Health](w),
		moving: ecs.NewFilter3[Position, Velocity, Health](w),
		places: ecs.NewFilter1[Position](w),
	}
}

// Add adds a unit.
func (w *World) Add(p Position, v Velocity, h Health) ecs.Entity {
	return w.units.NewEntity(&p, &v, &h, &Cargo{})
}

// Hit damages a unit, and reports whether it is there.
func (w *World) Hit(e ecs.Entity, damage int) bool {
	if !w.world.Alive(e) {
		return false
	}
	w.health.Get(e).Left -= damage
	return true
}

// Step moves all units, removes the dead, and returns their number.
func (w *World) Step() int {
	w.dead = w.dead[:0]
	query := w.moving.Query()
	for query.Next() {
		p, v, h := query.Get()
		p.X += v.X
		p.Y += v.Y
		if h.Left <= 0 {
			w.dead = append(w.dead, query.Entity())
		}
	}
	for _, e := range w.dead { // a query locks the world
		w.world.RemoveEntity(e)
	}
	return len(w.dead)
}

// Sum reads one component of each unit.
func (w *World) Sum() (sum int) {
	query := w.places.Query()
	for query.NextTable() {
		for _, p := range query.GetColumns() {
			sum += p.X + p.Y
		}
	}
	return sum
}
