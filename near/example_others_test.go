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
	beagle := ships.Insert(ship{"Beagle", 1, 0})
	g := near.NewGrid(2, (*ship).at)
	g.Rebuild(&ships)

	var port near.Others[ship] // the zero Others has no values
	fmt.Println(port.Len())
	for s, others := range g.Traverse(2) {
		if s.Handle == argo {
			port = others
		}
	}
	fmt.Println(port.Contains(beagle), port.Contains(argo)) // Argo is the pivot
	fmt.Println(port.Get(beagle))                           // a copy

	ships.Ptr(argo).x = 90 // she puts to sea
	ships.Insert(ship{"Calypso", 0, 1})
	g.Rebuild(&ships)
	for o := range port.Values() {
		fmt.Println(o.name)
	}
	// Output:
	// 0
	// true false
	// {Beagle 1 0} true
	// Beagle
	// Calypso
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
