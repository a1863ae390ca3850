package near_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// The loops below are functions of their own, as in users' code: in a closure within a closure an
// iterator may escape.

// Values that were all in one point when the grid was made, and then move, get cells of their own.
func TestSpreadsByMove(t *testing.T) {
	c := kinds[0](make([]place, 2000))
	for _, name := range []string{"Rebuild", "Insert"} {
		g := newSearcher(2, 1)
		for i := range c.hs {
			c.view.Ptr(c.hs[i]).place = place{}
		}
		if name == "Rebuild" {
			g.Rebuild(c.view)
		} else {
			g.Rebuild(nobody{c.view})
			for _, h := range c.hs {
				g.Insert(h)
			}
		}
		for i, h := range c.hs {
			c.view.Ptr(h).place = place{float64(i % 45), float64(i / 45), 0}
			g.Move(h)
		}
		g.CheckInvariants()
		if most := g.(plane).MostInCell(); most > 1000 {
			t.Errorf("%s: %d of 2000 values in one cell; %+v", name, most, g.Stats())
		}
	}
}

// fickle is a position function that calls a function at its n-th call.
type fickle struct {
	calls, at int
	do        func(d *dot) place
}

func (f *fickle) where(d *dot) (x, y float64) {
	if f.calls++; f.calls == f.at {
		a := f.do(d)
		return a.x, a.y
	}
	return d.x, d.y
}

// views returns a container as a type that Rebuild knows, and behind another interface.
func views(v container) map[string]berth.View[dot] {
	return map[string]berth.View[dot]{"known": viewOf(v), "unknown": struct{ berth.View[dot] }{v}}
}

// A position function that panics leaves an empty grid, which works.
func TestPositionPanics(t *testing.T) {
	for name, makeContainer := range containers {
		for at := 1; at <= 9; at++ {
			v := makeContainer()
			fill(v, square(3), 0)
			for kind, view := range views(v) {
				f := &fickle{at: at, do: func(*dot) place { panic("mine") }}
				g := near.NewGrid(1, f.where)
				g.Rebuild(nobody{v})
				what := fmt.Sprintf("%s, %s, call %d", name, kind, at)
				panics(t, what, "mine", func() { g.Rebuild(view) })
				nobodyIn(t, plane{g}, handle{})
				afterwards(t, what, g, v)
			}
		}
	}
}

// afterwards checks that a grid can be used.
func afterwards(t *testing.T, what string, g *near.Grid[dot], v container) {
	t.Helper()
	g.CheckInvariants()
	g.Rebuild(viewOf(v))
	g.CheckInvariants()
	if g.Len() != v.Len() {
		t.Errorf("%s: Len = %d, want %d", what, g.Len(), v.Len())
	}
	n := 0
	for range g.Traverse(1) {
		n++
	}
	if n != v.Len() {
		t.Errorf("%s: Traverse visits %d, want %d", what, n, v.Len())
	}
}

// Rebuild calls the position function once for each value.
func TestPositionsOnce(t *testing.T) {
	for name, makeContainer := range containers {
		v := makeContainer()
		fill(v, square(20), 0)
		for kind, view := range views(v) {
			f := new(fickle)
			if near.NewGrid(1, f.where).Rebuild(view); f.calls != v.Len() {
				t.Errorf("%s, %s: %d calls for %d values", name, kind, f.calls, v.Len())
			}
			n := 0
			near.NewGrid3(1, func(d *dot) (x, y, z float64) { n++; return d.x, d.y, d.z }).Rebuild(view)
			if n != v.Len() {
				t.Errorf("%s, %s, in space: %d calls for %d values", name, kind, n, v.Len())
			}
		}
	}
}

// The position function must not change the container. If it does, the grid stays whole: it panics
// and is empty, or it has some of the values.
func TestPositionChangesContainer(t *testing.T) {
	for name, makeContainer := range containers {
		for at := 1; at <= 9; at++ {
			for way, do := range []func(v container, h handle){
				func(v container, h handle) { v.Remove(h) },
				func(v container, _ handle) { v.Insert(dot{place{1, 1, 0}, 99}) },
				func(v container, h handle) { v.Remove(h); v.Insert(dot{place{1, 1, 0}, 99}) },
				func(v container, _ handle) {
					for i := range 200 {
						v.Insert(dot{place{float64(i), 1, 0}, 99})
					}
				},
				func(v container, _ handle) {
					v.(interface{ Clear() }).Clear()
				},
			} {
				for _, victim := range []int{0, 4, 8} {
					for kind := range views(nil) {
						v := makeContainer()
						c := fill(v, square(3), 0)
						f := &fickle{at: at}
						f.do = func(d *dot) place { p := d.place; do(v, c.hs[victim]); return p }
						g := near.NewGrid(1, f.where)
						ok := false
						func() {
							defer func() { _ = recover() }()
							g.Rebuild(views(v)[kind])
							ok = true
						}()
						what := fmt.Sprintf("%s, %s, call %d, way %d, victim %d", name, kind, at, way, victim)
						if g.CheckInvariants(); !ok && g.Len() != 0 {
							t.Errorf("%s: Len = %d, want 0", what, g.Len())
						}
						for a, b := range g.Pairs(2) {
							if v.Ptr(a.Handle) != a.Value || v.Ptr(b.Handle) != b.Value {
								t.Errorf("%s: visits a removed value", what)
							}
						}
						afterwards(t, what, g, v)
					}
				}
			}
		}
	}
}

// A position function that panics in Insert, Move or a loop leaves the grid as it was.
func TestPositionPanicsLater(t *testing.T) {
	c := kinds[0]([]place{{0.1, 0, 0}, {0.2, 0, 0}, {0.3, 0, 0}})
	f := new(fickle)
	f.do = func(*dot) place { panic("mine") }
	g := near.NewGrid(1, f.where)
	g.Rebuild(c.view)
	for name, do := range map[string]func(){
		"Insert":  func() { g.Insert(c.hs[0]) },
		"Move":    func() { g.Move(c.hs[0]) },
		"Near":    func() { g.Near(c.hs[0], 1)(func(entry) bool { return true }) },
		"Pairs":   func() { g.Pairs(1)(func(entry, entry) bool { return true }) },
		"Nearest": func() { g.Nearest(1, 1) },
	} {
		f.calls, f.at = 0, 1
		panics(t, name, "mine", do)
		g.CheckInvariants()
		c.check(t, "after "+name, plane{g}, rule{2, near.Circle, 0.15}, []place{{}})
	}
}

// A Rebuild of values in the same box as before finds their buckets while it gathers them.
func TestRebuildAgain(t *testing.T) {
	p := berth.NewPool[dot](berth.Config{})
	for i := range 1000 {
		h := p.Insert(dot{place: place{float64(i * 37 % 100), float64(i * 53 % 90), 0}})
		if i%50 == 7 {
			p.Ptr(h).x = math.NaN()
		}
	}
	i := 0
	p.RemoveFunc(func(berth.Handle[dot], *dot) bool {
		i++
		return i%7 == 0 || 200 < i && i < 250
	})
	g := near.NewGrid(1, func(d *dot) (x, y float64) { return d.x, d.y })
	for round := range 3 {
		g.Rebuild(p)
		g.CheckInvariants()
		if g.Len() != p.Len() {
			t.Fatalf("round %d: Len = %d, want %d", round, g.Len(), p.Len())
		}
		for h, d := range p.All() {
			found := false
			for e := range g.Within(d.x, d.y, 0) {
				found = found || e.Handle == h
			}
			if found == math.IsNaN(d.x) {
				t.Fatalf("round %d: %v at %v is found: %t", round, h, *d, found)
			}
		}
		var last *dot
		for _, d := range p.All() { // the same positions, of other values
			if last != nil {
				last.place, d.place = d.place, last.place
			}
			last = d
		}
	}
}
