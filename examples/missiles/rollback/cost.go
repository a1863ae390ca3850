package main

import (
	"slices"
	"time"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// worst is a game in which every frame costs as much as a frame can: the game goes as far back as
// it may, and plays those frames again before it plays the next one.
type worst struct {
	world  *sim.World
	inputs [back + 1]sim.Input
}

// Waves in which a game has 20 000 things, and as many as a game can have.
const (
	busy = 23
	peak = sim.MaxWave
)

// newWorst returns a game in the given wave, once it has as many things as there are in that wave.
func newWorst(wave int) *worst {
	m := &worst{world: sim.New(sim.Config{Seed: 1, Wave: wave, Invincible: true})}
	for range 600 {
		m.world.Step(m.world.Pilot())
	}
	m.world.Record(back)
	for i := range m.inputs {
		m.inputs[i] = m.world.Pilot()
		m.world.Step(m.inputs[i])
	}
	return m
}

// cost is the time of the parts of a frame.
type cost struct{ rewind, play, hash time.Duration }

func (c *cost) all() time.Duration { return c.rewind + c.play + c.hash }

// frame goes back, and plays nine frames. Afterwards, the game is a frame further.
func (m *worst) frame() (c cost, err error) {
	copy(m.inputs[:], m.inputs[1:])
	m.inputs[back] = m.world.Pilot()
	begin := time.Now()
	if err := m.world.Rewind(back); err != nil {
		return c, err
	}
	c.rewind = time.Since(begin)
	for _, in := range m.inputs {
		begin = time.Now()
		m.world.Step(in)
		played := time.Now()
		m.world.Hash()
		c.play += played.Sub(begin)
		c.hash += time.Since(played)
	}
	return c, nil
}

// measure returns the costs of n frames, lowest first, and the mean number of things.
func (m *worst) measure(n int) (costs []cost, things int, err error) {
	costs = make([]cost, n)
	for i := range costs {
		if costs[i], err = m.frame(); err != nil {
			return nil, 0, err
		}
		things += m.world.Live()
	}
	slices.SortFunc(costs, func(a, b cost) int { return int(a.all() - b.all()) })
	return costs, things / n, nil
}
