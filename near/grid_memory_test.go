//go:build !berth_invariants

// Tests of memory that is taken and given back. The checks of the invariants take memory too.

package near_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
	"github.com/seed505807e1/berth/stable"
)

// A value takes 16 bytes, and as many to sort it, and a cell in use takes at most 8.
func TestMemory(t *testing.T) {
	if near.ItemSize != 16 {
		t.Errorf("an item has %d bytes, want 16", near.ItemSize)
	}
	for _, w := range worlds {
		r := rand.New(rand.NewPCG(1, 1))
		var p berth.Pool[dot]
		const n = 3000
		for i := range n {
			p.Insert(dot{w.at(r, i), i})
		}
		g := near.NewGrid(max(w.scale, 1e-300), (*dot).flat)
		g.Rebuild(&p)
		s := g.Stats()
		used := g.CellsInUse()
		if most := 32*n + 8*used + 4*32; s.Bytes > most {
			t.Errorf("%s: %d values in %d cells of %d take %d bytes, want at most %d",
				w.name, n, used, s.Cells, s.Bytes, most)
		}
		if s.Items != n || s.Vacant != 0 {
			t.Errorf("%s: Stats = %+v, want %d items", w.name, s, n)
		}
		// The index is released at the second Rebuild that has not needed it.
		h := g.HandleAt(0)
		g.Remove(h)
		g.Rebuild(&p)
		if kept := g.Stats().Bytes; kept <= s.Bytes {
			t.Errorf("%s: %d bytes after a Rebuild, want an index beside %d", w.name, kept, s.Bytes)
		}
		if g.Rebuild(&p); g.Stats().Bytes != s.Bytes {
			t.Errorf("%s: %d bytes after two Rebuilds, want %d", w.name, g.Stats().Bytes, s.Bytes)
		}

		g3 := near.NewGrid3(max(w.scale, 1e-300), (*dot).solid)
		g3.Rebuild(&p)
		if got, most := g3.Stats().Bytes, 40*n+8*g3.Cells()+4*32; got > most {
			t.Errorf("%s, in space: %d values take %d bytes, want at most %d", w.name, n, got, most)
		}
	}
}

// After a spike the memory is released, gradually or at once by Clip.
func TestSpike(t *testing.T) {
	for name, rest := range map[string]func(g searcher, v berth.View[dot]){
		"Rebuild":           func(g searcher, v berth.View[dot]) { g.Rebuild(v) },
		"Clear and Rebuild": func(g searcher, v berth.View[dot]) { g.Clear(); g.Rebuild(v) },
		"Rebuild and Insert": func(g searcher, v berth.View[dot]) {
			g.Rebuild(v)
			for h := range v.All() {
				g.Insert(h)
			}
		},
		"Clip": func(g searcher, v berth.View[dot]) { g.Rebuild(v); g.Clip() },
	} {
		for axes := 2; axes <= 3; axes++ {
			few := kinds[0](square(3)).view
			g := newSearcher(axes, 1)
			g.Rebuild(few)
			before := heap()
			func() {
				c := kinds[0](square(80))
				g.Rebuild(c.view)
				for _, h := range c.hs[:2000] {
					g.Remove(h)
					g.Insert(h)
				}
			}()
			times := 33 // 32 in a row, and the next
			if name == "Clip" {
				times = 1
			}
			for range times {
				rest(g, few)
				g.CheckInvariants()
			}
			if s := g.Stats(); s.Bytes > 2000 {
				t.Errorf("%s, %d axes: %+v, want at most 2000 bytes", name, axes, s)
			}
			if after := heap(); after > before+64<<10 {
				t.Errorf("%s, %d axes: %d bytes on the heap before, %d after", name, axes, before, after)
			}
			runtime.KeepAlive(g)
		}
	}
}

// Memory that is needed regularly stays.
func TestSpikesComeAgain(t *testing.T) {
	few, many := kinds[0](square(3)).view, kinds[0](square(50)).view
	g := near.NewGrid(1, (*dot).flat)
	frame := func() {
		g.Rebuild(many)
		for range 20 {
			g.Rebuild(few)
		}
	}
	frame()
	if n := testing.AllocsPerRun(5, frame); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, scale := range map[string]float64{"dense": 1, "scattered": 1000, "not exact": 1.1} {
		for kind, makeContainer := range containers {
			if scale != 1 && kind != "Pool" && kind != "List" {
				continue // how values are placed does not depend on it
			}
			v := makeContainer()
			ps := square(20)
			for i := range ps {
				ps[i].x *= scale
			}
			c, view := fill(v, ps, 0), viewOf(v)
			g := near.NewGrid(1, (*dot).flat)
			g3 := near.NewGrid3(1, (*dot).solid)
			g.Rebuild(view)
			g3.Rebuild(view)
			most := func(what string, f func(), most float64) {
				if n := testing.AllocsPerRun(10, f); n > most {
					t.Errorf("%s, %s, %s: %v allocations, want at most %v", name, kind, what, n, most)
				}
			}
			none := func(what string, f func()) { most(what, f, 0) }
			rebuild := 0.0
			if _, list := view.(stable.HandleView[dot]); list {
				rebuild = 8
			}
			most("Rebuild", func() { g.Rebuild(view) }, rebuild)
			most("Rebuild3", func() { g3.Rebuild(view) }, rebuild)
			loops := func() {
				none("Pairs", func() { walkPairs(g) })
				none("Traverse", func() { walkTraverse(g) })
				none("Within", func() { walkWithin(g) })
				none("Near", func() { walkNear(g, c.hs[7]) })
				none("NearestK", func() { walkNearest(g, 8) })
				none("Grid3", func() { walkSpace(g3, c.hs[7]) })
			}
			loops()
			changes := func() { // enough changes to sort again
				for i, h := range c.hs {
					d := v.Ptr(h)
					d.x, d.y = d.y, d.x
					g.Move(h)
					g3.Move(h)
					if i%4 == 0 {
						g.Remove(h)
						g3.Remove(h)
						g.Insert(h)
						g3.Insert(h)
					}
				}
			}
			for range 4 {
				changes()
			}
			none("Move, Remove, Insert", changes)
			g.Move(c.hs[0])
			loops() // also with chains
			most("a frame", func() { g.Rebuild(view); changes() }, rebuild)
		}
	}
}

// If few cells are in use, each Rebuild tries a frame with as many buckets as values, and takes one
// with few.
func TestRebuildOfClumpsAllocatesNothing(t *testing.T) {
	for _, clumps := range []int{1, 3, 10, 40, 100, 400, 1000} {
		for _, n := range []int{100, 1000, 3000} {
			var p berth.Pool[dot]
			for i := range n {
				far := float64(i % clumps)
				p.Insert(dot{place{far * 1e5, far * far * 1e3, 0}, i})
			}
			g, g3 := near.NewGrid(10, (*dot).flat), near.NewGrid3(10, (*dot).solid)
			for range 3 {
				g.Rebuild(&p)
				g3.Rebuild(&p)
			}
			if n := testing.AllocsPerRun(10, func() { g.Rebuild(&p); g3.Rebuild(&p) }); n != 0 {
				t.Errorf("%d values in %d clumps: %v allocations, want 0; %+v", p.Len(), clumps, n, g.Stats())
			}
			if bytes, most := g.Stats().Bytes, 32*n+8*min(n, clumps)+256; bytes > most {
				t.Errorf("%d values in %d clumps: %d bytes, want at most %d", n, clumps, bytes, most)
			}
		}
	}
}
