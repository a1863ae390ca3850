// Harbour finds nearby values with two spatial indexes, an R-tree and a uniform grid. Both hold
// handles, and neither has to be updated when a value is removed from its pool.
//
//   - Bodies have very different sizes, from a buoy of 1 metre to a bank of fog of 10 000, and few
//     of them move. The R-tree of github.com/tidwall/rtree holds their handles.
//   - The thousand dinghies have one size, and all of them move all the time. A near.Grid is
//     rebuilt each second, instead of a thousand updates of a tree.
//
// When the fog lifts, it is removed from its pool only. Its handle stays in the tree, where it
// finds nothing, until a search meets it and deletes it.
//
// Run it with
//
//	go run ./examples/harbour
package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/rtree"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// Body fills a square. Only steer may change its position, because the chart holds that too.
type Body struct {
	name string
	x, y float64 // of the center, in metres
	size float64
}

type (
	handle = berth.Handle[Body]
	vector = [2]float64
)

// box returns the corners of the square.
func (b *Body) box() (lo, hi vector) {
	half := b.size / 2
	return vector{b.x - half, b.y - half}, vector{b.x + half, b.y + half}
}

// Dinghy is a small boat in a regatta, with its position and the distance of its moves.
type Dinghy struct{ x, y, dx, dy float64 }

const (
	fleet   = 1000   // dinghies
	bay     = 500    // side of the square in which they begin
	sight   = 4      // two dinghies that come nearer get a fright
	wash    = 20     // a tug that comes nearer capsizes a dinghy
	horn    = 100    // a tanker's is heard as far as that
	largest = 10_000 // size of a body
)

type harbour struct {
	out     io.Writer
	bodies  berth.Pool[Body]
	chart   rtree.RTreeG[handle] // of the bodies, by their squares
	dropped int                  // stale handles, from the chart

	dinghies berth.Pool[Dinghy]
	grid     *near.Grid[Dinghy]
}

func newHarbour(out io.Writer) *harbour {
	// Most queries reach a few metres, so cells are that large.
	return &harbour{out: out, grid: near.NewGrid(sight, func(d *Dinghy) (x, y float64) {
		return d.x, d.y
	})}
}

func (h *harbour) say(format string, args ...any) { fmt.Fprintf(h.out, format+"\n", args...) }

// enter adds a body to the pool and to the chart.
func (h *harbour) enter(name string, x, y, size float64) handle {
	b := Body{name, x, y, size}
	lo, hi := b.box()
	k := h.bodies.Insert(b)
	h.chart.Insert(lo, hi, k)
	return k
}

// steer moves a body, also in the chart.
func (h *harbour) steer(k handle, dx, dy float64) {
	b := h.bodies.Ptr(k)
	if b == nil {
		return
	}
	lo, hi := b.box()
	b.x, b.y = b.x+dx, b.y+dy
	newLo, newHi := b.box()
	h.chart.Replace(lo, hi, k, newLo, newHi, k)
}

// touching returns all bodies that touch one, the largest first. It deletes the stale handles that
// it meets from the chart, after the search, because a search must not change the tree.
func (h *harbour) touching(k handle) (found []*Body) {
	b := h.bodies.Ptr(k)
	if b == nil {
		return nil
	}
	type entry struct {
		lo, hi vector
		k      handle
	}
	var stale []entry
	lo, hi := b.box()
	h.chart.Search(lo, hi, func(lo, hi vector, other handle) bool {
		switch o := h.bodies.Ptr(other); {
		case o == nil:
			stale = append(stale, entry{lo, hi, other})
		case other != k:
			found = append(found, o)
		}
		return true
	})
	for _, e := range stale {
		h.chart.Delete(e.lo, e.hi, e.k)
		h.dropped++
	}
	slices.SortFunc(found, func(a, b *Body) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	return found
}

// look prints the bodies that touch one.
func (h *harbour) look(k handle) {
	var list []string
	for _, o := range h.touching(k) {
		list = append(list, o.name)
	}
	h.say("  the %s touches %d: %s", h.bodies.Ptr(k).name, len(list), strings.Join(list, ", "))
}

func (h *harbour) count() {
	h.say("  the pool has %d bodies, and the chart %d", h.bodies.Len(), h.chart.Len())
}

// fill makes a channel between two rows of buoys, with ships in it and a shoal on each side.
func (h *harbour) fill() (atlas, fog handle) {
	for i := range 100 {
		h.enter(fmt.Sprint("red buoy ", i), float64(200*i), 150, 1)
		h.enter(fmt.Sprint("green buoy ", i), float64(200*i), -150, 1)
	}
	for i := range 20 {
		h.enter(fmt.Sprint("tug ", i), float64(1000*i+90), 0, 30)
	}
	h.enter("Bruno", 500, 0, 400)
	h.enter("Cyclops", 15_100, 0, 400)
	h.enter("north shoal", 5_000, 900, 1500)
	h.enter("south shoal", 10_000, -900, 1500)
	return h.enter("Atlas", 10_100, 0, 400), h.enter("fog", 12_000, 3_000, largest)
}

// voyage is the work that suits the tree: one search finds the buoys and the fog.
func (h *harbour) voyage() (atlas handle) {
	atlas, fog := h.fill()
	h.say("the Atlas lies in the harbour:")
	h.look(atlas)
	h.say("  a query of a grid would visit %d", h.candidates(atlas))
	h.say("the fog lifts, which does not change the chart; Dora comes and has the fog's slot:")
	h.bodies.Remove(fog)
	h.enter("Dora", 19_000, 0, 400)
	h.count()
	h.look(atlas)
	h.count()
	h.say("  stale handles deleted from the chart: %d", h.dropped)
	h.say("the Atlas sails 5000 m to the west, which changes the chart:")
	h.steer(atlas, -5_000, 0)
	h.look(atlas)
	return atlas
}

// candidates returns the number of bodies that a query of a grid would visit to find those that
// touch one. A grid holds points. To find the fog, whose center is far away, the query has to reach
// as far as the largest body, so it visits all bodies with their centers there.
func (h *harbour) candidates(k handle) (n int) {
	g := near.NewGrid(400, func(b *Body) (x, y float64) { return b.x, b.y })
	g.Rebuild(&h.bodies)
	reach := (h.bodies.Ptr(k).size + largest) / 2
	g.SetShape(near.Box)
	for range g.Near(k, reach+1) { // less than that along each axis: all bodies that might touch
		n++
	}
	return n
}

// regatta is the work that suits the grid: all dinghies move, and the grid is rebuilt each second.
// A tug crosses, and dinghies that come too near are removed from the pool inside a loop over the
// grid. Later loops skip them without a rebuild.
func (h *harbour) regatta() {
	rng := rand.New(rand.NewPCG(1, 2))
	for range fleet {
		h.dinghies.Insert(Dinghy{
			x: float64(5_000 + rng.IntN(bay)), y: float64(rng.IntN(bay) - bay/2),
			dx: float64(rng.IntN(7) - 3), dy: float64(rng.IntN(7) - 3),
		})
	}
	tug := h.enter("Vigor", 5_000, 0, 30)
	h.say("second  moved  capsized  frights")
	for second := range 6 {
		h.steer(tug, 80, 0)
		moved := h.dinghies.Len() // the number of updates of a tree; the grid is rebuilt once
		for d := range h.dinghies.Values() {
			d.x, d.y = d.x+d.dx, d.y+d.dy
		}
		h.grid.Rebuild(&h.dinghies)

		capsized, frights := 0, 0
		t := h.bodies.Ptr(tug)
		for d := range h.grid.Within(t.x, t.y, wash) {
			h.dinghies.Remove(d.Handle)
			capsized++
		}
		for range h.grid.Pairs(sight) {
			frights++
		}
		h.say("%6d  %5d  %8d  %7d", second, moved, capsized, frights)
	}
}

// signal uses both: the tree for the bodies that touch a ship, the grid for the dinghies around
// her.
func (h *harbour) signal(k handle) {
	b := h.bodies.Ptr(k)
	heard := 0
	for range h.grid.Within(b.x, b.y, horn) {
		heard++
	}
	h.say("the %s blows her horn: %d bodies touch her, and %d dinghies are within %d m",
		b.name, len(h.touching(k)), heard, horn)
}

func run(out io.Writer) {
	h := newHarbour(out)
	atlas := h.voyage()
	h.regatta()
	h.signal(atlas)
}

func main() { run(os.Stdout) }
