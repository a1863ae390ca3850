package recipes

import "github.com/seed505807e1/berth"

// Rock is a value of a World.
type Rock struct{ speed float32 }

// World holds rocks, and what only some of them have.
type World struct {
	rocks   berth.Pool[Rock]
	weights *berth.Column[float32, Rock]
	held    *berth.Column[struct{}, Rock]
}

// NewWorld returns an empty World.
func NewWorld() *World {
	w := new(World)
	w.weights = berth.NewColumn[float32](&w.rocks)
	w.held = berth.NewColumn[struct{}](&w.rocks)
	return w
}

// Fall accelerates the rocks that have a weight, and that nobody holds.
func (w *World) Fall(dt float32) {
	for h, weight := range berth.Without(w.weights, w.held) {
		w.rocks.Ptr(h).speed += *weight * dt
	}
}
