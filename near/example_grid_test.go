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

// Fish swim, and sharks eat those that come too close. In each round the grid is rebuilt, and Pairs
// visits only fish that are close to each other. The loop does not visit one that was eaten.
func ExampleGrid() {
	type fish struct {
		name  string
		x, dx float64
		bites bool
	}
	var sea berth.Pool[fish]
	sea.Insert(fish{"shark", 0, 3, true})
	sea.Insert(fish{"cod", 10, -1, false})
	sea.Insert(fish{"eel", 13, 1, false})

	g := near.NewGrid(2, func(f *fish) (x, y float64) { return f.x, 0 })
	for round := range 4 {
		for f := range sea.Values() {
			f.x += f.dx
		}
		g.Rebuild(&sea)
		for a, b := range g.Pairs(2) {
			if b.Value.bites {
				a, b = b, a
			}
			if a.Value.bites && !b.Value.bites {
				fmt.Println("round", round, a.Value.name, "eats", b.Value.name)
				sea.Remove(b.Handle)
			}
		}
	}
	fmt.Println(sea.Len(), "are left")
	// Output:
	// round 1 shark eats cod
	// 2 are left
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

// A grid does not follow values that move. Rebuild updates it, usually once a frame.
func ExampleGrid_Rebuild() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)

	ships.Ptr(argo).x = 50
	fmt.Println(names(g.Within(0, 0, 1)), names(g.Within(50, 0, 1)))
	g.Rebuild(&ships)
	fmt.Println(names(g.Within(0, 0, 1)), names(g.Within(50, 0, 1)))
	// Output:
	// [Argo] []
	// [] [Argo]
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

// Insert adds a newcomer without a Rebuild.
func ExampleGrid_Insert() {
	var ships berth.Pool[ship]
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships) // there are none yet, but it sets the view

	argo := ships.Insert(ship{"Argo", 7, 7})
	fmt.Println(names(g.Within(7, 7, 1)))
	fmt.Println(g.Insert(argo), names(g.Within(7, 7, 1)))

	ships.Remove(argo)
	fmt.Println(g.Insert(argo)) // stale, so false
	// Output:
	// []
	// true [Argo]
	// false
}

// If few of many values move, Move is faster than a Rebuild.
func ExampleGrid_Move() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Hulk", 1, 0}) // has not moved for years
	g := near.NewGrid(2, (*ship).at)
	g.Rebuild(&ships)

	ships.Ptr(argo).x = 50
	fmt.Println(g.Move(argo), names(g.Within(0, 0, 2)), names(g.Within(50, 0, 2)))

	beagle := ships.Insert(ship{"Beagle", 50, 0})
	fmt.Println(g.Move(beagle)) // not in the grid
	ships.Remove(argo)
	fmt.Println(g.Move(argo), g.Len()) // stale, so the grid drops it, too
	// Output:
	// true [Hulk] [Argo]
	// false
	// false 1
}

// A submarine that dives is still in the pool, but not in the grid.
func ExampleGrid_Remove() {
	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 0, 0})
	nautilus := ships.Insert(ship{"Nautilus", 1, 0})
	g := near.NewGrid(2, (*ship).at)
	g.Rebuild(&ships)

	fmt.Println(g.Remove(nautilus), names(g.Within(0, 0, 2)), ships.Contains(nautilus))
	fmt.Println(g.Remove(nautilus)) // under water already
	g.Insert(nautilus)
	fmt.Println(names(g.Within(0, 0, 2)))
	// Output:
	// true [Argo] true
	// false
	// [Argo Nautilus]
}

// A ship that sinks is not found any more, but keeps its place in the grid until the next Rebuild.
func ExampleGrid_Len() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Beagle", 1, 0})
	g := near.NewGrid(2, (*ship).at)
	g.Rebuild(&ships)

	ships.Remove(argo)
	fmt.Println(g.Len(), names(g.Within(0, 0, 2)))
	g.Rebuild(&ships)
	fmt.Println(g.Len(), names(g.Within(0, 0, 2)))
	// Output:
	// 2 [Beagle]
	// 1 [Beagle]
}

func ExampleGrid_Clear() {
	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 0, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)
	g.Clear()
	fmt.Println(g.Len(), names(g.Within(0, 0, 1)), ships.Len())
	// Output: 0 [] 1
}

// After a regatta, Clip releases the memory for its ships.
func ExampleGrid_Clip() {
	var ships berth.Pool[ship]
	for i := range 1000 {
		ships.Insert(ship{"dinghy", float64(i), 0})
	}
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)

	ships.Clear()
	ships.Insert(ship{"Argo", 7, 7})
	g.Rebuild(&ships)
	fmt.Println(g.Stats().Bytes > 16_000)
	g.Clip()
	fmt.Println(g.Stats().Bytes < 100, names(g.Within(7, 7, 1)))
	// Output:
	// true
	// true [Argo]
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

// Two ports are 10 000 miles apart. The sea between them has no cells.
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
	// Output:
	// 2000 ships; cells are hashed: true true
	// true bytes a ship
}

// Ships that come too close to each other collide, and the smaller one sinks. The loop continues,
// and does not visit it again.
func ExampleGrid_Pairs() {
	type hull struct {
		name string
		x    float64
		tons int
	}
	var hulls berth.Pool[hull]
	hulls.Insert(hull{"barge", 0, 500})
	hulls.Insert(hull{"dinghy", 1, 1})
	hulls.Insert(hull{"ferry", 2, 900})
	hulls.Insert(hull{"tanker", 50, 90_000})
	g := near.NewGrid(1, func(h *hull) (x, y float64) { return h.x, 0 })
	g.Rebuild(&hulls)

	for a, b := range g.Pairs(1) {
		fmt.Println(a.Value.name, "and", b.Value.name, "collide")
		if a.Value.tons > b.Value.tons {
			a, b = b, a
		}
		hulls.Remove(a.Handle)
	}
	fmt.Println(hulls.Len(), "are left")
	// Output:
	// barge and dinghy collide
	// 3 are left
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

// Within finds the ships near a lighthouse, which is no ship. A ship that has sunk since the last
// Rebuild is not found.
func ExampleGrid_Within() {
	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 3, 4})
	beagle := ships.Insert(ship{"Beagle", 5, 0})
	ships.Insert(ship{"Calypso", 5, 1})
	g := near.NewGrid(5, (*ship).at)
	g.Rebuild(&ships)

	fmt.Println(names(g.Within(0, 0, 5)))
	ships.Remove(beagle)
	ships.Insert(ship{"Dove", 0, 0}) // takes her slot, but is not in the grid
	fmt.Println(names(g.Within(0, 0, 5)))
	// Output:
	// [Argo Beagle]
	// [Argo]
}

// Near searches around the current position of a ship, also if she has moved since the last
// Rebuild.
func ExampleGrid_Near() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Beagle", 1, 0})
	ships.Insert(ship{"Calypso", 50, 0})
	g := near.NewGrid(2, (*ship).at)
	g.Rebuild(&ships)

	fmt.Println(names(g.Near(argo, 2))) // without the Argo herself
	ships.Ptr(argo).x = 49
	fmt.Println(names(g.Near(argo, 2)))
	ships.Remove(argo)
	fmt.Println(names(g.Near(argo, 2))) // stale, so there are none
	// Output:
	// [Beagle]
	// [Calypso]
	// []
}

// Nearest finds the ship nearest to a man overboard, but not one that has sunk.
func ExampleGrid_Nearest() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 3, 0})
	ships.Insert(ship{"Beagle", 500, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)

	e, ok := g.Nearest(0, 0)
	fmt.Println(e.Value.name, ok)
	ships.Remove(argo)
	e, ok = g.Nearest(0, 0)
	fmt.Println(e.Value.name, ok)
	ships.Clear()
	e, ok = g.Nearest(0, 0)
	fmt.Println(e.Handle, ok) // and the value is nil
	// Output:
	// Argo true
	// Beagle true
	// none false
}

func ExampleGrid_NearestK() {
	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 9, 0})
	ships.Insert(ship{"Beagle", 5, 0})
	ships.Insert(ship{"Calypso", -1, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)
	fmt.Println(names(g.NearestK(0, 0, 2)))
	fmt.Println(names(g.NearestK(0, 0, 100))) // there are only three
	// Output:
	// [Calypso Beagle]
	// [Calypso Beagle Argo]
}
