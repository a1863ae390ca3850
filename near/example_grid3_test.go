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

// On the map all gulls are close. In the air they are not. The loops go on when one flies away, and
// do not visit it again.
func ExampleGrid3() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 29})
	gulls.Insert(gull{"hal", 1, 2, 30})
	gulls.Insert(gull{"ivy", 0, 0, 1})
	gulls.Insert(gull{"joe", 0, 0, 2})
	g := near.NewGrid3(3, (*gull).at)
	g.Rebuild(&gulls)

	fmt.Println("at the masthead:", flock(g.Within(0, 0, 30, 3)))
	fmt.Println("near gil:", flock(g.Near(gil, 3)))
	for a, b := range g.Pairs(3) {
		fmt.Println(a.Value.name, "drives", b.Value.name, "away")
		gulls.Remove(b.Handle)
	}
	if e, ok := g.Nearest(0, 0, 9); ok {
		fmt.Println("nearest to the bread:", e.Value.name)
	}
	fmt.Println("by distance:", flock(g.NearestK(0, 0, 9, 3)))
	// Output:
	// at the masthead: [gil hal]
	// near gil: [hal]
	// ivy drives joe away
	// gil drives hal away
	// nearest to the bread: ivy
	// by distance: [ivy gil]
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

// One gull dives while the others sit on their poles, so there is no Rebuild.
func ExampleGrid3_Move() {
	var gulls berth.Pool[gull]
	gil := gulls.Insert(gull{"gil", 0, 0, 30})
	gulls.Insert(gull{"hal", 1, 0, 30})
	g := near.NewGrid3(2, (*gull).at)
	g.Rebuild(&gulls)

	gulls.Ptr(gil).z = 0
	fmt.Println(g.Move(gil), flock(g.Within(0, 0, 30, 2)), flock(g.Within(0, 0, 0, 2)))
	ivy := gulls.Insert(gull{"ivy", 0, 0, 1})
	fmt.Println(g.Insert(ivy), flock(g.Within(0, 0, 0, 2)))
	g.Remove(gil) // under water, where no other can meet her
	fmt.Println(g.Len(), flock(g.Within(0, 0, 0, 2)), gulls.Contains(gil))
	// Output:
	// true [hal] [gil]
	// true [ivy gil]
	// 2 [ivy] true
}

// A search in a box is cheaper than one in a ball. When the gulls have flown away, Clip releases
// the memory.
func ExampleGrid3_Stats() {
	var gulls berth.Pool[gull]
	gulls.Insert(gull{"top", 0, 0, 1})
	gulls.Insert(gull{"corner", 0.9, 0.9, 0.9})
	g := near.NewGrid3(1, (*gull).at)
	g.Rebuild(&gulls)
	fmt.Println("in the ball:", flock(g.Within(0, 0, 0, 1)))
	g.SetShape(near.Box)
	fmt.Println("in the box:", flock(g.Within(0, 0, 0, 1)))

	s := g.Stats()
	fmt.Println(s.Items, "live,", s.Vacant, "vacant")
	g.Clear()
	g.Clip()
	fmt.Println(g)
	// Output:
	// in the ball: [top]
	// in the box: [corner]
	// 2 live, 0 vacant
	// near.Grid3[near_test.gull](0 values, 0 bytes)
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
