package berth_test

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth"
)

// The particles of a Dense lie side by side, so a frame moves them in a loop over a plain slice. A
// handle finds its particle even after the removal of another one has moved it.
func Example_dense() {
	type particle struct{ x, speed int }
	var particles berth.Dense[particle]
	first := particles.Insert(particle{0, 5})
	particles.Insert(particle{10, 1})
	last := particles.Insert(particle{20, 2})

	particles.Remove(first) // leaves a hole, which Slice closes with the last value
	all := particles.Slice()
	for i := range all {
		all[i].x += all[i].speed
	}
	fmt.Println(all)
	fmt.Println(particles.Get(last))
	fmt.Println(particles.Get(first))
	// Output:
	// [{22 2} {11 1}]
	// {22 2} true
	// {0 0} false
}

// Pairs visits each pair of values once. Both may be changed through their pointers.
func Example_pairs() {
	type ball struct{ x, hits int }
	var balls berth.Pool[ball]
	berth.InsertSeq(&balls, slices.Values([]ball{{x: 10}, {x: 11}, {x: 30}, {x: 12}}))

	for a, b := range berth.Pairs(&balls) {
		if max(a.x, b.x)-min(a.x, b.x) < 2 {
			a.hits++
			b.hits++
		}
	}
	for b := range balls.Values() {
		fmt.Println(b.x, b.hits)
	}
	// Output:
	// 10 1
	// 11 2
	// 30 0
	// 12 1
}

// Traverse visits each value with a view of all the others. Any of them may be removed inside the
// loop, and is not visited after that.
func Example_traverse() {
	type ship struct {
		name          string
		power, shield int
	}
	var ships berth.Pool[ship]
	berth.InsertSeq(&ships, slices.Values([]ship{{"scout", 1, 2}, {"cruiser", 3, 4}, {"drone", 9, 2}}))

	for attacker, others := range berth.Traverse(&ships) {
		for h, s := range others.All() {
			if s.shield < attacker.Value.power {
				fmt.Println(attacker.Value.name, "destroys", s.name)
				ships.Remove(h)
			}
		}
	}
	fmt.Println(ships.Len(), "left")
	// Output:
	// cruiser destroys scout
	// cruiser destroys drone
	// 1 left
}
