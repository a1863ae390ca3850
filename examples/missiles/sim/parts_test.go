package sim

import (
	"math"
	"testing"
)

func TestDirections(t *testing.T) {
	for i := range 256 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 256)
		if d := Direction(i); math.Abs(float64(d.X)-cos) > 1e-6 || math.Abs(float64(d.Y)-sin) > 1e-6 {
			t.Errorf("direction %d is %v", i, d)
		}
	}
	if Direction(-1) != Direction(255) || Direction(256) != (Vec{1, 0}) {
		t.Error("directions do not go round")
	}
}

func TestSteer(t *testing.T) {
	most := Direction(4)
	for i := range 256 {
		for j := range 256 {
			from, to := Direction(i), Direction(j)
			got := from.steer(to, most)
			if n := got.length(); n < 0.9999 || n > 1.0001 {
				t.Fatalf("from %d to %d: %v long", i, j, n)
			}
			if got.dot(from) < most.X-1e-5 {
				t.Fatalf("from %d to %d: it turns too far", i, j)
			}
			apart := (j - i) & 255
			apart = min(apart, 256-apart)
			if apart > 4 && apart < 128 && got.dot(to) <= from.dot(to) || apart < 4 && got != to {
				t.Fatalf("from %d to %d: it turns the wrong way, to %v", i, j, got)
			}
		}
	}
	if (Vec{}).unit() != (Vec{}) {
		t.Error("zero has a direction")
	}
}

// Levels make the ship stronger.
func TestLevels(t *testing.T) {
	for l := int32(2); l <= MaxLevel; l++ {
		a, b := Ship{Level: l - 1}, Ship{Level: l}
		if b.fan() < a.fan() || b.arms() < a.arms() || b.gunRest() > a.gunRest() || b.tubes() < a.tubes() ||
			b.tubeRest() > a.tubeRest() || b.power() < a.power() || b.Need() <= a.Need() {
			t.Errorf("level %d is weaker than the one before", l)
		}
	}
}

func TestCollect(t *testing.T) {
	w := empty()
	w.Ship.Dead, w.Ship.Health = 0, 50
	put(w, w.Gems, Gem{Pos: Vec{50, 0}, Life: gemLife, Worth: w.Ship.Need()})
	put(w, w.Gems, Gem{Pos: Vec{500, 0}, Life: 60, Worth: 1})
	enemy := w.enemy(Drone, Vec{150, 0})
	for range 59 {
		w.moveGems()
	}
	if w.Ship.Level != 2 || w.Ship.Gems != 0 || w.Ship.Health != 65 || w.Gems.Len() != 1 {
		t.Errorf("%+v, %d gems", w.Ship, w.Gems.Len())
	}
	w.moveGems()
	if w.Gems.Len() != 0 {
		t.Error("a gem outlives its life")
	}
	w.Step(Input{}) // the new level pushes enemies away
	w.Step(Input{})
	if w.Enemies.Contains(enemy) {
		t.Error("the enemy next to the ship survives its level")
	}
	w.Ship.Level, w.Ship.Gems = MaxLevel, 0
	w.collect(&Gem{Worth: 1 << 20})
	if w.Ship.Level != MaxLevel || w.Ship.Gems != w.Ship.Need() {
		t.Errorf("above the last level: %+v", w.Ship)
	}
}

func TestSalvo(t *testing.T) {
	w := empty()
	w.Ship.Dead = 0
	w.Step(Input{Salvo: true})
	if w.Missiles.Len() != salvo || w.Ship.Charge != 0 {
		t.Errorf("%d missiles, charge %d", w.Missiles.Len(), w.Ship.Charge)
	}
	w.Step(Input{Salvo: true})
	if w.Missiles.Len() != salvo {
		t.Errorf("%d missiles without a charge", w.Missiles.Len())
	}
}

func TestParticlesEnd(t *testing.T) {
	w := empty()
	w.burst(Vec{}, Vec{}, 100, HueFire)
	if w.Particles.Len() != 100 {
		t.Fatalf("%d particles, want 100", w.Particles.Len())
	}
	for range 62 {
		w.moveParticles()
	}
	if w.Particles.Len() != 0 {
		t.Errorf("%d particles are left", w.Particles.Len())
	}
}

// Overlapping enemies are pushed apart. Others, and those in the same place, stay.
func TestPart(t *testing.T) {
	w := empty()
	a, b := w.Enemies.Ptr(w.enemy(Drone, Vec{300, 0})), w.Enemies.Ptr(w.enemy(Brute, Vec{306, 0}))
	w.part(a, b)
	if a.push.X >= 0 || b.push.X <= 0 || -a.push.X <= b.push.X {
		t.Errorf("pushed by %v and %v", a.push, b.push)
	}
	c := *a
	c.push = Vec{}
	a.push = Vec{}
	w.part(a, &c)
	c.Pos = Vec{330, 0}
	w.part(a, &c)
	if a.push != (Vec{}) || c.push != (Vec{}) {
		t.Errorf("pushed by %v and %v", a.push, c.push)
	}
}
