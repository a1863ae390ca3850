package sim

const (
	bulletSpeed  = 11
	bulletLife   = 72
	bulletRadius = 4
)

func (w *World) bullet(at, way Vec) {
	put(w, w.Bullets, Bullet{
		Pos: at, Vel: way.times(bulletSpeed), Life: bulletLife, power: w.Ship.power(),
	})
}

// moveBullets moves the bullets and records their hits. No enemy is destroyed before settle, so the
// order of the bullets does not matter.
func (w *World) moveBullets() {
	changing(w.past.bullets)
	for h, b := range w.Bullets.All() {
		b.Pos = b.Pos.plus(b.Vel)
		b.Life--
		w.strike(b)
		if b.Life <= 0 || b.power <= 0 {
			w.Bullets.Remove(h) // allowed inside the loop
		}
	}
}

// strike lets a bullet hit each enemy that it touches, except the one that it hit last, which it
// may still be inside of. A new enemy in the slot of that one has another handle, so it is hit.
func (w *World) strike(b *Bullet) {
	for e := range w.within(b.Pos, bulletRadius+largest) {
		if e.Handle == b.last || !e.Value.Pos.within(b.Pos, bulletRadius+e.Value.Kind.Radius()) {
			continue
		}
		w.hits.Push(hit{who: e.Handle, damage: 1, way: b.Vel.times(1.0 / bulletSpeed)})
		w.particle(b.Pos, b.Vel.times(-0.2), 5, 8, Spark, HueShip)
		b.last = e.Handle
		if b.power--; b.power <= 0 {
			return
		}
	}
}
