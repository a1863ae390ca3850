package berth_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
)

type Enemy struct {
	Name   string
	Health int
}

type Missile struct{ Target berth.Handle[Enemy] }

// The README shows this function.
func Example() {
	var enemies berth.Pool[Enemy] // the zero value is ready to use
	target := enemies.Insert(Enemy{Name: "drone", Health: 10})
	missile := Missile{Target: target} // a handle: 8 bytes, no pointer

	enemies.Remove(target)                            // the drone dies,
	enemies.Insert(Enemy{Name: "boss", Health: 1000}) // and the boss gets its slot
	fmt.Println(enemies.Ptr(missile.Target))          // <nil>: the boss is not the target

	for h, e := range enemies.All() {
		if e.Health -= 400; e.Health <= 0 {
			enemies.Remove(h) // a loop may remove values
		}
	}
	for e, others := range berth.Traverse(&enemies) { // each enemy, and a view of all others
		fmt.Println(e.Value.Name, e.Value.Health, others.Len())
	}
	// Output:
	// <nil>
	// boss 600 0
}
