package sim

import (
	"math"
	"testing"
)

// play plays frames of a game with the pilot's input.
func play(w *World, frames int) *World {
	for range frames {
		w.Step(w.Pilot())
	}
	return w
}

// The same seed and inputs make the same game, on every machine.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		config Config
		frames int
		want   uint64
	}{
		{Config{Seed: 1}, 2400, 0x21ebd3ace91a872},
		{Config{Seed: 2, Wave: 12}, 900, 0x4152d8dd14d835af},
	} {
		if testing.Short() && c.config.Wave != 12 {
			continue
		}
		if got := play(New(c.config), c.frames).Checksum(); got != c.want {
			t.Errorf("%+v: after %d frames the checksum is %#x, want %#x", c.config, c.frames, got, c.want)
		}
	}
}

// At its peak a game has twenty thousand things, and a frame allocates nothing.
func TestNoAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and containers that check themselves allocate")
	}
	w := crowded(30)
	if got, want := w.Checksum(), uint64(0xc9bdfb3480d0237d); got != want {
		t.Errorf("the checksum is %#x, want %#x", got, want)
	}
	least := w.Live()
	allocs := testing.AllocsPerRun(150, func() {
		w.Step(w.Pilot())
		least = min(least, w.Live())
	})
	if allocs != 0 {
		t.Errorf("a frame allocates %v times", allocs)
	}
	if least < 20_000 {
		t.Errorf("there were %d things in some frame, want 20 000 in each", least)
	}
	if n := w.Enemies.Len(); n < 5000 {
		t.Errorf("%d of them are enemies", n)
	}
}

// A game that is restarted in the memory of another is the same as a new one, and needs no more
// memory.
func TestRestart(t *testing.T) {
	c := Config{Seed: 3, Wave: 10}
	want := play(New(c), 500)
	w := crowded(20)
	old := handles(w)
	if len(old) < 1000 {
		t.Fatalf("%d enemies, too few for this test", len(old))
	}
	bytes := w.Bytes()
	w.Restart(c)
	if w.Live() != 0 || w.Frame != 0 || w.Stats != (Stats{}) || w.Ship.Level != 10 || w.Config() != c {
		t.Errorf("after a restart: %d things, frame %d, %+v, %+v", w.Live(), w.Frame, w.Stats, w.Ship)
	}
	play(w, 500)
	if got, want := w.Checksum(), want.Checksum(); got != want {
		t.Errorf("begun again, the checksum is %#x, and fresh %#x", got, want)
	}
	if got := w.Bytes(); got > bytes {
		t.Errorf("begun again, it holds %d bytes, and %d before", got, bytes)
	}
	if w.Enemies.Len() == 0 {
		t.Fatal("no enemies came")
	}
	for h := range old {
		if w.Enemies.Contains(h) {
			t.Fatal("a handle of the game before finds an enemy")
		}
	}
	again := func() { w.Restart(c); w.Step(Input{}) }
	if n := testing.AllocsPerRun(10, again); n != 0 && !testing.Short() {
		t.Errorf("to begin again allocates %v times", n)
	}
}

// With any input, the ship stays in the world and keeps to its speed.
func TestInput(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	odd := []Vec{{nan, 0}, {0, nan}, {inf, -inf}, {1e30, 1e30}, {-math.MaxFloat32, 0}, {1e-40, 0}, {300, 400}, {}}
	w := New(Config{Seed: 1, Wave: 5, Invincible: true})
	for i := range 400 {
		w.Step(Input{Move: odd[i%len(odd)], Aim: odd[(i/3)%len(odd)], Fire: true, Salvo: i%2 == 0})
		s := &w.Ship
		if !s.Pos.finite() || !(s.Vel.length() <= shipSpeed) {
			t.Fatalf("frame %d: the ship is at %v, and goes %v", i, s.Pos, s.Vel)
		}
		if n := s.Aim.length(); !(n > 0.999 && n < 1.001) {
			t.Fatalf("frame %d: the aim is %v, %v long", i, s.Aim, n)
		}
	}
	for b := range w.Bullets.Values() {
		if !b.Pos.finite() {
			t.Fatalf("a bullet is at %v", b.Pos)
		}
	}
}

func TestMoveAndAim(t *testing.T) {
	w := New(Config{Seed: 1})
	for range 60 {
		w.Step(Input{Move: Vec{0, -1}, Aim: Vec{0, 5}})
	}
	if p := w.Ship.Pos; p.X != 0 || p.Y > -100 {
		t.Errorf("after a second upwards the ship is at %v", p)
	}
	if w.Ship.Aim != (Vec{0, 1}) || w.Bullets.Len() != 0 {
		t.Errorf("aim %v, %d bullets", w.Ship.Aim, w.Bullets.Len())
	}
	w.Step(Input{Fire: true}) // without an aim, the last one is kept
	for b := range w.Bullets.Values() {
		if b.Vel.X != 0 || b.Vel.Y <= 0 {
			t.Errorf("a bullet goes %v", b.Vel)
		}
	}
	if w.Bullets.Len() != 1 {
		t.Errorf("%d bullets, want 1", w.Bullets.Len())
	}
	w.Ship.Pos = Vec{1 << 21, 0}
	w.Step(Input{})
	if !w.Ship.Pos.finite() || !w.Ship.Pos.within(Vec{}, 10) {
		t.Errorf("from the end of the world, the ship comes to %v", w.Ship.Pos)
	}
}

// A ship without input is destroyed. It then neither fires nor collects, and a restart is possible.
func TestGameOver(t *testing.T) {
	w := New(Config{Seed: 1, Wave: 6})
	health := w.Ship.Health
	for w.Ship.Dead == 0 {
		w.Step(Input{})
		if health = w.Ship.Health; w.Frame > 3000 {
			t.Fatalf("after %d frames of doing nothing the ship has %d health", w.Frame, health)
		}
	}
	if health != 0 {
		t.Errorf("the dead ship has %d health", health)
	}
	for range 500 { // until bullets and missiles have ended
		w.Step(Input{Move: Vec{1, 0}, Fire: true, Salvo: true})
	}
	if s := w.Stats.Score; w.Bullets.Len()+w.Missiles.Len() != 0 || w.Ship.Dead != 501 {
		t.Errorf("dead, it has %d bullets, %d missiles, score %d, %d frames",
			w.Bullets.Len(), w.Missiles.Len(), s, w.Ship.Dead)
	}
	play(w, 1) // the pilot has waited long enough
	if w.Ship.Dead != 0 || w.Frame != 0 || w.Ship.Health != MaxHealth || w.Config().Seed != 2 || w.Wave() != 6 {
		t.Errorf("after the restart: %+v in frame %d of %+v", w.Ship, w.Frame, w.Config())
	}
}

func TestInvincible(t *testing.T) {
	w := New(Config{Seed: 1, Wave: 10, Invincible: true})
	hurt := false
	for range 300 {
		w.Step(Input{})
		hurt = hurt || w.Ship.Hurt > 0
	}
	if !hurt || w.Ship.Dead > 0 || w.Ship.Health != MaxHealth {
		t.Errorf("touched: %t, dead %d, health %d", hurt, w.Ship.Dead, w.Ship.Health)
	}
}

func TestWaves(t *testing.T) {
	w := New(Config{Wave: -5})
	if w.Wave() != 1 {
		t.Errorf("wave %d, want 1", w.Wave())
	}
	w.Frame = 2*waveFrames + 7
	if w.Wave() != 3 || w.WaveAge() != 7 {
		t.Errorf("wave %d, for %d frames", w.Wave(), w.WaveAge())
	}
	w.Restart(Config{Wave: 1000})
	w.Frame = 5 * waveFrames
	if w.Wave() != MaxWave || w.WaveAge() != w.Frame {
		t.Errorf("wave %d, for %d frames", w.Wave(), w.WaveAge())
	}
	for wave := 2; wave <= MaxWave; wave++ {
		if crowd(wave) < crowd(wave-1) || crowd(wave) > maxEnemies {
			t.Errorf("wave %d wants %d enemies, the one before %d", wave, crowd(wave), crowd(wave-1))
		}
	}
}

// Values that find no room are counted, and have no other effect.
func TestFull(t *testing.T) {
	w := New(Config{Seed: 1})
	for range maxParticles + 10 {
		w.particle(Vec{}, Vec{}, 1, 100, Spark, HueFire)
	}
	for range maxEnemies + 3 {
		w.enemy(Drone, Vec{500, 0})
	}
	if w.Particles.Len() != maxParticles || w.Enemies.Len() != maxEnemies || w.Stats.Dropped != 13 {
		t.Errorf("%d particles, %d enemies, %d dropped", w.Particles.Len(), w.Enemies.Len(), w.Stats.Dropped)
	}
	w.Step(Input{Fire: true})
}

// Enemies that are left behind appear again.
func TestLeash(t *testing.T) {
	w := New(Config{Seed: 1})
	h := w.enemy(Drone, Vec{5000, 0})
	for range warp + 10 {
		w.Step(Input{})
	}
	if e := w.Enemies.Ptr(h); e == nil || !e.Pos.within(w.Ship.Pos, leash) {
		t.Errorf("the enemy is at %+v", e)
	}
}
