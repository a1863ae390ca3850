package near_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// square returns the n*n places of a square, 1 apart.
func square(n int) (ps []place) {
	for i := range n * n {
		ps = append(ps, place{float64(i % n), float64(i / n), 0})
	}
	return ps
}

// containers are those whose values loops remove.
var containers = map[string]func() container{
	"Pool":            func() container { return new(berth.Pool[dot]) },
	"Dense deferred":  func() container { return new(berth.Dense[dot]) },
	"Dense immediate": func() container { return defrag(berth.DefragImmediate) },
	"Dense manual":    func() container { return defrag(berth.DefragManual) },
	"List":            lists["List"],
	"List quartered":  lists["List quartered"],
}

func defrag(d berth.Defrag) container {
	return berth.NewDense[dot](berth.DenseConfig{Defrag: d})
}

// looping is a loop over a grid. It calls body with the current entries, the pivot first, followed
// by those it was nested in. body reports whether to go on.
type looping struct {
	name string
	loop func(g searcher, body func(at ...entry) bool)
}

var loops = []looping{
	{"Pairs", func(g searcher, body func(...entry) bool) {
		for a, b := range g.Pairs(1.5) {
			if !body(a, b) {
				return
			}
		}
	}},
	{"Traverse", func(g searcher, body func(...entry) bool) {
		for e := range g.Traverse(1.5) {
			if !body(e) {
				return
			}
		}
	}},
	{"Others", func(g searcher, body func(...entry) bool) {
		for e, o := range g.Traverse(1.5) {
			for h, v := range o.All() {
				if !body(e, entry{Handle: h, Value: v}) {
					return
				}
			}
		}
	}},
	{"Within", func(g searcher, body func(...entry) bool) {
		for e := range g.within(place{4, 4, 0}, 100) {
			if !body(e) {
				return
			}
		}
	}},
	{"Near", func(g searcher, body func(...entry) bool) {
		e, _ := g.nearest(place{4, 4, 0})
		for e := range g.Near(e.Handle, 100) {
			if !body(e) {
				return
			}
		}
	}},
	{"NearestK", func(g searcher, body func(...entry) bool) {
		for e := range g.nearestK(place{4, 4, 0}, 100) {
			if !body(e) {
				return
			}
		}
	}},
}

// inAll runs f for each loop over each container, with and without chains, in the plane and in
// space.
func inAll(t *testing.T, f func(t *testing.T, l looping, v container, c *crowd, g searcher)) {
	t.Helper()
	inEach(t, containers, f)
}

// inEach is inAll for some containers.
func inEach(
	t *testing.T, of map[string]func() container,
	f func(t *testing.T, l looping, v container, c *crowd, g searcher),
) {
	t.Helper()
	for name, makeContainer := range of {
		for _, l := range loops {
			for axes := 2; axes <= 3; axes++ {
				for _, cell := range []float64{1, 3, 1e-9} {
					for chains := range 2 {
						what := fmt.Sprintf("%s/%s/axes=%d/cell=%v/chains=%d", name, l.name, axes, cell, chains)
						t.Run(what, func(t *testing.T) {
							v := makeContainer()
							c := fill(v, square(7), 0)
							g := newSearcher(axes, cell)
							g.Rebuild(viewOf(v))
							for i := 0; i < chains*49; i += 3 {
								g.Remove(c.hs[i])
								g.Insert(c.hs[i])
							}
							f(t, l, v, c, g)
							g.CheckInvariants()
							g.Rebuild(viewOf(v))
							g.CheckInvariants()
						})
					}
				}
			}
		}
	}
}

// A value removed in a loop, from the container or from the grid, is not visited afterwards.
// Pointers are current, wherever the container moves its values.
func TestRemoveInLoops(t *testing.T) {
	inAll(t, func(t *testing.T, l looping, v container, c *crowd, g searcher) {
		gone := map[handle]bool{}
		n := 0
		l.loop(g, func(at ...entry) bool {
			for k, e := range at {
				if l.name == "Others" && k == 0 { // the pivot was handed out before
					continue
				}
				if gone[e.Handle] {
					t.Errorf("visits %v, which was removed", e.Handle)
				}
				if v.Ptr(e.Handle) != e.Value || c.hs[e.Value.id] != e.Handle {
					t.Errorf("visits %v with value %v, want %v", e.Handle, e.Value, v.Ptr(e.Handle))
				}
			}
			n++
			// One of the current entries, and one from anywhere.
			for _, h := range []handle{at[n%len(at)].Handle, c.hs[n*31%len(c.hs)]} {
				if gone[h] {
					continue
				}
				gone[h] = true
				if n%3 != 0 {
					v.Remove(h)
				}
				if n%3 != 1 {
					g.Remove(h)
				}
			}
			return !t.Failed()
		})
		if n == 0 {
			t.Error("visits no value")
		}
		l.loop(g, func(at ...entry) bool {
			for _, e := range at {
				if gone[e.Handle] {
					t.Errorf("the next loop visits %v", e.Handle)
				}
			}
			return true
		})
	})
}

// A value inserted in a loop into a slot used again is another one, and is not visited.
func TestReuseInLoops(t *testing.T) {
	inAll(t, func(t *testing.T, l looping, v container, c *crowd, g searcher) {
		n := 0
		l.loop(g, func(at ...entry) bool {
			if l.name == "Others" { // the pivot may be another value by now
				at = at[1:]
			}
			for _, e := range at {
				if e.Value.id >= 1000 {
					t.Errorf("visits %v, which was inserted in the loop", e.Handle)
				}
			}
			if n++; n < 40 {
				v.Remove(c.hs[n])
				v.Insert(dot{place{4, 4, 0}, 1000 + n})
			}
			return true
		})
	})
}

// Values may be changed in loops. They are found where they were put.
func TestChangeInLoops(t *testing.T) {
	inAll(t, func(t *testing.T, l looping, _ container, c *crowd, g searcher) {
		count := func(body func(e entry)) (n int) {
			l.loop(g, func(at ...entry) bool {
				for _, e := range at {
					body(e)
				}
				n++
				return true
			})
			return n
		}
		want := count(func(entry) {})
		for range 2 {
			got := count(func(e entry) { e.Value.place = place{1e9, -1e9, math.NaN()} })
			if l.name == "Near" && got != want { // near the current position of the value
				got = want
			}
			if got != want {
				t.Errorf("%d turns, want %d", got, want)
			}
		}
		if c.view.Len() != len(c.hs) {
			t.Errorf("Len = %d, want %d", c.view.Len(), len(c.hs))
		}
	})
}

// A loop that ends early leaves a grid that works.
func TestLeaveLoops(t *testing.T) {
	inAll(t, func(t *testing.T, l looping, v container, c *crowd, g searcher) {
		for turns := range 3 {
			n := 0
			l.loop(g, func(...entry) bool { n++; return n <= turns })
			if n != turns+1 {
				t.Errorf("%d turns after false, want %d", n, turns+1)
			}
			func() {
				defer func() {
					if got := recover(); got != "mine" {
						t.Errorf("panic %v, want mine", got)
					}
				}()
				l.loop(g, func(...entry) bool { panic("mine") })
			}()
			g.CheckInvariants()
		}
		axes := 2
		if _, ok := g.(space); ok {
			axes = 3
		}
		c.check(t, "after it", g, rule{axes, near.Circle, 1.2}, nil)
		if g.Len() != v.Len() {
			t.Errorf("Len = %d, want %d", g.Len(), v.Len())
		}
	})
}

// Loops nest.
func TestNestedLoops(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		c := kinds[0](square(4))
		g := newSearcher(axes, 1)
		g.Rebuild(c.view)
		q := rule{axes, near.Box, 1.5}
		n := 0
		for range g.Pairs(1) {
			if n++; n%5 == 0 && !c.check(t, "in Pairs", g, q, []place{{}, {2, 2, 0}}) {
				break
			}
		}
		g.SetShape(near.Circle)
		for e := range g.nearestK(place{}, 3) {
			for b := range g.Near(e.Handle, 1) {
				for d := range g.within(b.Value.place, 1) {
					n += d.Value.id * 0
				}
				if !c.check(t, "deep inside", g, q, nil) {
					return
				}
				g.SetShape(near.Circle)
			}
		}
		if n != 24 {
			t.Errorf("%d pairs, want 24", n)
		}
	}
}

// Calls that change a grid make its loops panic, when their body returns and not before.
func TestChangedInsideLoop(t *testing.T) {
	changes := map[string]func(g searcher, v container, h handle){
		"Rebuild": func(g searcher, v container, _ handle) { g.Rebuild(viewOf(v)) },
		"Insert":  func(g searcher, _ container, h handle) { g.Insert(h) },
		"Move":    func(g searcher, _ container, h handle) { g.Move(h) },
		"Clear":   func(g searcher, _ container, _ handle) { g.Clear() },
	}
	inAll(t, func(t *testing.T, l looping, v container, c *crowd, g searcher) {
		for name, change := range changes {
			n := 0
			func() {
				defer func() {
					want := "near: Grid: changed inside a loop over it"
					if _, ok := g.(space); ok {
						want = strings.Replace(want, "Grid", "Grid3", 1)
					}
					if got := recover(); got != want {
						t.Errorf("%s: panic %v, want %s", name, got, want)
					}
				}()
				l.loop(g, func(...entry) bool { n++; change(g, v, c.hs[48]); return true })
			}()
			if n != 1 {
				t.Errorf("%s: %d turns, want 1", name, n)
			}
			g.CheckInvariants()
			g.Rebuild(v)
			if l.name != "Others" { // whose outer loop returns also after a break
				l.loop(g, func(...entry) bool { change(g, v, c.hs[48]); return false })
			}
			g.Rebuild(v)
			// Calls that change nothing end no loop.
			l.loop(g, func(...entry) bool {
				g.Remove(handle{})
				g.Move(handle{})
				g.Insert(handle{})
				g.Clip()
				g.Len()
				g.Stats()
				g.SetShape(near.Circle)
				return true
			})
		}
	})
}

// Loops over a grid that does not change may run in several goroutines.
func TestLoopsSideBySide(t *testing.T) {
	c := kinds[0](square(9))
	g := newSearcher(2, 1)
	g.Rebuild(c.view)
	done := make(chan [5]int)
	count := func() (n [5]int) {
		for range g.Pairs(1.5) {
			n[0]++
		}
		for _, o := range g.Traverse(1) {
			n[1] += o.Len()
		}
		for e := range g.nearestK(place{3, 3, 0}, 20) {
			n[2] += e.Value.id
		}
		for i := range 8 {
			at := place{float64(i), 3.5, 0}
			for e := range g.within(at, 2) {
				n[3] += e.Value.id
			}
			for e := range g.Near(c.hs[9*i], 2) {
				n[4] += e.Value.id
			}
			if e, ok := g.nearest(at); ok {
				n[2] += e.Value.id
			}
		}
		return n
	}
	for range 4 {
		go func() { done <- count() }()
	}
	want := count()
	for range 4 {
		if got := <-done; got != want {
			t.Errorf("counts %v, want %v", got, want)
		}
	}
}

// Others may be kept, those of a lone value too. They always show the current values.
func TestOthersKept(t *testing.T) {
	var p berth.Pool[dot]
	ps := []place{{0, 0, 0}, {1.5, 0, 0}, {5, 0, 0}}
	for i := range 97 { // enough for Traverse to tell the lone
		ps = append(ps, place{float64(10 + 2*i), 50, 0})
	}
	c := fill(&p, ps, 0)
	g := near.NewGrid(1, (*dot).flat)
	g.Rebuild(&p)
	var o others
	if o.Len() != 0 || o.Contains(c.hs[0]) || o.Ptr(c.hs[0]) != nil {
		t.Error("the zero Others shows a value")
	}
	for e, others := range g.Traverse(1) {
		if e.Handle == c.hs[0] {
			o = others
		}
	}
	for i, step := range []struct {
		do   func()
		want int
	}{
		{func() {}, 0},
		{func() { g.SetShape(near.Box) }, 0}, // it was made as a Circle
		{func() { g.Insert(p.Insert(dot{place{0.5, 0.5, 0}, 100})) }, 1},
		{func() { p.Ptr(c.hs[1]).place = place{0.25, 0, 0}; g.Move(c.hs[1]) }, 2},
		{func() { p.Remove(c.hs[1]) }, 1},
		{func() { p.Ptr(c.hs[2]).place = place{0.5, 0, 0}; g.Move(c.hs[2]) }, 2},
		{func() { g.Rebuild(&p) }, 2},
		{func() { g.Clear() }, 0},
		{func() { g.Rebuild(&p) }, 2},
	} {
		step.do()
		n := 0
		for range o.Values() {
			n++
		}
		for range o.All() {
			n++
		}
		if o.Len() != step.want || n != 2*step.want {
			t.Errorf("step %d: Len = %d, and %d in two loops, want %d", i, o.Len(), n, step.want)
		}
	}
	if o.Contains(c.hs[0]) || !o.Contains(c.hs[2]) || o.Contains(c.hs[1]) || o.Contains(handle{}) {
		t.Error("Contains of the pivot or of a removed value is true, or of an added one false")
	}
}

// order returns a number that depends on the order in which loops visit the values.
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

// The order is pinned. It depends on the values and the calls only, and not on earlier use of the
// grid or the container's seed.
func TestGoldenOrder(t *testing.T) {
	for axes := 2; axes <= 3; axes++ {
		for i, name := range []string{"uniform", "far clusters"} {
			var ps []place
			r := rand.New(rand.NewPCG(9, 9))
			for k := range 200 {
				if i == 0 {
					ps = append(ps, place{
						float64(r.IntN(1000)) / 64, float64(r.IntN(1000)) / 64, float64(r.IntN(200)) / 64,
					})
				} else {
					ps = append(ps, place{
						float64(k%2*5000000 + r.IntN(8)), float64(r.IntN(8)), float64(k % 3 * 7000000),
					})
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
				t.Errorf("%s, %d axes: order %x, and %x the second time", name, axes, got, again)
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

// A value whose computed distance is the radius is within it, also if the distance is rounded and
// the value lies beyond the rounded end of the search.
func TestWithinRoundedDistance(t *testing.T) {
	var p berth.Pool[dot]
	for x := range 20 {
		p.Insert(dot{place{float64(x), 0, 0}, x})
	}
	g := near.NewGrid(1, (*dot).flat)
	g.Rebuild(&p)
	n := 0
	for range g.Within(-0x1p60, 0, 0x1p60) { // x + 0x1p60 is rounded to it
		n++
	}
	if n != 20 {
		t.Errorf("%d of 20 values within the radius", n)
	}
}
