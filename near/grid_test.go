package near_test

import (
	"fmt"
	"iter"
	"math"
	"runtime"
	"testing"
	"weak"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

func TestNewGridMisuse(t *testing.T) {
	for _, cell := range []float64{0, -1, math.Copysign(0, -1), nan, inf, -inf, 5e-324, 1e-310} {
		what := fmt.Sprintf("cell %v", cell)
		panics(t, what, "near: NewGrid: cell and 1/cell must be finite", func() { near.NewGrid(cell, (*dot).flat) })
		panics(t, what, "near: NewGrid3: cell and 1/cell must be finite", func() { near.NewGrid3(cell, (*dot).solid) })
	}
	panics(t, "nil", "near: NewGrid: pos must not be nil", func() { near.NewGrid[dot](1, nil) })
	panics(t, "nil", "near: NewGrid3: pos must not be nil", func() { near.NewGrid3[dot](1, nil) })
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

// The zero grid is empty, and its panics name the missing call.
func TestZeroGrid(t *testing.T) {
	var p berth.Pool[dot]
	h := p.Insert(dot{})
	for name, g := range map[string]searcher{
		"Grid": plane{new(near.Grid[dot])}, "Grid3": space{new(near.Grid3[dot])},
	} {
		nobodyIn(t, g, h)
		if name == "Grid" { // a zero Grid3 is a Grid inside
			panics(t, name, "near: "+name+".Rebuild: needs a position function", func() { g.Rebuild(&p) })
			panics(t, name, "near: "+name+".Insert: Rebuild must come first", func() { g.Insert(h) })
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

// nobodyIn checks that nothing is found.
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
		t.Errorf("searches find %d values, Nearest = %t, want none", n, ok)
	}
	if g.Move(h) || g.Remove(h) || g.Len() != 0 {
		t.Errorf("Move or Remove = true, or Len = %d, want 0", g.Len())
	}
	g.CheckInvariants()
}

func TestMisuse(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		name := []string{"Grid", "Grid3"}[axes-2]
		g := newSearcher(axes, 1)
		panics(t, "nil view", "near: "+name+".Rebuild: view must not be nil", func() { g.Rebuild(nil) })
		panics(t, "Insert first", "near: "+name+".Insert: Rebuild must come first", func() { g.Insert(handle{}) })
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
				panics(t, method, fmt.Sprintf("near: %s.%s: radius must not be negative (got %v)",
					name, method, r), f)
			}
		}
		for _, k := range []int{-1, math.MinInt} {
			panics(t, "NearestK", "near: "+name+".NearestK: k must not be negative (got -", func() {
				g.nearestK(place{}, k)(func(entry) bool { return true })
			})
		}
		panics(t, "SetShape", "near: "+name+".SetShape: Shape must be Circle or Box (got 2)", func() { g.SetShape(2) })
		panics(t, "nil view", "near: "+name+".Rebuild: view must not be nil", func() { g.Rebuild(nil) })
		for _, o := range g.Traverse(3) {
			panics(t, "own others", "near: "+name+".Rebuild: ", func() { g.Rebuild(o) })
			panics(t, "a pointer to own others", "near: "+name+".Rebuild: ", func() { g.Rebuild(&o) })
		}
		c.check(t, "after all that", g, rule{axes, near.Circle, 1}, []place{{}})
	}
}

// For handles that are stale, zero, foreign or made up, methods return false.
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
				t.Errorf("%s handle: Insert, Move or Remove = true", name)
			}
			for range g.Near(h, inf) {
				t.Errorf("%s handle: Near visits a value", name)
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
			t.Errorf("Remove of a stale handle twice: want true and false; Len = %d, want 7", g.Len())
		}
		g.CheckInvariants()
	}
}

// lying is a view that panics, or returns wrong values.
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
	c.check(t, "after a panic of Len", plane{g}, rule{2, near.Circle, 1}, nil)
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
			grid := []string{"Grid", "Grid3"}[axes-2]
			panics(t, what, "near: "+grid+".Rebuild: view must not contain the zero Handle", func() {
				g.Rebuild(nameless{c.view})
			})
			nobodyIn(t, g, c.hs[0])
			g.Rebuild(c.view)
			c.check(t, what, g, rule{axes, near.Box, 1.1}, nil)
		}
	}
}

// A grid keeps the handle of a value removed from the container, but not the value: law 6.
func TestKeepsNothingAlive(t *testing.T) {
	type thing struct {
		x    float64
		name *[1 << 10]byte
	}
	var p berth.Pool[thing]
	g := near.NewGrid(1, func(v *thing) (x, y float64) { return v.x, v.x })
	g3 := near.NewGrid3(1, func(v *thing) (x, y, z float64) { return v.x, v.x, v.x })
	var hs []berth.Handle[thing]
	var names []weak.Pointer[[1 << 10]byte]
	for i := range 10 {
		name := new([1 << 10]byte)
		names = append(names, weak.Make(name))
		hs = append(hs, p.Insert(thing{float64(i), name}))
	}
	g.Rebuild(&p)
	g3.Rebuild(&p)
	for _, o := range g.Traverse(5) { // all are handed out once
		for range o.Values() {
		}
	}
	for _, h := range hs[1:] {
		p.Remove(h)
	}
	runtime.GC()
	for i, name := range names {
		if kept := name.Value() != nil; kept != (i == 0) {
			t.Errorf("value %d kept alive: %t", i, kept)
		}
	}
	if g.Len() != 10 || g3.Len() != 10 {
		t.Errorf("Len = %d, %d, want 10", g.Len(), g3.Len())
	}
	runtime.KeepAlive(&p)
}
