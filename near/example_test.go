package near_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

type rock struct {
	name         string
	x, y, dx, dy float64
}

// A game moves its rocks, rebuilds the grid, and lets rocks that touch break each other, in every
// frame. The player's radar shows the rocks around the ship.
func Example() {
	var rocks berth.Pool[rock]
	rocks.Insert(rock{"Ceres", 0, 0, 1, 0})
	rocks.Insert(rock{"Pallas", 6, 0, -1, 0})
	rocks.Insert(rock{"Vesta", 9, 19, 0, -1})
	rocks.Insert(rock{"Hygiea", 500, -70, 0, 0})

	g := near.NewGrid(2, func(r *rock) (x, y float64) { return r.x, r.y })
	for frame := range 4 {
		for r := range rocks.Values() {
			r.x, r.y = r.x+r.dx, r.y+r.dy
		}
		g.Rebuild(&rocks)
		for a, b := range g.Pairs(1) {
			fmt.Println("frame", frame, a.Value.name, "hits", b.Value.name)
			rocks.Remove(a.Handle)
			rocks.Remove(b.Handle)
		}
	}
	for e := range g.Within(10, 0, 16) {
		fmt.Println("on the radar:", e.Value.name)
	}
	if e, ok := g.Nearest(400, 0); ok {
		fmt.Println("nearest to the station:", e.Value.name)
	}
	// Output:
	// frame 2 Ceres hits Pallas
	// on the radar: Vesta
	// nearest to the station: Hygiea
}
