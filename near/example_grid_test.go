package near_test

import (
	"fmt"
	"iter"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
	"github.com/seed505807e1/berth/stable"
)

// ship has a name, and is x miles to the east and y to the north.
type ship struct {
	name string
	x, y float64
}

func (s *ship) at() (x, y float64) { return s.x, s.y }

// names returns the names of the ships in found.
func names(found iter.Seq[berth.Entry[ship]]) (list []string) {
	for e := range found {
		list = append(list, e.Value.name)
	}
	return list
}

// The grid finds the ships near a place, and those near a ship. A ship that has sunk since the last
// Rebuild is not found, and neither is a new one in its slot.
func ExampleGrid() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 3, 4})
	beagle := ships.Insert(ship{"Beagle", 5, 0})
	ships.Insert(ship{"Calypso", 50, 0})
	g := near.NewGrid(5, (*ship).at)
	g.Rebuild(&ships)

	fmt.Println("near the lighthouse:", names(g.Within(0, 0, 5)))
	fmt.Println("the nearest two:", names(g.NearestK(30, 0, 2)))
	fmt.Println("near Argo:", names(g.Near(argo, 5))) // without Argo herself
	ships.Ptr(argo).x = 48
	fmt.Println("near Argo:", names(g.Near(argo, 5))) // around her current position

	ships.Remove(beagle)
	ships.Insert(ship{"Dove", 0, 0})
	fmt.Println("near the lighthouse:", names(g.Within(0, 0, 5))) // as at the last Rebuild
	if e, ok := g.Nearest(5, 0); ok {
		fmt.Println("nearest to the man overboard:", e.Value.name)
	}
	fmt.Println("near Beagle:", names(g.Near(beagle, 99))) // stale, so there are none
	// Output:
	// near the lighthouse: [Argo Beagle]
	// the nearest two: [Calypso Beagle]
	// near Argo: [Beagle]
	// near Argo: [Calypso]
	// near the lighthouse: [Argo]
	// nearest to the man overboard: Argo
	// near Beagle: []
}

func ExampleNewGrid() {
	// Searches are mostly within 5 miles, so cells are 5 miles wide.
	g := near.NewGrid(5, func(s *ship) (x, y float64) { return s.x, s.y })

	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 10, 10})
	ships.Insert(ship{"Beagle", 13, 14}) // 5 miles from Argo
	ships.Insert(ship{"Calypso", 90, 10})
	g.Rebuild(&ships)
	for a, b := range g.Pairs(5) {
		fmt.Println(a.Value.name, "is near", b.Value.name)
	}
	// Output: Argo is near Beagle
}

// A stable.List has a grid by its view with handles. KeyOf converts these back to its keys.
func ExampleGrid_Rebuild_list() {
	var ships stable.List[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Beagle", 0.5, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(stable.ByHandle(&ships))
	fmt.Println(names(g.Near(stable.HandleOf(argo), 1)))
	for e := range g.Within(0, 0, 1) {
		if e.Value.x > 0 {
			ships.Remove(stable.KeyOf(e.Handle))
		}
	}
	ships.Insert(ship{"Calypso", 90, 0}) // takes the slot of the Beagle
	fmt.Println(names(g.Within(0, 0, 1)))
	// Output:
	// [Beagle]
	// [Argo]
}

// A grid does not follow values that move. If few of many do, Insert, Move and Remove are faster
// than a Rebuild.
func ExampleGrid_Move() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	nautilus := ships.Insert(ship{"Nautilus", 1, 0})
	g := near.NewGrid(2, (*ship).at)
	g.Rebuild(&ships)

	ships.Ptr(argo).x = 50
	fmt.Println(g.Move(argo), names(g.Within(0, 0, 2)), names(g.Within(50, 0, 2)))

	beagle := ships.Insert(ship{"Beagle", 51, 0})
	fmt.Println(g.Move(beagle), g.Insert(beagle)) // was not in the grid
	g.Remove(nautilus)                            // dives: still in the pool, but not in the grid
	fmt.Println(names(g.Within(0, 0, 99)), ships.Contains(nautilus))

	ships.Remove(argo)
	fmt.Println(g.Len()) // her place stays until the next Rebuild
	g.Rebuild(&ships)
	fmt.Println(g.Len(), g.Insert(argo)) // stale
	// Output:
	// true [Nautilus] [Argo]
	// false true
	// [Beagle Argo] true
	// 2
	// 2 false
}

// One buoy is a mile to the east, and one to the north-east, at a corner of the box.
func ExampleGrid_SetShape() {
	var buoys berth.Pool[ship]
	buoys.Insert(ship{"east", 1, 0})
	buoys.Insert(ship{"north-east", 0.9, 0.9})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&buoys)

	fmt.Println("in the circle:", names(g.Within(0, 0, 1))) // at most a mile away
	g.SetShape(near.Box)
	fmt.Println("in the box:", names(g.Within(0, 0, 1))) // less than a mile along each axis
	// Output:
	// in the circle: [east]
	// in the box: [north-east]
}

// Two ports are 10 000 miles apart. The sea between them has no cells. After a regatta, Clip
// releases the memory for its ships.
func ExampleGrid_Stats() {
	var ships berth.Pool[ship]
	for i := range 1000 {
		ships.Insert(ship{"here", float64(i % 40), float64(i / 40)})
		ships.Insert(ship{"there", 10_000 + float64(i%40), 10_000 + float64(i/40)})
	}
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)
	s := g.Stats()
	fmt.Println(s.Items, "ships; cells are hashed:", s.Scattered, s.Cells < 10_000)
	fmt.Println(s.Bytes/s.Items < 40, "bytes a ship")

	g.Clear() // empties the grid, not the pool
	g.Clip()
	fmt.Println(g, ships.Len())
	// Output:
	// 2000 ships; cells are hashed: true true
	// true bytes a ship
	// near.Grid[near_test.ship](0 values, 0 bytes) 2000
}

// Others is a berth.View, so a function written for all ships accepts those in sight.
func ExampleGrid_Traverse() {
	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Beagle", 8, 0})
	ships.Insert(ship{"Calypso", 16, 0})
	ships.Insert(ship{"Dove", 90, 0})
	g := near.NewGrid(10, (*ship).at)
	g.Rebuild(&ships)

	hail := func(v berth.View[ship]) (list []string) {
		for s := range v.Values() {
			list = append(list, s.name)
		}
		return list
	}
	fmt.Println("the radio reaches", hail(&ships))
	for s, others := range g.Traverse(10) {
		fmt.Println(s.Value.name, "sees", hail(others))
	}
	// Output:
	// the radio reaches [Argo Beagle Calypso Dove]
	// Argo sees [Beagle]
	// Beagle sees [Argo Calypso]
	// Calypso sees [Beagle]
	// Dove sees []
}
