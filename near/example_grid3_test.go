package near_test

import (
	"fmt"
	"iter"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// gull is at x yards to the east, y to the north and z up.
type gull struct {
	name    string
	x, y, z float64
}

func (b *gull) at() (x, y, z float64) { return b.x, b.y, b.z }

// flock returns the names of the gulls in found.
func flock(found iter.Seq[berth.Entry[gull]]) (list []string) {
	for e := range found {
		list = append(list, e.Value.name)
	}
	return list
}

// Gulls that come too close to each other turn away. On the map they all are close. In the air they
// are not.
func ExampleGrid3() {
	var gulls berth.Pool[gull]
	gulls.Insert(gull{"gil", 0, 0, 10})
	gulls.Insert(gull{"hal", 1, 0, 10})
	gulls.Insert(gull{"ivy", 0, 1, 90})

	g := near.NewGrid3(2, (*gull).at)
	g.Rebuild(&gulls)
	for a, b := range g.Pairs(2) {
		fmt.Println(a.Value.name, "and", b.Value.name, "turn away")
	}
	// Output: gil and hal turn away
}

func ExampleNewGrid3() {
	// Searches are mostly within 20 yards, so cells are cubes of 20 yards.
	g := near.NewGrid3(20, func(b *gull) (x, y, z float64) { return b.x, b.y, b.z })

	var gulls berth.Pool[gull]
	gulls.Insert(gull{"gil", 0, 0, 5})
	gulls.Insert(gull{"hal", 0, 0, 15})
	g.Rebuild(&gulls)
	fmt.Println(flock(g.Within(0, 0, 30, 20)))
	// Output: [hal]
}

func ExampleGrid3_Rebuild() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 0})
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)

	gulls.Ptr(gil).z = 50 // not in the grid until the next Rebuild
	fmt.Println(flock(g.Within(0, 0, 0, 1)), flock(g.Within(0, 0, 50, 1)))
	g.Rebuild(&gulls)
	fmt.Println(flock(g.Within(0, 0, 0, 1)), flock(g.Within(0, 0, 50, 1)))
	// Output:
	// [gil] []
	// [] [gil]
}

func ExampleGrid3_Insert() {
	var gulls berth.Pool[gull]
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls) // no gulls yet

	gil := gulls.Insert(gull{"gil", 0, 0, 7})
	fmt.Println(g.Insert(gil), flock(g.Within(0, 0, 7, 1)))
	gulls.Remove(gil)
	fmt.Println(g.Insert(gil)) // stale
	// Output:
	// true [gil]
	// false
}

// One gull dives. The others sit on their poles.
func ExampleGrid3_Move() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 30})
	gulls.Insert(gull{"hal", 1, 0, 30})
	g := near.NewGrid3(2, (*gull).at)
	g.Rebuild(&gulls)

	gulls.Ptr(gil).z = 0
	fmt.Println(g.Move(gil), flock(g.Within(0, 0, 30, 2)), flock(g.Within(0, 0, 0, 2)))
	gulls.Remove(gil)
	fmt.Println(g.Move(gil)) // stale
	// Output:
	// true [hal] [gil]
	// false
}

// Remove takes a gull that is under water out of the grid, where no other can meet her.
func ExampleGrid3_Remove() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 0})
	gulls.Insert(gull{"hal", 0, 0, 1})
	g := near.NewGrid3(2, (*gull).at)
	g.Rebuild(&gulls)

	fmt.Println(g.Remove(gil), flock(g.Within(0, 0, 0, 2)))
	fmt.Println(g.Remove(gil), gulls.Contains(gil))
	// Output:
	// true [hal]
	// false true
}

// A removed value counts until the next Rebuild.
func ExampleGrid3_Len() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 0})
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)

	gulls.Remove(gil)
	fmt.Println(g.Len(), flock(g.Within(0, 0, 0, 1)))
	g.Rebuild(&gulls)
	fmt.Println(g.Len())
	// Output:
	// 1 []
	// 0
}

func ExampleGrid3_Clear() {
	var gulls berth.Pool[gull]
	gulls.Insert(gull{"gil", 0, 0, 0})
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)
	g.Clear()
	fmt.Println(g.Len(), flock(g.Within(0, 0, 0, 1)), gulls.Len())
	// Output: 0 [] 1
}

func ExampleGrid3_Clip() {
	var gulls berth.Pool[gull]
	for i := range 1000 {
		gulls.Insert(gull{"one of many", 0, 0, float64(i)})
	}
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)

	gulls.Clear() // they have flown away
	g.Rebuild(&gulls)
	fmt.Println(g.Stats().Bytes > 20_000)
	g.Clip()
	fmt.Println(g.Stats().Bytes)
	// Output:
	// true
	// 0
}

// One gull is a yard away straight up, and one in a corner of the box.
func ExampleGrid3_SetShape() {
	var gulls berth.Pool[gull]
	gulls.Insert(gull{"top", 0, 0, 1})
	gulls.Insert(gull{"corner", 0.9, 0.9, 0.9})
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)

	fmt.Println("in the ball:", flock(g.Within(0, 0, 0, 1)))
	g.SetShape(near.Box)
	fmt.Println("in the box:", flock(g.Within(0, 0, 0, 1)))
	// Output:
	// in the ball: [top]
	// in the box: [corner]
}

func ExampleGrid3_Stats() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 0})
	gulls.Insert(gull{"hal", 0, 0, 99})
	g := near.NewGrid3(10, (*gull).at)
	g.Rebuild(&gulls)

	gulls.Ptr(gil).z = 98
	g.Move(gil) // to another cell; her place in the old one is vacant now
	s := g.Stats()
	fmt.Println(s.Items, "live,", s.Vacant, "vacant")
	// Output: 2 live, 1 vacant
}

// Two gulls that meet fight for a fish, and one of them flies away. The loop does not visit it
// again.
func ExampleGrid3_Pairs() {
	var gulls berth.Pool[gull]
	gulls.Insert(gull{"gil", 0, 0, 8})
	gulls.Insert(gull{"hal", 0, 0, 9})
	gulls.Insert(gull{"ivy", 0, 0, 10})
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)
	for a, b := range g.Pairs(1) {
		fmt.Println(a.Value.name, "drives", b.Value.name, "away")
		gulls.Remove(b.Handle)
	}
	fmt.Println(gulls.Len())
	// Output:
	// gil drives hal away
	// 2
}

// A flock flies as one because each gull rises or falls to the height of the others around it.
func ExampleGrid3_Traverse() {
	var gulls berth.Pool[gull]
	gulls.Insert(gull{"gil", 0, 0, 10})
	gulls.Insert(gull{"hal", 3, 0, 12})
	gulls.Insert(gull{"ivy", 90, 0, 50})
	g := near.NewGrid3(5, (*gull).at)
	g.Rebuild(&gulls)

	for e, others := range g.Traverse(5) {
		sum, n := e.Value.z, 1.0
		for o := range others.Values() {
			sum, n = sum+o.z, n+1
		}
		fmt.Println(e.Value.name, "heads for a height of", sum/n)
	}
	// Output:
	// gil heads for a height of 11
	// hal heads for a height of 11
	// ivy heads for a height of 50
}

// Within finds the gulls near the top of the mast.
func ExampleGrid3_Within() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 29})
	gulls.Insert(gull{"hal", 1, 2, 32})
	gulls.Insert(gull{"ivy", 0, 0, 1}) // on deck
	g := near.NewGrid3(3, (*gull).at)
	g.Rebuild(&gulls)

	fmt.Println(flock(g.Within(0, 0, 30, 3)))
	gulls.Remove(gil)
	fmt.Println(flock(g.Within(0, 0, 30, 3)))
	// Output:
	// [gil hal]
	// [hal]
}

func ExampleGrid3_Near() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 0})
	gulls.Insert(gull{"hal", 0, 0, 1})
	gulls.Insert(gull{"ivy", 0, 0, 50})
	g := near.NewGrid3(2, (*gull).at)
	g.Rebuild(&gulls)

	fmt.Println(flock(g.Near(gil, 2)))
	gulls.Ptr(gil).z = 49
	fmt.Println(flock(g.Near(gil, 2))) // around her current position
	// Output:
	// [hal]
	// [ivy]
}

func ExampleGrid3_Nearest() {
	var gulls berth.Pool[gull]
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)
	e, ok := g.Nearest(0, 0, 0)
	fmt.Println(e.Handle, ok)

	gulls.Insert(gull{"gil", 3, 4, 0})
	gulls.Insert(gull{"hal", 1, 1, 40})
	g.Rebuild(&gulls)
	e, ok = g.Nearest(0, 0, 0)
	fmt.Println(e.Value.name, ok)
	// Output:
	// none false
	// gil true
}

// NearestK finds the gulls nearest to three crumbs. One that is chased away in the loop is left
// out.
func ExampleGrid3_NearestK() {
	var gulls berth.Pool[gull]
	gulls.Insert(gull{"gil", 0, 0, 9})
	hal := gulls.Insert(gull{"hal", 0, 0, 4})
	gulls.Insert(gull{"ivy", 0, 2, 0})
	gulls.Insert(gull{"joe", 0, 0, 99})
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)
	for e := range g.NearestK(0, 0, 0, 3) {
		fmt.Println(e.Value.name)
		gulls.Remove(hal)
	}
	// Output:
	// ivy
	// gil
}
