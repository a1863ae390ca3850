package main

import (
	"math/rand/v2"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// input is what a player does in a frame, as three bytes. Any three bytes are an input.
type input struct {
	move    uint8 // 0, or 1 plus a direction in 16ths of a turn
	aim     uint8 // 0, or 1 plus a direction in 64ths
	buttons uint8
}

const (
	fire = 1 << iota
	salvo
	restart
)

// The players share a ship: the pilot flies it, and the gunner aims and fires.
const (
	pilot = iota
	gunner
)

// game returns the input of the game, from those of both players.
func game(in [2]input) sim.Input {
	g := sim.Input{
		Fire:    in[gunner].buttons&fire != 0,
		Salvo:   in[gunner].buttons&salvo != 0,
		Restart: in[pilot].buttons&restart != 0,
	}
	if m := in[pilot].move; m > 0 {
		g.Move = sim.Direction(16 * int(m-1))
	}
	if a := in[gunner].aim; a > 0 {
		g.Aim = sim.Direction(4 * int(a-1))
	}
	return g
}

// player is an automatic player, who sees the game of one peer. That game may be wrong in its last
// frames, as people see it too.
type player struct {
	role int
	rng  *rand.Rand
	next int // frame of the next decision
	last input
}

func newPlayer(role int, seed uint64) *player {
	return &player{role: role, rng: rand.New(rand.NewPCG(seed, uint64(role)))}
}

// decide returns the player's input. Players hold it for some frames before they decide again.
func (p *player) decide(w *sim.World, frame int) input {
	in := p.last
	if frame >= p.next {
		p.next = frame + 3 + p.rng.IntN(24)
		in = p.look(w)
		p.last = in
	}
	if d := w.Ship.Dead; p.role == pilot && d > 120 && d%40 == 1 {
		in.buttons |= restart // in this frame only
	}
	return in
}

// look returns the input for what the player sees.
func (p *player) look(w *sim.World) (in input) {
	see := w.Pilot()
	if p.role == pilot {
		in.move = nearest(see.Move, 16)
		return in
	}
	in.aim = nearest(w.Threat(), 64)
	if p.rng.IntN(8) > 0 {
		in.buttons |= fire
	}
	if see.Salvo {
		in.buttons |= salvo
	}
	return in
}

// nearest returns 1 plus the number of the direction nearest to v, of n, or 0 if v is zero.
func nearest(v sim.Vec, n int) (best uint8) {
	most := float32(0)
	for i := range n {
		d := sim.Direction(i * 256 / n)
		if dot := float32(d.X*v.X) + float32(d.Y*v.Y); dot > most {
			most, best = dot, uint8(i+1)
		}
	}
	return best
}
