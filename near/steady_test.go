package near_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/near"
)

// The loops below are functions of their own, as a user's are: in a closure within a closure an
// iterator may escape.

//go:noinline
func walkPairs(g *near.Grid[dot]) (n int) {
	for a, b := range g.Pairs(1.5) {
		n += a.Value.id ^ b.Value.id
	}
	return n
}

//go:noinline
func walkTraverse(g *near.Grid[dot]) (n int) {
	for e, o := range g.Traverse(1.5) {
		for v := range o.Values() {
			n += v.id ^ e.Value.id
		}
		for h := range o.All() {
			if h == e.Handle {
				n++
			}
		}
		n += o.Len()
	}
	return n
}

//go:noinline
func walkWithin(g *near.Grid[dot]) (n int) {
	for e := range g.Within(3, 3, 4) {
		n += e.Value.id
	}
	return n
}

//go:noinline
func walkNear(g *near.Grid[dot], h handle) (n int) {
	for e := range g.Near(h, 4) {
		n += e.Value.id
	}
	return n
}

//go:noinline
func walkNearest(g *near.Grid[dot], k int) (n int) {
	for e := range g.NearestK(3, 3, k) {
		n += e.Value.id
	}
	if e, ok := g.Nearest(5, 5); ok {
		n += e.Value.id
	}
	return n
}

//go:noinline
func walkSpace(g *near.Grid3[dot], h handle) (n int) {
	for a, b := range g.Pairs(1.5) {
		n += a.Value.id ^ b.Value.id
	}
	for e, o := range g.Traverse(1.5) {
		for v := range o.Values() {
			n += v.id ^ e.Value.id
		}
	}
	for e := range g.Within(3, 3, 3, 4) {
		n += e.Value.id
	}
	for e := range g.Near(h, 4) {
		n += e.Value.id
	}
	for e := range g.NearestK(3, 3, 3, 8) {
		n += e.Value.id
	}
	if e, ok := g.Nearest(5, 5, 5); ok {
		n += e.Value.id
	}
	return n
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if invariants.On {
		t.Skip("to check the invariants takes memory")
	}
	for name, scale := range map[string]float64{"dense": 1, "scattered": 1000, "not exact": 1.1} {
		for kind, makeContainer := range containers {
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
			none := func(what string, f func()) {
				if n := testing.AllocsPerRun(10, f); n != 0 {
					t.Errorf("%s, %s, %s: %v allocations, want 0", name, kind, what, n)
				}
			}
			none("Rebuild", func() { g.Rebuild(view) })
			none("Rebuild3", func() { g3.Rebuild(view) })
			loops := func() {
				none("Pairs", func() { walkPairs(g) })
				none("Traverse", func() { walkTraverse(g) })
				none("Within", func() { walkWithin(g) })
				none("Near", func() { walkNear(g, c.hs[7]) })
				none("NearestK", func() { walkNearest(g, 8) })
				none("Grid3", func() { walkSpace(g3, c.hs[7]) })
			}
			loops()
			changes := func() { // enough of them to sort again
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
			none("a frame", func() { g.Rebuild(view); changes() })
		}
	}
}

// NearestK has room for those that it can find, and not for those that it is asked for.
func TestNearestKOfMany(t *testing.T) {
	c := kinds[0](square(5))
	g := near.NewGrid(1, (*dot).flat)
	g.Rebuild(c.view)
	if n := testing.AllocsPerRun(10, func() { walkNearest(g, math.MaxInt) }); n > 1 {
		t.Errorf("%v allocations for 25 values, want 1", n)
	}
}

// A value has 16 bytes, and a cell in use at most 8.
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
		if most := 16*n + 8*used + 4*32; s.Bytes > most {
			t.Errorf("%s: %d values in %d cells of %d take %d bytes, want at most %d",
				w.name, n, used, s.Cells, s.Bytes, most)
		}
		if s.Items != n || s.Vacant != 0 {
			t.Errorf("%s: Stats = %+v, want %d items", w.name, s, n)
		}
		// The index goes at the second Rebuild that has not needed it.
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
		if got, most := g3.Stats().Bytes, 20*n+8*g3.Cells()+4*32; got > most {
			t.Errorf("%s, in space: %d values take %d bytes, want at most %d", w.name, n, got, most)
		}
	}
}

// heap is what lives on the heap.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// After a spike the memory comes back, by itself or at once by Clip.
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
				c := kinds[0](square(150))
				g.Rebuild(c.view)
				for _, h := range c.hs[:5000] {
					g.Remove(h)
					g.Insert(h)
				}
			}()
			times := 40
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

// Memory that is needed again and again stays.
func TestSpikesComeAgain(t *testing.T) {
	if invariants.On {
		t.Skip("to check the invariants takes memory")
	}
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

// order returns a number of the order in which loops visit the values.
func order(g searcher) uint64 {
	h := fnv.New64a()
	for a, b := range g.Pairs(2) {
		fmt.Fprint(h, a.Value.id, b.Value.id)
	}
	for e, o := range g.Traverse(2) {
		fmt.Fprint(h, e.Value.id)
		for v := range o.Values() {
			fmt.Fprint(h, v.id)
		}
	}
	for e := range g.within(place{1, 1, 1}, 5) {
		fmt.Fprint(h, e.Value.id)
	}
	for e := range g.nearestK(place{1, 1, 1}, 10) {
		fmt.Fprint(h, e.Value.id)
	}
	return h.Sum64()
}

// The order is pinned. It depends on the values and the calls only: not on what a grid was used for
// before, nor on the container's seed.
func TestGoldenOrder(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		for i, name := range []string{"uniform", "far clusters"} {
			var ps []place
			r := rand.New(rand.NewPCG(9, 9))
			for k := range 200 {
				if i == 0 {
					ps = append(ps, place{float64(r.IntN(1000)) / 64, float64(r.IntN(1000)) / 64, float64(r.IntN(200)) / 64})
				} else {
					ps = append(ps, place{float64(k%2*5000000 + r.IntN(8)), float64(r.IntN(8)), float64(k % 3 * 7000000)})
				}
			}
			fresh, used := newSearcher(axes, 1), newSearcher(axes, 1)
			fresh.Rebuild(kinds[0](ps).view)
			used.Rebuild(kinds[1](square(30)).view)
			used.Insert(handle{})
			order(used)
			used.Rebuild(kinds[1](ps).view)
			got := order(fresh)
			if again := order(fresh); again != got {
				t.Errorf("%s, %d axes: order %x, and then %x", name, axes, got, again)
			}
			if other := order(used); other != got {
				t.Errorf("%s, %d axes: order %x in a used grid, want %x", name, axes, other, got)
			}
			if want := goldenOrder[axes-2][i]; got != want {
				t.Errorf("%s, %d axes: order %#x, want %#x", name, axes, got, want)
			}
			changed := func(kind int) uint64 {
				c, g := kinds[kind](ps), newSearcher(axes, 1)
				g.Rebuild(c.view)
				for k, h := range c.hs {
					if d := c.view.Ptr(h); k%3 == 0 {
						d.x++
						g.Move(h)
					}
				}
				return order(g)
			}
			if a, b := changed(0), changed(1); a != b {
				t.Errorf("%s, %d axes: after the same moves order %x and %x", name, axes, a, b)
			}
		}
	}
}

var goldenOrder = [2][2]uint64{
	{0x46ac344aae90ba93, 0xb1bcfebe722f3fc3},
	{0xa41e07c571eb24f7, 0xad04c67c7b2b3f1},
}

// Worlds whose values could all be in one bucket, or in one row: there are few to look at.
func TestLooksAtFew(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	lattice := func(side int, step float64) func(i int) place {
		return func(i int) place { return place{float64(i%side) * step, float64(i/side) * step, 0} }
	}
	r := rand.New(rand.NewPCG(4, 4))
	for _, w := range []struct {
		name  string
		most  int // to look at, for each value
		place func(i int) place
	}{
		{"uniform", 30, func(int) place { return place{r.Float64() * 300, r.Float64() * 300, 0} }},
		{"lattice of 2 to 10", 40, lattice(316, 1<<10)},
		{"lattice of 2 to 16", 40, lattice(316, 1<<16)},
		{"lattice of 2 to 20", 40, lattice(316, 1<<20)},
		{"row of 2 to 10", 40, lattice(1<<30, 1<<10)},
		{"row of 2 to 18", 40, func(i int) place { return place{float64(i%2000) * (1 << 18), float64(i / 2000), 0} }},
		{"row of 2 to 4", 40, lattice(1<<30, 1<<4)},
		{"column of 2 to 10", 40, lattice(1, 1<<10)},
		{"column of 2 to 14", 40, lattice(1, 1<<14)},
		{"diagonal", 40, func(i int) place { return place{float64(i) * 64, float64(i) * 64, 0} }},
		{"segments", 40, func(i int) place { return place{float64(i%16 + i/16*1024), 0, 0} }},
		{"squares of 2 to 12", 60, func(i int) place {
			return place{float64(i%8 + i/64%64*4096), float64(i/8%8 + i/4096*4096), 0}
		}},
		{"crowd in a wide world", 60, func(i int) place { // large cells are in use, but for one not crowded
			if i%4 == 0 {
				return place{r.Float64() * 150, r.Float64() * 150, 0}
			}
			return place{r.Float64() * 1e5, r.Float64() * 1e5, 0}
		}},
		{"outlier", 60, func(i int) place {
			return place{r.Float64() * 300, r.Float64()*300 + float64(i/(n-1))*1e12, 0}
		}},
		{"far cluster", 100, func(i int) place {
			return place{r.Float64()*300 + float64(i%2)*1e7, r.Float64() * 300, 0}
		}},
		{"very far cluster", 100, func(i int) place { // a cell is a step of a float32 there
			return place{r.Float64()*300 + float64(i%2)*(1<<24), r.Float64() * 300, 0}
		}},
		{"corners", 60, func(i int) place {
			far := float64(i/(n-4)) * 1e30 // for the last four
			return place{r.Float64()*300 + far*float64(i%2*2-1), r.Float64()*300 + far*float64(i/2%2*2-1), 0}
		}},
	} {
		for axes := 2; axes <= 3; axes++ {
			var p berth.Pool[dot]
			for i := range n {
				p.Insert(dot{w.place(i), i})
			}
			g := newSearcher(axes, 1)
			g.Rebuild(&p)
			if looks := g.Looks(1) / n; looks > w.most*(3*axes-5) {
				t.Errorf("%s, %d axes: Pairs looks at %d for each value, want at most %d; %+v",
					w.name, axes, looks, w.most*(3*axes-5), g.Stats())
			}
		}
	}
}

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

// Where few cells are in use, a frame with as many buckets as values is tried at each Rebuild, and one
// with few is taken.
func TestRebuildOfClumpsAllocatesNothing(t *testing.T) {
	if invariants.On {
		t.Skip("to check the invariants takes memory")
	}
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
			if bytes, most := g.Stats().Bytes, 16*n+8*min(n, clumps)+256; bytes > most {
				t.Errorf("%d values in %d clumps: %d bytes, want at most %d", n, clumps, bytes, most)
			}
		}
	}
}

// A grid that has not been told of a removal keeps the handle, and nothing of the value: law 6.
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
			t.Errorf("value %d is in memory: %t", i, kept)
		}
	}
	if g.Len() != 10 || g3.Len() != 10 {
		t.Errorf("Len = %d, %d, want 10", g.Len(), g3.Len())
	}
	runtime.KeepAlive(&p)
}
