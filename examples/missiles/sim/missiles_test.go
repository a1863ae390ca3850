package sim

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// handles returns the serial numbers of the enemies by handle.
func handles(w *World) map[berth.Handle[Enemy]]uint32 {
	m := map[berth.Handle[Enemy]]uint32{}
	for h, e := range w.Enemies.All() {
		m[h] = e.Serial
	}
	return m
}

// empty returns a game that has no enemies and gets none.
func empty() *World {
	w := New(Config{Seed: 1})
	w.Ship.Dead = 1 // the ship does not fire
	w.quiet = true
	return w
}

// In a long battle, each missile strikes only the enemy that it chose, although the slots of most
// lost targets are used again.
func TestNoMissileStrikesANewcomer(t *testing.T) {
	w := New(Config{Seed: 5, Wave: 15, Invincible: true})
	serials := map[berth.Handle[Enemy]]uint32{}
	strikes := 0
	w.onStrike = func(m *Missile, e *Enemy) {
		strikes++
		if want, ok := serials[m.Target]; !ok || e.Serial != want {
			t.Fatalf("frame %d: a missile that was for enemy %d strikes %d", w.Frame, want, e.Serial)
		}
	}
	for range 600 {
		w.Step(w.Pilot())
		for h, serial := range handles(w) {
			if old, ok := serials[h]; ok && old != serial {
				t.Fatalf("enemies %d and %d have the same handle", old, serial)
			}
			serials[h] = serial
		}
	}
	if strikes < 400 || w.Stats.Lost < 200 || w.Stats.Taken < w.Stats.Lost/2 {
		t.Errorf("%d strikes, %d targets lost, %d slots taken: too few to test anything",
			strikes, w.Stats.Lost, w.Stats.Taken)
	}
}

// The target of a missile is destroyed, and another enemy gets its slot, in the path of the
// missile.
func TestNewcomerInTheSlot(t *testing.T) {
	w := empty()
	target := w.enemy(Drone, Vec{300, 0})
	w.grid.Rebuild(w.Enemies)
	w.missile(Vec{}, Vec{1, 0})
	var m *Missile
	for m = range w.Missiles.Values() {
		if m.Target != target {
			t.Fatal("the missile has another target than the only enemy")
		}
	}
	w.Step(Input{})
	slot := w.Enemies.IndexOf(target)
	w.Enemies.Remove(target)
	newcomer := w.enemy(Drone, Vec{30, 0})
	if w.Enemies.IndexOf(newcomer) != slot {
		t.Fatal("the newcomer has not got the slot")
	}
	w.onStrike = func(m *Missile, _ *Enemy) {
		if m.Locked == 0 || m.Target != newcomer {
			t.Error("the missile strikes whom it has not chosen")
		}
		if w.Frame < 1+looking {
			t.Errorf("it does so in frame %d, before it had time to choose", w.Frame)
		}
	}
	for range looking - 1 {
		w.Step(Input{})
		if !m.Target.IsZero() || m.Looking == 0 {
			t.Fatalf("frame %d: the missile does not look for another target: %+v", w.Frame, *m)
		}
	}
	if w.Stats.Lost != 1 || w.Stats.Taken != 1 {
		t.Errorf("%d targets lost, %d slots taken, want 1 and 1", w.Stats.Lost, w.Stats.Taken)
	}
	w.Step(Input{})
	if m.Target != newcomer || m.Looking != 0 {
		t.Errorf("the missile has not chosen the newcomer, who is the only one left: %+v", *m)
	}
}

// Without a target, a missile circles until its fuel is used up.
func TestMissileWithoutEnemies(t *testing.T) {
	w := empty()
	w.missile(Vec{}, Vec{1, 0})
	for range missileFuel + 2 {
		for m := range w.Missiles.Values() {
			if n := m.Heading.length(); n < 0.999 || n > 1.001 {
				t.Fatalf("the heading is %v long", n)
			}
			if !m.Pos.within(Vec{}, 100) {
				t.Fatalf("it is at %v", m.Pos)
			}
		}
		w.Step(Input{})
	}
	if w.Missiles.Len() != 0 || w.Stats.Lost != 0 {
		t.Errorf("%d missiles are left, %d targets lost", w.Missiles.Len(), w.Stats.Lost)
	}
}

// A missile turns at a limited rate, and reaches its target.
func TestChase(t *testing.T) {
	w := empty()
	w.enemy(Brute, Vec{-200, 150})
	w.grid.Rebuild(w.Enemies)
	w.missile(Vec{}, Vec{1, 0})
	struck := false
	w.onStrike = func(*Missile, *Enemy) { struck = true }
	last := Vec{1, 0}
	for range 200 {
		w.Step(Input{})
		for m := range w.Missiles.Values() {
			if m.Heading.dot(last) < turnChase.X-1e-4 {
				t.Fatalf("from %v to %v is too far for a frame", last, m.Heading)
			}
			last = m.Heading
		}
	}
	if !struck {
		t.Error("it never got there")
	}
}

// The first of several hits in one frame destroys the enemy. The others find neither the enemy nor
// the part of it that has its slot.
func TestHitsAfterDeath(t *testing.T) {
	w := empty()
	h := w.enemy(Brute, Vec{300, 0})
	slot := w.Enemies.IndexOf(h)
	for range 3 {
		w.hits.Push(hit{who: h, damage: 1000, way: Vec{1, 0}})
	}
	w.settle()
	k := table[Brute]
	if w.Stats.Killed != 1 || w.Stats.Late != 2 || w.Stats.Score != int(k.points) {
		t.Errorf("%+v, want one killed and two hits late", w.Stats)
	}
	_, part := w.Enemies.At(slot)
	if w.Enemies.Len() != int(k.parts) || part == nil {
		t.Fatalf("%d parts, %v in the slot", w.Enemies.Len(), part)
	}
	if part.Health != table[Drone].health || w.Gems.Len() != 1 {
		t.Errorf("the part has %d health; %d gems", part.Health, w.Gems.Len())
	}
}

// A bullet hits an enemy once while it is inside of it. It also hits a new enemy in the same slot.
func TestBulletGoesThrough(t *testing.T) {
	w := empty()
	w.Ship.Level = 16 // power for three enemies
	h := w.enemy(Brute, Vec{300, 0})
	w.grid.Rebuild(w.Enemies)
	b := &Bullet{Pos: Vec{290, 0}, Vel: Vec{bulletSpeed, 0}, Life: 10, power: w.Ship.power()}
	w.strike(b)
	w.strike(b)
	if w.hits.Len() != 1 || b.last != h || b.power != 2 {
		t.Fatalf("%d hits, power %d", w.hits.Len(), b.power)
	}
	slot := w.Enemies.IndexOf(h)
	w.Enemies.Remove(h)
	other := w.enemy(Brute, Vec{300, 0})
	w.grid.Rebuild(w.Enemies)
	w.strike(b)
	if w.hits.Len() != 2 || w.hits.At(1).who != other || w.Enemies.IndexOf(other) != slot {
		t.Errorf("%d hits, want that of the newcomer too", w.hits.Len())
	}
}
