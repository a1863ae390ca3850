package near_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

type drone struct {
	name    string
	x, y, z float64
}

// Drones that fly too close to another one climb. A Grid3 finds the others around each of them.
func Example_space() {
	var drones berth.Pool[drone]
	drones.Insert(drone{"one", 0, 0, 50})
	drones.Insert(drone{"two", 3, 0, 51})
	drones.Insert(drone{"high", 0, 0, 56})
	drones.Insert(drone{"far", 800, 0, 50})

	g := near.NewGrid3(5, func(d *drone) (x, y, z float64) { return d.x, d.y, d.z })
	g.Rebuild(&drones)
	for d, others := range g.Traverse(5) {
		for o := range others.Values() {
			if o.z <= d.Value.z {
				fmt.Println(d.Value.name, "climbs above", o.name)
				d.Value.z += 10
			}
		}
	}
	// Output:
	// two climbs above one
}
