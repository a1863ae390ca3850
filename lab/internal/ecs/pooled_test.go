package ecs

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// pooled is the world of examples/ecs.
type pooled struct {
	berth.Pool[Position]

	velocity *berth.Column[Velocity, Position]
	health   *berth.Column[Health, Position]
	poison   *berth.Column[Poison, Position]
	all      []berth.Handle[Position] // also of the buried
	spawned  int
}

// NewPooled returns an empty world in a Pool and Columns.
func NewPooled() World {
	w := new(pooled)
	w.velocity = berth.NewColumn[Velocity](&w.Pool)
	w.health = berth.NewColumn[Health](&w.Pool)
	w.poison = berth.NewColumn[Poison](&w.Pool)
	return w
}

func (w *pooled) Spawn(n int) {
	for range n {
		w.all = append(w.all, w.spawn())
	}
}

func (w *pooled) spawn() berth.Handle[Position] {
	i := w.spawned
	w.spawned++
	e := w.Insert(positionOf(i))
	w.health.Set(e, healthOf(i))
	if moves(i) {
		w.velocity.Set(e, velocityOf(i))
	}
	return e
}

func (w *pooled) Infect(r *measure.RNG, n int) {
	for range n {
		i := r.Below(uint64(len(w.all)))
		if !w.poison.Set(w.all[i], poison) {
			w.all[i] = w.spawn()
		}
	}
}

func (w *pooled) Move(dt float32) {
	for p, v := range w.velocity.Join() {
		p.X += v.X * dt
		p.Y += v.Y * dt
	}
}

func (w *pooled) Suffer() {
	for e, x := range w.poison.All() {
		if h := w.health.Ptr(e); h != nil {
			h.Now -= x.Damage
		}
		if x.Steps--; x.Steps == 0 {
			w.poison.Delete(e)
		}
	}
}

func (w *pooled) Heal() {
	for _, h := range berth.Without(w.health, w.poison) {
		h.Now = min(h.Now+1, h.Max)
	}
}

func (w *pooled) Bury() (buried int) {
	for e, h := range w.health.All() {
		if h.Now <= 0 && w.Delete(e) {
			buried++
		}
	}
	return buried
}

func (w *pooled) Sum() (sum uint64) {
	for e, p := range w.All() {
		h, _ := w.health.Get(e)
		x, _ := w.poison.Get(e)
		sum += sumOf(*p, h, x)
	}
	return sum
}
