package near_test

import (
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// panics checks what f panics with.
func panics(t *testing.T, what, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
			t.Errorf("%s: panic %q, want %q at its beginning", what, got, want)
		}
	}()
	f()
}

func TestNewGridMisuse(t *testing.T) {
	for _, cell := range []float64{0, -1, math.Copysign(0, -1), nan, inf, -inf, 5e-324, 1e-310} {
		what := fmt.Sprintf("cell %v", cell)
		panics(t, what, "near: NewGrid: a cell of size", func() { near.NewGrid(cell, (*dot).flat) })
		panics(t, what, "near: NewGrid3: a cell of size", func() { near.NewGrid3(cell, (*dot).solid) })
	}
	panics(t, "nil", "near: NewGrid: no position function", func() { near.NewGrid[dot](1, nil) })
	panics(t, "nil", "near: NewGrid3: no position function", func() { near.NewGrid3[dot](1, nil) })
	for _, cell := range []float64{1e-307, math.MaxFloat64, 0x1p-1022} {
		for axes := 2; axes <= 3; axes++ {
			c := kinds[0]([]place{{1, 2, 3}, {-1, 2, 3}, {1e30, 0, 0}, {0, 0, 0}})
			g := newSearcher(axes, cell)
			g.Rebuild(c.view)
			g.CheckInvariants()
			c.check(t, fmt.Sprintf("cell %v", cell), g, rule{axes, near.Circle, 2}, []place{{}})
		}
	}
}

// The zero grid has nobody, and says what is missing.
func TestZeroGrid(t *testing.T) {
	var p berth.Pool[dot]
	h := p.Insert(dot{})
	for name, g := range map[string]searcher{
		"Grid": plane{new(near.Grid[dot])}, "Grid3": space{new(near.Grid3[dot])},
	} {
		nobodyIn(t, g, h)
		if name == "Grid" { // a zero Grid3 does not know that it is one
			panics(t, name, "near: "+name+".Rebuild: no position function", func() { g.Rebuild(&p) })
			panics(t, name, "near: "+name+".Insert: no view", func() { g.Insert(h) })
		} else {
			panics(t, name, "near: ", func() { g.Rebuild(&p) })
			panics(t, name, "near: ", func() { g.Insert(h) })
		}
		g.SetShape(near.Box)
		g.Clip()
		g.Clear()
		nobodyIn(t, g, h)
	}
}

// nobodyIn checks that nobody is found.
func nobodyIn(t *testing.T, g searcher, h handle) {
	t.Helper()
	g.CheckInvariants()
	n := 0
	for range g.Pairs(inf) {
		n++
	}
	for range g.Traverse(inf) {
		n++
	}
	for range g.within(place{}, inf) {
		n++
	}
	for range g.Near(h, inf) {
		n++
	}
	for range g.nearestK(place{}, math.MaxInt) {
		n++
	}
	if _, ok := g.nearest(place{}); ok || n > 0 {
		t.Errorf("somebody is found: %d, Nearest = %t", n, ok)
	}
	if g.Move(h) || g.Remove(h) || g.Len() != 0 {
		t.Errorf("Move, Remove = true, or Len = %d", g.Len())
	}
	g.CheckInvariants()
}

func TestMisuse(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		name := []string{"Grid", "Grid3"}[axes-2]
		g := newSearcher(axes, 1)
		panics(t, "nil view", "near: "+name+".Rebuild: no view", func() { g.Rebuild(nil) })
		panics(t, "Insert first", "near: "+name+".Insert: no view", func() { g.Insert(handle{}) })
		nobodyIn(t, g, handle{})
		c := kinds[0](square(3))
		g.Rebuild(c.view)
		for _, r := range []float64{-1, -5e-324, nan, -inf} {
			for method, f := range map[string]func(){
				"Pairs":    func() { g.Pairs(r)(func(entry, entry) bool { return true }) },
				"Traverse": func() { g.Traverse(r)(func(entry, others) bool { return true }) },
				"Within":   func() { g.within(place{}, r)(func(entry) bool { return true }) },
				"Near":     func() { g.Near(c.hs[0], r)(func(entry) bool { return true }) },
			} {
				panics(t, method, fmt.Sprintf("near: %s.%s: a radius of %v", name, method, r), f)
			}
		}
		for _, k := range []int{-1, math.MinInt} {
			panics(t, "NearestK", "near: "+name+".NearestK: a count of -", func() {
				g.nearestK(place{}, k)(func(entry) bool { return true })
			})
		}
		panics(t, "SetShape", "near: "+name+".SetShape: no shape 2", func() { g.SetShape(2) })
		panics(t, "nil view", "near: "+name+".Rebuild: no view", func() { g.Rebuild(nil) })
		for _, o := range g.Traverse(3) {
			panics(t, "own others", "near: "+name+".Rebuild: ", func() { g.Rebuild(o) })
			panics(t, "a pointer to own others", "near: "+name+".Rebuild: ", func() { g.Rebuild(&o) })
		}
		c.check(t, "after all that", g, rule{axes, near.Circle, 1}, []place{{}})
	}
}

// Handles that are stale, zero, foreign or made up are answered with false.
func TestOtherHandles(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		var p, q berth.Pool[dot]
		c := fill(&p, square(3), 0)
		foreign := fill(&q, square(3), 0).hs[0]
		g := newSearcher(axes, 1)
		g.Rebuild(&p)
		stale := c.hs[4]
		p.Remove(stale)
		for name, h := range map[string]handle{
			"zero": {}, "foreign": foreign, "made up": berth.HandleFromUint64[dot](math.MaxUint64),
		} {
			if g.Insert(h) || g.Move(h) || g.Remove(h) {
				t.Errorf("%s handle: true", name)
			}
			for range g.Near(h, inf) {
				t.Errorf("%s handle: Near has somebody", name)
			}
		}
		if g.Insert(stale) || g.Len() != 9 {
			t.Errorf("Insert of a stale handle = true, or Len = %d, want 9", g.Len())
		}
		if g.Move(stale) || g.Len() != 8 {
			t.Errorf("Move of a stale handle = true, or Len = %d, want 8", g.Len())
		}
		p.Remove(c.hs[5])
		if !g.Remove(c.hs[5]) || g.Remove(c.hs[5]) || g.Len() != 7 {
			t.Errorf("Remove of a stale handle: not true and false, or Len = %d, want 7", g.Len())
		}
		g.CheckInvariants()
	}
}

// fickle is a position function that does what it likes at its n-th call.
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

// views is a container as the grid knows it, and behind an interface.
func views(v container) map[string]berth.View[dot] {
	return map[string]berth.View[dot]{"known": viewOf(v), "unknown": struct{ berth.View[dot] }{v}}
}

// A position function that panics leaves an empty grid, which works.
func TestPositionPanics(t *testing.T) {
	for name, makeContainer := range containers {
		for at := 1; at <= 18; at++ {
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

// A position function that says something else the second time is found out.
func TestPositionChangesItsMind(t *testing.T) {
	for name, makeContainer := range containers {
		for at := 10; at <= 18; at++ {
			for _, to := range []place{
				{0.5, 0, 0}, {7, 0, 0}, {3, 0, 0}, {-1, 1, 0}, {-1e30, 1e30, 0}, {nan, 0, 0}, {inf, inf, 0}, {1e300, 0, 0},
			} {
				v := makeContainer()
				fill(v, square(3), 0)
				for kind, view := range views(v) {
					f := &fickle{at: at, do: func(*dot) place { return to }}
					g := near.NewGrid(1, f.where)
					what := fmt.Sprintf("%s, %s, call %d, %v", name, kind, at, to)
					panics(t, what, "near: Grid.Rebuild: the position function changed its mind", func() {
						g.Rebuild(view)
					})
					nobodyIn(t, plane{g}, handle{})
					afterwards(t, what, g, v)
				}
			}
		}
	}
}

// Two that swap their places, or any others whose buckets have the same sum of squares, and the like.
func TestPositionsChangeTogether(t *testing.T) {
	row := func(xs ...float64) (ps []place) {
		for _, x := range xs {
			ps = append(ps, place{x, 0.5, 0})
		}
		return ps
	}
	for _, c := range []struct{ first, second []place }{
		{row(0, 5, 5, 9, 9, 9, 9, 9, 9, 9), row(0, 1, 7, 9, 9, 9, 9, 9, 9, 9)},
		{row(0, 1, 2, 9, 9, 9, 9, 9, 9, 9), row(0, 2, 1, 9, 9, 9, 9, 9, 9, 9)},
		{row(0, 0.25, 0.5, 0.75), row(0.25, 0.25, 0.25, 0.75)},
		{square(3), append([]place{{3, -1, 0}}, square(3)[1:]...)},
	} {
		for axes := 2; axes <= 3; axes++ {
			v := fill(new(berth.Pool[dot]), c.first, 0)
			n := 0
			pos := func(d *dot) (x, y, z float64) {
				p := c.first[d.id]
				if n++; n > len(c.first) {
					p = c.second[d.id]
				}
				return p.x, p.y, p.z
			}
			var g searcher = space{near.NewGrid3(1, pos)}
			if axes == 2 {
				g = plane{near.NewGrid(1, func(d *dot) (x, y float64) { x, y, _ = pos(d); return x, y })}
			}
			func() {
				defer func() { _ = recover() }()
				g.Rebuild(v.view) // to panic is right, and to take the second places, if they swap, too
			}()
			g.CheckInvariants()
			for range g.Pairs(1) {
				n++
			}
		}
	}
}

// A position function that changes the container does what it must not. The grid stays whole: it
// panics and is empty, or it has some of the values.
func TestPositionChangesContainer(t *testing.T) {
	for name, makeContainer := range containers {
		for at := 1; at <= 18; at++ {
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
								t.Errorf("%s: visits who is gone", what)
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

// lying is a view that panics, or lies.
type lying struct {
	berth.View[dot]
	len int
}

func (v lying) Len() int {
	if v.len < 0 {
		panic("mine")
	}
	return v.len
}

func TestLyingView(t *testing.T) {
	c := kinds[0](square(3))
	g := near.NewGrid(1, (*dot).flat)
	for _, n := range []int{0, 3, 9, 1000} {
		g.Rebuild(lying{c.view, n})
		c.check(t, fmt.Sprintf("Len = %d", n), plane{g}, rule{2, near.Circle, 1}, nil)
	}
	panics(t, "Len", "mine", func() { g.Rebuild(lying{c.view, -1}) })
	g.CheckInvariants()
	c.check(t, "after a panic of Len", plane{g}, rule{2, near.Circle, 1}, nil) // nothing was begun
	var none *berth.Pool[dot]
	func() {
		defer func() { _ = recover() }()
		g.Rebuild(none)
	}()
	g.CheckInvariants()
	g.Rebuild(c.view)
	c.check(t, "after all that", plane{g}, rule{2, near.Circle, 1}, nil)
}

// nameless is a view in which the first value has the zero handle.
type nameless struct{ berth.View[dot] }

func (v nameless) All() iter.Seq2[handle, *dot] {
	return func(yield func(handle, *dot) bool) {
		first := true
		for h, p := range v.View.All() {
			if first {
				h, first = handle{}, false
			}
			if !yield(h, p) {
				return
			}
		}
	}
}

func TestViewWithZeroHandle(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		for _, n := range []int{1, 3, 20} {
			c := kinds[0](square(n))
			g := newSearcher(axes, 1)
			what := fmt.Sprintf("%d axes, %d values", axes, n*n)
			panics(t, what, "near: "+[]string{"Grid", "Grid3"}[axes-2]+".Rebuild: the view has the zero Handle", func() {
				g.Rebuild(nameless{c.view})
			})
			nobodyIn(t, g, c.hs[0])
			g.Rebuild(c.view)
			c.check(t, what, g, rule{axes, near.Box, 1.1}, nil)
		}
	}
}
