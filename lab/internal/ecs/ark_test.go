package ecs

import (
	ark "github.com/mlange-42/ark/ecs"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// arkWorld is the same world in ark. A query locks the world, so what a loop removes is noted, and
// removed after the loop.
type arkWorld struct {
	w *ark.World

	still    *ark.Map2[Position, Health]
	moving   *ark.Map3[Position, Health, Velocity]
	poison   *ark.Map1[Poison]
	bodies   *ark.Filter2[Position, Health]
	moved    *ark.Filter2[Position, Velocity]
	poisoned *ark.Filter2[Poison, Health]
	healthy  *ark.Filter1[Health]

	all     []ark.Entity // also of the buried
	gone    []ark.Entity
	spawned int
}

// NewArk returns an empty world in ark.
func NewArk() World {
	w := ark.NewWorld()
	return &arkWorld{
		w:        w,
		still:    ark.NewMap2[Position, Health](w),
		moving:   ark.NewMap3[Position, Health, Velocity](w),
		poison:   ark.NewMap1[Poison](w),
		bodies:   ark.NewFilter2[Position, Health](w),
		moved:    ark.NewFilter2[Position, Velocity](w),
		poisoned: ark.NewFilter2[Poison, Health](w),
		healthy:  ark.NewFilter1[Health](w).Without(ark.C[Poison]()),
	}
}

func (w *arkWorld) Spawn(n int) {
	for range n {
		w.all = append(w.all, w.spawn())
	}
}

func (w *arkWorld) spawn() ark.Entity {
	i := w.spawned
	w.spawned++
	p, h := positionOf(i), healthOf(i)
	if !moves(i) {
		return w.still.NewEntity(&p, &h)
	}
	v := velocityOf(i)
	return w.moving.NewEntity(&p, &h, &v)
}

func (w *arkWorld) Infect(r *measure.RNG, n int) {
	for range n {
		i := r.Below(uint64(len(w.all)))
		e, x := w.all[i], poison
		switch {
		case !w.w.Alive(e):
			w.all[i] = w.spawn()
		case w.poison.HasAll(e):
			*w.poison.Get(e) = x
		default:
			w.poison.Add(e, &x)
		}
	}
}

func (w *arkWorld) Move(dt float32) {
	q := w.moved.Query()
	for q.Next() {
		p, v := q.Get()
		p.X += v.X * dt
		p.Y += v.Y * dt
	}
}

func (w *arkWorld) Suffer() {
	w.gone = w.gone[:0]
	q := w.poisoned.Query()
	for q.Next() {
		x, h := q.Get()
		h.Now -= x.Damage
		if x.Steps--; x.Steps == 0 {
			w.gone = append(w.gone, q.Entity())
		}
	}
	for _, e := range w.gone {
		w.poison.Remove(e)
	}
}

func (w *arkWorld) Heal() {
	q := w.healthy.Query()
	for q.Next() {
		h := q.Get()
		h.Now = min(h.Now+1, h.Max)
	}
}

func (w *arkWorld) Bury() int {
	w.gone = w.gone[:0]
	q := w.bodies.Query()
	for q.Next() {
		if _, h := q.Get(); h.Now <= 0 {
			w.gone = append(w.gone, q.Entity())
		}
	}
	for _, e := range w.gone {
		w.w.RemoveEntity(e)
	}
	return len(w.gone)
}

func (w *arkWorld) Sum() (sum uint64) {
	q := w.bodies.Query()
	for q.Next() {
		p, h := q.Get()
		var x Poison
		if y := w.poison.Get(q.Entity()); y != nil {
			x = *y
		}
		sum += sumOf(*p, *h, x)
	}
	return sum
}
