package sim

import "github.com/seed505807e1/berth"

const gemLife = 900

// gem mostly leaves a gem where an enemy was destroyed.
func (w *World) gem(e *Enemy) {
	worth := int32(1)
	if e.Kind == Brute {
		worth = 6
	} else if w.rng.IntN(100) < 30 {
		return
	}
	put(w, w.Gems, Gem{Pos: e.Pos, Vel: e.Vel, Life: gemLife, Worth: worth})
}

// moveGems draws nearby gems to the ship, which collects those that it touches.
func (w *World) moveGems() {
	s := &w.Ship
	w.lure = Vec{}
	least := float32(400 * 400)
	changing(w.past.gems)
	for h, g := range w.Gems.All() {
		g.Life--
		g.Vel = g.Vel.times(0.92)
		d := s.Pos.minus(g.Pos)
		far2 := d.dot(d)
		if s.Dead == 0 && far2 < float32(s.magnet()*s.magnet()) {
			g.Vel = g.Vel.plus(d.unit().times(1.1))
		} else if far2 < least {
			least, w.lure = far2, d.times(-1)
		}
		g.Pos = g.Pos.plus(g.Vel)
		touched := s.Dead == 0 && far2 < (shipRadius+8)*(shipRadius+8)
		if touched {
			w.particle(g.Pos, g.Vel, 5, 9, Spark, HueGem)
			w.collect(g)
		}
		if touched || g.Life <= 0 {
			w.Gems.Remove(h)
		}
	}
}

// collect takes a gem. With enough gems the ship reaches its next level.
func (w *World) collect(g *Gem) {
	s := &w.Ship
	w.Stats.Score += int(g.Worth)
	s.Charge = min(s.Charge+2, FullCharge)
	if s.Gems += g.Worth; s.Gems < s.Need() || s.Level == MaxLevel {
		s.Gems = min(s.Gems, s.Need())
		return
	}
	s.Gems = 0
	s.Level++
	s.Health = min(s.Health+15, MaxHealth)
	s.Risen = 0
	w.Jolt += 4
	w.particle(s.Pos, Vec{}, 200, 35, Ring, HueGem)
}

// particle makes a particle that lives for some frames.
func (w *World) particle(at, vel Vec, size float32, frames int16, look Look, hue Hue) {
	put(w, w.Particles, Particle{
		Pos: at, Vel: vel, Size: size, Life: frames, Span: frames, Look: look, Hue: hue,
	})
}

// burst makes n sparks and shards that fly apart.
func (w *World) burst(at, vel Vec, n int, hue Hue) {
	for i := range n {
		speed := 0.6 + float32(3.2*w.rng.Float32())
		v := Direction(w.rng.IntN(256)).times(speed).plus(vel.times(0.5))
		look := Spark
		if i%4 == 3 {
			look = Shard
		}
		w.particle(at, v, 5, int16(30+w.rng.IntN(32)), look, hue)
	}
}

// moveParticles is the loop over most of the things.
func (w *World) moveParticles() {
	changing(w.past.particles)
	w.Particles.RemoveFunc(fade)
}

// fade moves a particle and reports whether its time is over.
func fade(_ berth.Handle[Particle], p *Particle) bool {
	p.Pos = p.Pos.plus(p.Vel)
	p.Vel = p.Vel.times(0.95)
	p.Life--
	return p.Life <= 0
}
