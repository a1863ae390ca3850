package main

import (
	"math"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica"
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
	s := newSim(d.Pool, d, missiles, 60, seed)
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
			s = newSim(d.Pool, d, missiles, 60, seed)
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
	if got := frameOf(d); got != frames {
		t.Errorf("frameOf = %d, want %d", got, frames)
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
		s := newSim(d.Pool, d, missiles, 60, seed)
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
		speed := math.Hypot(float64(x.VX), float64(x.VY))
		switch x.Kind {
		case kindMissile:
			if e := d.Ptr(x.Target); e != nil && e.Kind != kindTarget {
				t.Errorf("missile %v flies to %+v", h, *e)
			}
			if math.Abs(speed-missileSpeed) > 0.1 || x.Left < 1 || x.Left > missileFuel {
				t.Errorf("missile %v: %+v", h, *x)
			}
		case kindTarget:
			if math.Abs(speed-targetSpeed) > 0.1 || x.Left < 1 || x.Left > targetHealth {
				t.Errorf("target %v: %+v", h, *x)
			}
		}
	}
	if want := [3]int{1, missiles, missiles / perTarget}; count != want {
		t.Errorf("clocks, missiles, targets: %d, want %d", count, want)
	}
}

// TestSimMovesAll checks that a frame changes about a tenth of the values, and that ten frames move
// all.
func TestSimMovesAll(t *testing.T) {
	const missiles = 2000
	d := simulate(t, missiles, 3, 100, 0)
	s := newSim(d.Pool, d, missiles, 60, 3)
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
	stayed, hit := 0, 0
	for h, x := range before {
		switch y, ok := d.Get(h); {
		case !ok:
			hit++
		case x.Kind != kindClock && y.X == x.X && y.Y == x.Y:
			stayed++
		}
	}
	if stayed > 0 || hit == 0 {
		t.Errorf("%d values have not moved, %d are gone", stayed, hit)
	}
}

// TestSimRetargets destroys all targets: their missiles fly to others, and none to what has the
// slot of its target.
func TestSimRetargets(t *testing.T) {
	const missiles = 1000
	d := simulate(t, missiles, 3, 100, 0)
	s := newSim(d.Pool, d, missiles, 60, 3)
	old := map[berth.Handle[thing]]bool{}
	for h, x := range d.All() {
		if x.Kind == kindTarget {
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

// TestSimQuarter checks that the quarter of a follower has about a quarter of the values.
func TestSimQuarter(t *testing.T) {
	in := map[replica.Cell]bool{}
	for _, c := range quarter() {
		in[c] = true
	}
	d := simulate(t, 2000, 1, 300, 0)
	n := 0
	for x := range d.Values() {
		if in[replica.CellAt(cellSize, float64(x.X), float64(x.Y))] {
			n++
			if x.X >= worldSize/2 || x.Y >= worldSize/2 {
				t.Errorf("in the quarter: %+v", *x)
			}
		}
	}
	if len(in) != 4 || n < d.Len()/5 || n > d.Len()*3/10 {
		t.Errorf("%d cells have %d of %d values", len(in), n, d.Len())
	}
}

func TestThing(t *testing.T) {
	if n := unsafe.Sizeof(thing{}); n != 32 {
		t.Errorf("%d bytes, want 32", n)
	}
	for _, c := range []struct{ x, v, wantX, wantV float32 }{
		{0, -1, 0, -1}, {-3, -1, 3, 1}, {most32, 1, most32, 1}, {most32 + 2, 1, most32 - 2, -1},
		{-5000, -1, most32, 1}, {5000, 1, 0, -1},
	} {
		if x, v := bounce(c.x, c.v); x != c.wantX || v != c.wantV {
			t.Errorf("bounce(%v, %v) = %v, %v, want %v, %v", c.x, c.v, x, v, c.wantX, c.wantV)
		}
	}
	var s thing
	if s.head(0, 0, 2); s.VX != 2 || s.VY != 0 {
		t.Errorf("head without a direction: %+v", s)
	}
	if frameOf(new(berth.Pool[thing])) != 0 {
		t.Error("an empty world has frames")
	}
}
