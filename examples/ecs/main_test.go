package main

import (
	"testing"
)

// Each system changes the entities that have its components, and no others.
func TestSystems(t *testing.T) {
	w := NewWorld()
	still, moves, ill := w.Insert(Position{1, 1}), w.Insert(Position{1, 1}), w.Insert(Position{})
	w.velocity.Set(moves, Velocity{2, -2})
	w.Move(0.5)
	if p, q := *w.Ptr(still), *w.Ptr(moves); p != (Position{1, 1}) || q != (Position{2, 0}) {
		t.Errorf("Move: %v stands still, %v moves", p, q)
	}
	w.health.Set(still, Health{Now: 9, Max: 10})
	w.health.Set(ill, Health{Now: 9, Max: 10})
	w.poison.Set(ill, Poison{Damage: 4, Steps: 2})
	w.poison.Set(moves, Poison{Damage: 4, Steps: 1}) // without health
	w.Suffer()
	w.Heal()
	w.Heal()
	if h, i := w.health.Ptr(still).Now, w.health.Ptr(ill).Now; h != 10 || i != 5 {
		t.Errorf("health %d, and %d of the poisoned; want 10 and 5", h, i)
	}
	if w.poison.Contains(moves) || !w.poison.Contains(ill) {
		t.Error("poison of one step stays, or that of two is gone")
	}
	w.Suffer()
	if w.poison.Len() != 0 || w.Bury() != 0 {
		t.Error("poison stays, or the living are buried")
	}
	w.health.Ptr(ill).Now = 0
	if n := w.Bury(); n != 1 || w.Contains(ill) || w.health.Contains(ill) || w.Len() != 2 {
		t.Errorf("%d buried, %d are left", n, w.Len())
	}
}

// A new entity in the slot of a buried one has none of its components.
func TestReuse(t *testing.T) {
	w := NewWorld()
	old := spawn(w, 3)[1]
	w.poison.Set(old, Poison{1, 1})
	w.health.Ptr(old).Now = -1
	w.Bury()
	e := w.Insert(Position{})
	if e == old || w.velocity.Contains(e) || w.health.Contains(e) || w.poison.Contains(e) {
		t.Errorf("%v has components of %v", e, old)
	}
}

// A step allocates nothing.
func TestStepAllocates(t *testing.T) {
	w := NewWorld()
	for _, e := range spawn(w, 1000) {
		w.poison.Set(e, Poison{0, 1 << 30})
	}
	step := func() { w.Move(1); w.Suffer(); w.Heal(); w.Bury() }
	if n := testing.AllocsPerRun(10, step); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}
