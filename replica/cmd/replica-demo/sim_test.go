package main

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// direct changes a Pool, and counts the changes.
type direct struct {
	*berth.Pool[thing]
	edits, inserts, removes int
}

func (d *direct) Edit(h berth.Handle[thing]) *thing {
	d.edits++
	return d.Ptr(h)
}

func (d *direct) Insert(t thing) berth.Handle[thing] {
	d.inserts++
	return d.Pool.Insert(t)
}

func (d *direct) Remove(h berth.Handle[thing]) (thing, bool) {
	t, ok := d.Pool.Remove(h)
	if ok {
		d.removes++
	}
	return t, ok
}

// simulate simulates a world. If reload is not 0, it is saved and loaded into another Pool every
// so many frames, as by a leader that was killed.
func simulate(t *testing.T, missiles int, seed, frames uint64, reload uint64) *direct {
	t.Helper()
	d := &direct{Pool: berth.NewPool[thing](berth.Config{Seed: 1})}
	s := &sim{pool: d.Pool, to: d, missiles: missiles, seed: seed}
	for i := range frames {
		if reload != 0 && i%reload == 0 && i > 0 {
			data, err := d.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			d = &direct{Pool: berth.NewPool[thing](berth.Config{Seed: 2})}
			if err := d.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			s = &sim{pool: d.Pool, to: d, missiles: missiles, seed: seed}
		}
		s.step()
	}
	return d
}

// same reports whether two worlds have the same values under the same handles.
func same(a, b berth.View[thing]) bool {
	if a.Len() != b.Len() {
		return false
	}
	for h, x := range a.All() {
		if y := b.Ptr(h); y == nil || *x != *y {
			return false
		}
	}
	return true
}

func TestSimIsDeterministic(t *testing.T) {
	const missiles, frames = 1000, 700
	d := simulate(t, missiles, 1, frames, 0)
	if d.removes < missiles/4 {
		t.Errorf("only %d values were removed", d.removes)
	}
	if _, got := clock(d); got != frames {
		t.Errorf("the clock has %d frames, want %d", got, frames)
	}
	if !same(d, simulate(t, missiles, 1, frames, 0)) {
		t.Error("the same seed gives another world")
	}
	if !same(d, simulate(t, missiles, 1, frames, 37)) {
		t.Error("a world that was saved and loaded goes on in another way")
	}
	if same(d, simulate(t, missiles, 2, frames, 0)) {
		t.Error("another seed gives the same world")
	}
}

func TestSimConserves(t *testing.T) {
	const missiles, made = 400, 12 // frames, until all are made
	for seed := range uint64(3) {
		d := &direct{Pool: berth.NewPool[thing](berth.Config{Seed: 1})}
		s := &sim{pool: d.Pool, to: d, missiles: missiles, seed: seed}
		for frame := range 600 {
			s.step()
			if frame >= made {
				checkWorld(t, d, missiles)
			}
			if d.inserts-d.removes != d.Len() {
				t.Errorf("%d inserts, %d removes, %d values", d.inserts, d.removes, d.Len())
			}
			if t.Failed() {
				t.Fatalf("after frame %d, seed %d", frame, seed)
			}
		}
	}
}

func checkWorld(t *testing.T, d *direct, missiles int) {
	t.Helper()
	var count [3]int
	for h, x := range d.All() {
		count[x.Kind]++
		if x.X < 0 || x.X >= worldSize || x.Y < 0 || x.Y >= worldSize {
			t.Errorf("%v is outside: %+v", h, *x)
		}
		if e := d.Ptr(x.Target); e != nil && (x.Kind != kindMissile || e.Kind != kindTarget) {
			t.Errorf("%v flies to %+v", *x, *e)
		}
		if x.Kind == kindTarget && (x.Left < 1 || x.Left > targetHealth) {
			t.Errorf("target %v: %+v", h, *x)
		}
	}
	if want := [3]int{1, missiles, missiles / perTarget}; count != want {
		t.Errorf("clocks, missiles, targets: %d, want %d", count, want)
	}
}

// TestSimMovesAll checks that a frame changes about a tenth of the missiles, and ten frames all.
func TestSimMovesAll(t *testing.T) {
	const missiles = 2000
	d := simulate(t, missiles, 3, 100, 0)
	s := &sim{pool: d.Pool, to: d, missiles: missiles, seed: 3}
	before := map[berth.Handle[thing]]thing{}
	for h, x := range d.All() {
		before[h] = *x
	}
	for range groups {
		d.edits = 0
		s.step()
		if d.edits < missiles/12 || d.edits > missiles/5 {
			t.Errorf("%d edits in a frame of %d missiles", d.edits, missiles)
		}
	}
	stayed, hit := 0, 0 // a missile that gets another target does not move, but changes
	for h, x := range before {
		switch y, ok := d.Get(h); {
		case !ok:
			hit++
		case x.Kind == kindMissile && y == x:
			stayed++
		}
	}
	if stayed > 0 || hit == 0 {
		t.Errorf("%d missiles have not changed, %d are gone", stayed, hit)
	}
}

// TestSimRetargets destroys all targets but one: their missiles fly to others, and none to what has
// the slot of its target.
func TestSimRetargets(t *testing.T) {
	const missiles = 1000
	d := simulate(t, missiles, 3, 100, 0)
	s := &sim{pool: d.Pool, to: d, missiles: missiles, seed: 3}
	old := map[berth.Handle[thing]]bool{}
	for h, x := range d.All() {
		if x.Kind == kindTarget && d.Len() > missiles+2 {
			old[h] = true
			d.Remove(h)
		}
	}
	for range 3 * groups {
		s.step()
	}
	checkWorld(t, d, missiles)
	for h, x := range d.All() {
		if x.Kind == kindMissile && old[x.Target] {
			t.Errorf("missile %v still has the target %v", h, x.Target)
		}
	}
}
