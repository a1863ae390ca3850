package near_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// Others may be kept. The place stays, and each loop shows the ships that are there now.
func ExampleOthers() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Beagle", 1, 0})
	g := near.NewGrid(2, (*ship).at)
	g.Rebuild(&ships)

	var port near.Others[ship] // the zero Others has no values
	fmt.Println(port.Len())
	for s, others := range g.Traverse(2) {
		if s.Handle == argo {
			port = others
		}
	}
	fmt.Println(port.Len())
	ships.Ptr(argo).x = 90 // she puts to sea
	ships.Insert(ship{"Calypso", 0, 1})
	g.Rebuild(&ships)
	fmt.Println(port.Len())
	// Output:
	// 0
	// 1
	// 2
}

// Ships pass crowded places more slowly.
func ExampleOthers_Len() {
	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Beagle", 1, 0})
	ships.Insert(ship{"Calypso", 2, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)
	for s, others := range g.Traverse(1) {
		fmt.Println(s.Value.name, "has to mind", others.Len())
	}
	// Output:
	// Argo has to mind 1
	// Beagle has to mind 2
	// Calypso has to mind 1
}

// Get returns a copy.
func ExampleOthers_Get() {
	var ships berth.Pool[ship]
	argo := ships.Insert(ship{"Argo", 0, 0})
	beagle := ships.Insert(ship{"Beagle", 1, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)
	for s, others := range g.Traverse(1) {
		if s.Handle == argo {
			fmt.Println(others.Get(beagle))
			fmt.Println(others.Get(argo)) // she is the pivot
		}
	}
	// Output:
	// {Beagle 1 0} true
	// { 0 0} false
}

// A boat is towed as far as its line reaches.
func ExampleOthers_Ptr() {
	var ships berth.Pool[ship]
	tug := ships.Insert(ship{"tug", 0, 0})
	barge := ships.Insert(ship{"barge", -1, 0})
	g := near.NewGrid(2, (*ship).at)

	for _, gust := range []float64{0, 9, 0} {
		g.Rebuild(&ships)
		for s, others := range g.Traverse(2) {
			if s.Handle != tug {
				continue
			}
			s.Value.x++
			if b := others.Ptr(barge); b != nil {
				b.x++
			} else {
				fmt.Println("the line has broken")
			}
		}
		fmt.Println("the tug is at", ships.Ptr(tug).x, "and the barge at", ships.Ptr(barge).x)
		ships.Ptr(barge).x -= gust
	}
	// Output:
	// the tug is at 1 and the barge at 0
	// the tug is at 2 and the barge at 1
	// the line has broken
	// the tug is at 3 and the barge at -8
}

// Contains tells an escort whether the ship that she follows is in sight. It is false if that ship
// is too far away, or has sunk and another has her slot.
func ExampleOthers_Contains() {
	type escort struct {
		ship
		follows berth.Handle[escort]
	}
	var convoy berth.Pool[escort]
	argo := convoy.Insert(escort{ship: ship{"Argo", 0, 0}})
	beagle := convoy.Insert(escort{ship{"Beagle", 5, 0}, argo})
	convoy.Insert(escort{ship{"Calypso", 99, 0}, beagle})
	g := near.NewGrid(10, func(e *escort) (x, y float64) { return e.at() })

	watch := func() {
		g.Rebuild(&convoy)
		for s, others := range g.Traverse(10) {
			if !s.Value.follows.IsZero() {
				fmt.Println(s.Value.name, others.Contains(s.Value.follows))
			}
		}
	}
	watch()
	convoy.Remove(argo)
	convoy.Insert(escort{ship: ship{"pirate", 0, 0}})
	watch()
	// Output:
	// Beagle true
	// Calypso false
	// Beagle false
	// Calypso false
}

// A pirate sinks each ship that she meets. The loops continue, and do not visit ships that have
// sunk.
func ExampleOthers_All() {
	var ships berth.Pool[ship]
	pirate := ships.Insert(ship{"pirate", 0, 0})
	ships.Insert(ship{"Argo", 1, 0})
	ships.Insert(ship{"Beagle", 2, 0})
	ships.Insert(ship{"Calypso", 50, 0})
	g := near.NewGrid(3, (*ship).at)
	g.Rebuild(&ships)
	for s, others := range g.Traverse(3) {
		fmt.Println("the turn of", s.Value.name)
		if s.Handle == pirate {
			for h, o := range others.All() {
				fmt.Println("  sinks", o.name)
				ships.Remove(h)
			}
		}
	}
	// Output:
	// the turn of pirate
	//   sinks Argo
	//   sinks Beagle
	// the turn of Calypso
}

// News spreads from each ship to those in sight.
func ExampleOthers_Values() {
	var ships berth.Pool[ship]
	ships.Insert(ship{"Argo", 0, 0})
	ships.Insert(ship{"Beagle", 1, 0})
	ships.Insert(ship{"Calypso", 2, 0})
	ships.Insert(ship{"Dove", 9, 0})
	g := near.NewGrid(1, (*ship).at)
	g.Rebuild(&ships)
	for s, others := range g.Traverse(1) {
		for o := range others.Values() {
			fmt.Println(s.Value.name, "tells", o.name)
		}
	}
	// Output:
	// Argo tells Beagle
	// Beagle tells Argo
	// Beagle tells Calypso
	// Calypso tells Beagle
}
