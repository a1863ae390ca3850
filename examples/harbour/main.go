// Harbour has two ways to ask who is close to whom, each for what it is good at. Both keep handles,
// and neither has to be told when a value is gone.
//
//   - Bodies are of wildly different sizes, from a buoy of 1 metre to a bank of fog of 10 000, and
//     few of them move. A tree of rectangles takes their handles: github.com/tidwall/rtree, as it
//     comes.
//   - Dinghies are many, all of one size, and all of them move all the time. A near.Grid is rebuilt
//     each second, in place of telling a tree of a thousand moves.
//
// The fog lifts, and is taken out of its pool. Its handle is left behind in the tree, where it
// finds nothing, and is dropped by the first who comes across it.
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

// Body fills a square. Only steer may change where: the chart finds a body by the square at which
// it was entered.
type Body struct {
	name string
	x, y float64 // of the middle, in metres
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

// Dinghy is a small boat in a regatta, and how far it goes in a second.
type Dinghy struct{ x, y, dx, dy float64 }

const (
	fleet   = 1000   // dinghies
	bay     = 500    // metres in which they begin
	sight   = 4      // metres: who comes nearer gets a fright
	wash    = 20     // how far that of a tug capsizes them
	horn    = 100    // how far that of a tanker is heard
	largest = 10_000 // body
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
	// Who looks for dinghies mostly looks a few metres around, so cells are that large.
	return &harbour{out: out, grid: near.NewGrid(sight, func(d *Dinghy) (x, y float64) {
		return d.x, d.y
	})}
}

func (h *harbour) say(format string, args ...any) { fmt.Fprintf(h.out, format+"\n", args...) }

// enter makes a body, and enters it in the chart.
func (h *harbour) enter(name string, x, y, size float64) handle {
	b := Body{name, x, y, size}
	lo, hi := b.box()
	k := h.bodies.Insert(b)
	h.chart.Insert(lo, hi, k)
	return k
}

// steer moves a body, and tells the chart.
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

// touching returns all bodies that touch one, the largest first. Stale handles that the chart still
// has are dropped from it on the way: after the search, since a tree must not change within.
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

// look says what touches a body.
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

// fill makes a channel between two rows of buoys, with ships in it and shoals to both sides.
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

// voyage is what the tree is good at: one question finds the buoys and the fog.
func (h *harbour) voyage() (atlas handle) {
	atlas, fog := h.fill()
	h.say("the Atlas lies in the harbour:")
	h.look(atlas)
	h.say("  a grid would have to look at %d", h.candidates(atlas))
	h.say("the fog lifts, and nobody tells the chart; Dora comes, and has the fog's slot:")
	h.bodies.Remove(fog)
	h.enter("Dora", 19_000, 0, 400)
	h.count()
	h.look(atlas)
	h.count()
	h.say("  stale handles that were found, and dropped: %d", h.dropped)
	h.say("the Atlas sails 5000 m to the west, and the chart is told:")
	h.steer(atlas, -5_000, 0)
	h.look(atlas)
	return atlas
}

// candidates returns how many bodies one would have to look at if a grid had them. There each is a
// point. So that the fog is found, whose middle is far off, one has to ask as far as the largest
// body might reach, and gets all that have their middle there.
func (h *harbour) candidates(k handle) (n int) {
	g := near.NewGrid(400, func(b *Body) (x, y float64) { return b.x, b.y })
	g.Rebuild(&h.bodies)
	reach := (h.bodies.Ptr(k).size + largest) / 2
	g.SetShape(near.Box)
	for range g.Near(k, reach+1) { // less than that along each axis: all that might touch
		n++
	}
	return n
}

// regatta is what the grid is good at: all move, and each second it is made anew. A tug crosses,
// and whoever comes too near is taken out of the pool inside the loop. The grid is not told: the
// loops that come next do not meet the capsized, although nothing was rebuilt.
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
		moved := h.dinghies.Len() // so often a tree would have to be told; the grid is told once
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

// signal asks both: the tree for the bodies at a ship, and the grid for the dinghies around her.
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
