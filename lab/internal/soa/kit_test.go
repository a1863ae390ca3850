package soa

import (
	"fmt"

	"github.com/seed505807e1/berth"
)

// particles and odds are the generated containers as the model uses them.
var particles = kit[*Particles, Particle, ParticleHandle]{
	fresh: func(c config) *Particles {
		if c == (config{}) {
			return new(Particles)
		}
		return NewParticles(ParticlesConfig{
			Capacity: c.capacity, Limit: c.limit, Seed: 1, Defrag: c.defrag, ShrinkAbove: 8,
		})
	},
	clone:    (*Particles).Clone,
	copyFrom: (*Particles).CopyFrom,
	columns: func(s *Particles) (rows []Particle, lens []int) {
		c := s.Cols()
		for i := range c.X {
			rows = append(rows, Particle{
				c.X[i], c.Y[i], c.VX[i], c.VY[i], c.Age[i], c.Kind[i], c.Mass[i], c.Radius[i], c.Tag[i],
			})
		}
		return rows, []int{
			len(c.X), len(c.Y), len(c.VX), len(c.VY), len(c.Age), len(c.Kind), len(c.Mass),
			len(c.Radius), len(c.Tag),
		}
	},
	write:  func(s *Particles, i, n int) { s.Cols().Age[i] = uint32(n) },
	number: func(v Particle) int { return int(v.Age) },
	value: func(n int) Particle {
		f := float32(n)
		return Particle{
			f + .5, f + 2, f + 3, f + 4, uint32(n % 50), uint32(n), f, f * 2, [16]byte{byte(n), 15: 1},
		}
	},
	holed: func(s *Particles) bool { return s.rows.Holes() > 0 && refusesCols(func() { s.Cols() }) },
}

var odds = kit[*Odds, Odd, OddHandle]{
	fresh: func(c config) *Odds {
		if c == (config{}) {
			return new(Odds)
		}
		return NewOdds(OddsConfig{
			Capacity: c.capacity, Limit: c.limit, Seed: 1, Defrag: c.defrag, ShrinkAbove: 8,
		})
	},
	clone:    (*Odds).Clone,
	copyFrom: (*Odds).CopyFrom,
	columns: func(s *Odds) (rows []Odd, lens []int) {
		c := s.Cols()
		for i := range c.Name {
			rows = append(rows, Odd{
				c.Name[i], c.Owner[i], c.Next[i], c.Any[i], c.Sizes[i], c.flag[i],
			})
		}
		return rows, []int{
			len(c.Name), len(c.Owner), len(c.Next), len(c.Any), len(c.Sizes), len(c.flag),
		}
	},
	write:  func(s *Odds, i, n int) { s.Cols().Any[i] = n },
	number: func(v Odd) int { return v.Any.(int) },
	value: func(n int) Odd {
		h := berth.HandleFromUint64[oddRow](uint64(uint32(n)))
		return Odd{fmt.Sprint(n), &numbers[n&15], h, n % 50, [3]uint16{uint16(n), 1, 2}, n&1 != 0}
	},
	holed: func(s *Odds) bool { return s.rows.Holes() > 0 && refusesCols(func() { s.Cols() }) },
}

var numbers [16]int

// refusesCols reports whether f panics. Cols does if there are holes under DefragManual.
func refusesCols(f func()) (refused bool) {
	defer func() { refused = recover() != nil }()
	f()
	return false
}
