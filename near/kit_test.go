package near_test

import (
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// dot is a value with a position.
type dot struct {
	place
	id int
}

type place struct{ x, y, z float64 }

func (d *dot) flat() (x, y float64)     { return d.x, d.y }
func (d *dot) solid() (x, y, z float64) { return d.x, d.y, d.z }

type (
	handle = berth.Handle[dot]
	entry  = berth.Entry[dot]
	others = near.Others[dot]
)

// searcher is the interface of both a Grid and a Grid3.
type searcher interface {
	Rebuild(berth.View[dot])
	Insert(handle) bool
	Move(handle) bool
	Remove(handle) bool
	Clear()
	Clip()
	SetShape(near.Shape)
	Len() int
	Stats() near.Stats
	Pairs(float64) iter.Seq2[entry, entry]
	Traverse(float64) iter.Seq2[entry, others]
	Near(handle, float64) iter.Seq[entry]
	Looks(float64) int
	CheckInvariants()

	within(p place, r float64) iter.Seq[entry]
	nearest(p place) (entry, bool)
	nearestK(p place, k int) iter.Seq[entry]
}

type plane struct{ *near.Grid[dot] }

func (g plane) within(p place, r float64) iter.Seq[entry] { return g.Within(p.x, p.y, r) }
func (g plane) nearest(p place) (entry, bool)             { return g.Nearest(p.x, p.y) }
func (g plane) nearestK(p place, k int) iter.Seq[entry]   { return g.NearestK(p.x, p.y, k) }

type space struct{ *near.Grid3[dot] }

func (g space) within(p place, r float64) iter.Seq[entry] { return g.Within(p.x, p.y, p.z, r) }
func (g space) nearest(p place) (entry, bool)             { return g.Nearest(p.x, p.y, p.z) }
func (g space) nearestK(p place, k int) iter.Seq[entry]   { return g.NearestK(p.x, p.y, p.z, k) }

// newSearcher returns a grid of two or three axes.
func newSearcher(axes int, cell float64) searcher {
	if axes == 2 {
		return plane{near.NewGrid(cell, (*dot).flat)}
	}
	return space{near.NewGrid3(cell, (*dot).solid)}
}

// rule is the definition of near, in its simplest form.
type rule struct {
	axes  int
	shape near.Shape
	r     float64
}

func (q rule) String() string {
	return fmt.Sprintf("%d axes, %s, r=%v", q.axes, []string{"Circle", "Box"}[q.shape], q.r)
}

// far returns the measure of distance: its square, or in a Box the largest difference. Each product
// is rounded before the sum.
func (q rule) far(a, b place) float64 {
	x, y, z := a.x-b.x, a.y-b.y, a.z-b.z
	if q.axes == 2 {
		z = 0
	}
	if q.shape == near.Box {
		return max(math.Abs(x), math.Abs(y), math.Abs(z))
	}
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// near reports whether a value at b, which is not nowhere, is near a place.
func (q rule) near(a, b place) bool { return q.counts(q.far(a, b)) }

func (q rule) counts(far float64) bool {
	if q.shape == near.Box {
		return far < q.r
	}
	return far <= float64(q.r*q.r)
}

// nowhere reports whether a value there is near no other.
func (q rule) nowhere(p place) bool {
	off := func(x float64) bool { return math.IsNaN(x) || math.IsInf(float64(float32(x)), 0) }
	return off(p.x) || off(p.y) || q.axes == 3 && off(p.z)
}

// endless reports whether a place has a coordinate that a search cannot use.
func (q rule) endless(p place) bool {
	off := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
	return off(p.x) || off(p.y) || q.axes == 3 && off(p.z)
}

// crowd is the values of a grid, in the order of their ids.
type crowd struct {
	view   berth.View[dot]
	hs     []handle
	places []place
	seen   []int
}

// check compares all searches of a grid with brute force by a rule, and stops at the first mistake.
// The nearest values do not depend on the radius, and are checked for radius 0 only.
func (c *crowd) check(t *testing.T, name string, g searcher, q rule, probes []place) bool {
	t.Helper()
	g.SetShape(q.shape)
	for _, what := range []string{"Pairs", "Traverse", "Near", "Within", "Nearest"} {
		var err error
		switch what {
		case "Pairs":
			err = c.pairs(g, q)
		case "Traverse":
			err = c.traverse(g, q)
		case "Near":
			err = c.near(g, q)
		case "Within":
			err = c.within(g, q, probes)
		default:
			if q.r == 0 {
				err = c.nearest(g, q, probes)
			}
		}
		if err != nil {
			t.Errorf("%s, %v: %s: %v", name, q, what, err)
			return false
		}
	}
	return true
}

// id returns the id of an entry's value, or an error if it has none, or a wrong handle.
func (c *crowd) id(e entry) (int, error) {
	switch i := 0; {
	case e.Value == nil:
		return 0, fmt.Errorf("an entry without value, handle %v", e.Handle)
	case e.Value.id < 0 || e.Value.id >= len(c.hs):
		return 0, fmt.Errorf("unknown value: %+v", *e.Value)
	default:
		i = e.Value.id
		if c.hs[i] != e.Handle || c.view.Ptr(e.Handle) != e.Value {
			return 0, fmt.Errorf("value %d has handle %v, want %v", i, e.Handle, c.hs[i])
		}
		return i, nil
	}
}

// exactly compares the values that a loop has visited with want. got[i] counts the visits of i.
func (c *crowd) exactly(from place, got []int, want func(i int) bool) error {
	for i, n := range got {
		if w := want(i); w && n != 1 || !w && n != 0 {
			return fmt.Errorf("from %v: visits %v (%d) %d times, want %t", from, c.places[i], i, n, w)
		}
	}
	return nil
}

func (c *crowd) fresh(n int) []int {
	if cap(c.seen) < n {
		c.seen = make([]int, n)
	}
	c.seen = c.seen[:n]
	clear(c.seen)
	return c.seen
}

func (c *crowd) pairs(g searcher, q rule) error {
	n := len(c.places)
	seen := c.fresh(n * n)
	for a, b := range g.Pairs(q.r) {
		i, err := c.id(a)
		if err != nil {
			return err
		}
		j, err := c.id(b)
		if err != nil {
			return err
		}
		seen[min(i, j)*n+max(i, j)]++
	}
	for i, a := range c.places {
		off := q.nowhere(a)
		err := c.exactly(a, seen[i*n:(i+1)*n], func(j int) bool {
			return j > i && !off && !q.nowhere(c.places[j]) && q.near(a, c.places[j])
		})
		if err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

// around compares the others of value i with brute force.
func (c *crowd) around(found iter.Seq[entry], q rule, i int) error {
	seen := c.fresh(len(c.places))
	for e := range found {
		j, err := c.id(e)
		if err != nil {
			return err
		}
		seen[j]++
	}
	a := c.places[i]
	off := q.nowhere(a)
	return c.exactly(a, seen, func(j int) bool {
		return j != i && !off && !q.nowhere(c.places[j]) && q.near(a, c.places[j])
	})
}

func (c *crowd) near(g searcher, q rule) error {
	for i, h := range c.hs {
		if i%4 != 0 && len(c.hs) > 20 {
			continue
		}
		if err := c.around(g.Near(h, q.r), q, i); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

func (c *crowd) traverse(g searcher, q rule) error {
	turns := make([]int, len(c.hs))
	for e, o := range g.Traverse(q.r) {
		i, err := c.id(e)
		if err != nil {
			return err
		}
		turns[i]++
		err = c.around(func(yield func(entry) bool) {
			for h, p := range o.All() {
				if !yield(entry{Handle: h, Value: p}) {
					return
				}
			}
		}, q, i)
		if err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
		if i%16 == 0 && turns[i] == 1 {
			if err := c.view1(o, i, q); err != nil {
				return fmt.Errorf("%d: others: %w", i, err)
			}
		}
	}
	for i, n := range turns {
		if n != 1 {
			return fmt.Errorf("visits %d %d times, want once", i, n)
		}
	}
	return nil
}

// view1 compares the methods of Others with each other, and with brute force.
func (c *crowd) view1(o others, i int, q rule) error {
	a, n := c.places[i], 0
	off := q.nowhere(a)
	for j, h := range c.hs {
		want := j != i && !off && !q.nowhere(c.places[j]) && q.near(a, c.places[j])
		if want {
			n++
		}
		if len(c.hs) > 20 && j%16 != i%3 { // each lookup takes a search
			continue
		}
		v, ok := o.Get(h)
		if p := o.Ptr(h); o.Contains(h) != want || ok != want || (p != nil) != want ||
			want && (p.id != j || v.id != j) || !want && v != (dot{}) {
			return fmt.Errorf("Contains, Get, Ptr of %d = %t, %v, %t, %v, want %t",
				j, o.Contains(h), v, ok, p, want)
		}
	}
	values := 0
	for range o.Values() {
		values++
	}
	if o.Len() != n || values != n {
		return fmt.Errorf("Len = %d and %d Values, want %d", o.Len(), values, n)
	}
	if o.Contains(handle{}) {
		return fmt.Errorf("has the zero handle")
	}
	return nil
}

func (c *crowd) within(g searcher, q rule, probes []place) error {
	for _, p := range probes {
		seen := c.fresh(len(c.places))
		for e := range g.within(p, q.r) {
			i, err := c.id(e)
			if err != nil {
				return err
			}
			seen[i]++
		}
		err := c.exactly(p, seen, func(i int) bool {
			return !q.endless(p) && !q.nowhere(c.places[i]) && q.near(p, c.places[i])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nearest compares distances: of equally near values any will do.
func (c *crowd) nearest(g searcher, q rule, probes []place) error {
	for i, p := range probes {
		want := c.ranks(q, p)
		e, ok := g.nearest(p)
		if ok != (len(want) > 0) {
			return fmt.Errorf("of %v = %t, want %t", p, ok, !ok)
		}
		if ok {
			j, err := c.id(e)
			if err != nil {
				return err
			}
			if far := q.far(p, c.places[j]); far != want[0] {
				return fmt.Errorf("of %v: value %d at %v, distance %v, want %v", p, j, c.places[j], far, want[0])
			}
		}
		for _, k := range [][]int{{0, 2, 8}, {1, len(c.hs)}, {9, math.MaxInt}}[i%3] {
			if err := c.nearestK(g, q, p, k, want[:min(k, len(want))]); err != nil {
				return fmt.Errorf("K: the %d of %v: %w", k, p, err)
			}
		}
	}
	return nil
}

func (c *crowd) nearestK(g searcher, q rule, p place, k int, want []float64) error {
	seen := c.fresh(len(c.places))
	n := 0
	for e := range g.nearestK(p, k) {
		i, err := c.id(e)
		switch {
		case err != nil:
			return err
		case seen[i] > 0:
			return fmt.Errorf("value %d visited twice", i)
		case n == len(want):
			return fmt.Errorf("more than %d values", n)
		}
		if far := q.far(p, c.places[i]); far != want[n] {
			return fmt.Errorf("value %d is at distance %v, want %v", n, far, want[n])
		}
		seen[i]++
		n++
	}
	if n != len(want) {
		return fmt.Errorf("%d, want %d", n, len(want))
	}
	return nil
}

// ranks returns the distances of all values from a place, without those nowhere, the nearest first.
func (c *crowd) ranks(q rule, p place) (list []float64) {
	if q.endless(p) {
		return nil
	}
	for _, o := range c.places {
		if !q.nowhere(o) {
			list = append(list, q.far(p, o))
		}
	}
	slices.Sort(list)
	return list
}

// panics checks the text with which f panics.
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

// heap returns the size of the live heap.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

type container interface {
	berth.View[dot]
	Insert(dot) handle
	Remove(handle) (dot, bool)
}

// fill puts values into a container. With holes, one of that many is removed from it.
func fill(v container, ps []place, holes int) *crowd {
	c := &crowd{view: viewOf(v)}
	var gone []handle
	for i, p := range ps {
		if holes > 0 && i%holes == 0 {
			gone = append(gone, v.Insert(dot{place{-1, 1, 1}, -1}))
		}
		c.hs = append(c.hs, v.Insert(dot{p, i}))
	}
	for _, h := range gone {
		v.Remove(h)
	}
	c.places = slices.Clone(ps)
	return c
}

// The loops of the benchmarks and of the tests that count allocations.

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
