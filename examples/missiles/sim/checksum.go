package sim

import (
	"iter"
	"math"
)

// Checksum returns a checksum of the state and the history of the game. Equal games have equal
// checksums. It does not depend on handles, so a restarted game has the checksum of a new one.
func (w *World) Checksum() uint64 {
	c := checksum(14695981039346656037)
	s := &w.Ship
	c.vecs(s.Pos, s.Vel, s.Aim)
	c.ints(int32(w.Frame), s.Health, s.Level, s.Gems, s.Charge, s.Hurt, s.Dead)
	c.ints(int32(w.Stats.Score), int32(w.Stats.Killed), int32(w.Stats.Lost),
		int32(w.Stats.Taken), int32(w.Stats.Late), int32(w.Stats.Dropped))
	each(&c, w.Enemies.Values(), func(e *Enemy) {
		c.vecs(e.Pos, e.Vel)
		c.ints(int32(e.Serial), e.Age, e.Health, int32(e.Kind))
	})
	each(&c, w.Bullets.Values(), func(b *Bullet) { c.vecs(b.Pos, b.Vel); c.ints(b.Life) })
	each(&c, w.Missiles.Values(), func(m *Missile) {
		c.vecs(m.Pos, m.Heading)
		c.ints(m.Fuel, m.Looking)
		if e := w.Enemies.Ptr(m.Target); e != nil {
			c.ints(int32(e.Serial))
		}
	})
	each(&c, w.Gems.Values(), func(g *Gem) { c.vecs(g.Pos, g.Vel); c.ints(g.Life) })
	each(&c, w.Particles.Values(), func(p *Particle) {
		c.vecs(p.Pos, p.Vel)
		c.ints(int32(p.Life))
	})
	return uint64(c)
}

// checksum is FNV-1a over words instead of bytes.
type checksum uint64

func (c *checksum) ints(list ...int32) {
	for _, v := range list {
		*c = (*c ^ checksum(uint32(v))) * 1099511628211
	}
}

func (c *checksum) vecs(list ...Vec) {
	for _, v := range list {
		c.ints(int32(math.Float32bits(v.X)), int32(math.Float32bits(v.Y)))
	}
}

// each adds the values of a pool and their number.
func each[T any](c *checksum, values iter.Seq[*T], add func(*T)) {
	n := int32(0)
	for v := range values {
		add(v)
		n++
	}
	c.ints(n)
}
