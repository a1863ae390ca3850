package main

import (
	"testing"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

func TestGame(t *testing.T) {
	in := [2]input{
		pilot:  {move: 5, aim: 9, buttons: fire | salvo | restart},
		gunner: {move: 3, aim: 17, buttons: fire | restart},
	}
	want := sim.Input{Move: sim.Direction(64), Aim: sim.Direction(64), Fire: true, Restart: true}
	if got := game(in); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := game([2]input{}); got != (sim.Input{}) {
		t.Errorf("without inputs: %+v", got)
	}
	ones := input{255, 255, 255}
	if got := game([2]input{ones, ones}); got.Move == (sim.Vec{}) || !got.Salvo {
		t.Errorf("all ones: %+v", got)
	}
}

func TestNearest(t *testing.T) {
	for i := range 64 {
		if got := nearest(sim.Direction(4*i), 64); got != uint8(i+1) {
			t.Errorf("direction %d is %d", i, got)
		}
		if got := nearest(sim.Direction(4*i+1), 64); got != uint8(i+1) {
			t.Errorf("beside direction %d is %d", i, got)
		}
	}
	if nearest(sim.Vec{}, 16) != 0 {
		t.Error("zero has a direction")
	}
}

// A player holds an input for some frames, and presses restart for one frame only.
func TestPlayer(t *testing.T) {
	w := sim.New(sim.Config{Seed: 1, Wave: 8})
	p, changes, last := newPlayer(gunner, 1), 0, input{}
	for f := range 600 {
		in := p.decide(w, f)
		if in != last {
			changes++
		}
		last = in
		w.Step(game([2]input{gunner: in}))
	}
	if changes < 15 || changes > 200 {
		t.Errorf("%d changes in 600 frames", changes)
	}
	p, restarts := newPlayer(pilot, 1), 0
	for f := range 100 {
		w.Ship.Dead = int32(100 + f)
		if p.decide(w, f).buttons&restart != 0 {
			restarts++
		}
	}
	if restarts != 2 {
		t.Errorf("%d restarts in 100 frames after the end, want 2", restarts)
	}
}
