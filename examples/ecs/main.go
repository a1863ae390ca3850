// ECS shows how berth does the work of an entity component system: entities are the handles of a
// Pool, and each component that only some of them have is a Column.
//
// Run it with
//
//	go run ./examples/ecs
package main

import (
	"fmt"
	"io"
	"os"
)

func main() { run(os.Stdout) }

// spawn adds n entities. All have health, two of three a velocity.
func spawn(w *World, n int) (es []Entity) {
	for i := range n {
		e := w.Insert(Position{X: float32(i)})
		w.health.Set(e, Health{Now: 50, Max: 100})
		if i%3 != 0 {
			w.velocity.Set(e, Velocity{X: 1, Y: float32(i % 7)})
		}
		es = append(es, e)
	}
	return es
}

// run simulates 300 steps, and prints what is there after every fiftieth.
func run(out io.Writer) {
	w := NewWorld()
	es := spawn(w, 1000)
	fmt.Fprintln(out, "step  entities  moving  poisoned  buried")
	buried := 0
	for step := 1; step <= 300; step++ {
		if step%50 == 30 { // a cloud reaches every fifth entity, as long as it is there
			for i := step / 50; i < len(es); i += 5 {
				w.poison.Set(es[i], Poison{Damage: int32(i % 4), Steps: 40})
			}
		}
		w.Move(1.0 / 60)
		w.Suffer()
		w.Heal()
		buried += w.Bury()
		if step%50 == 0 {
			fmt.Fprintf(out, "%4d  %8d  %6d  %8d  %6d\n",
				step, w.Len(), w.velocity.Len(), w.poison.Len(), buried)
		}
	}
	third := es[3]
	fmt.Fprintf(out, "entity 3: position %t, health %t, can be poisoned %t\n",
		w.Contains(third), w.health.Contains(third), w.poison.Set(third, Poison{Steps: 1}))
	var x float32
	for p := range w.Values() {
		x += p.X
	}
	fmt.Fprintf(out, "the others stand at %.0f on average\n", x/float32(w.Len()))
}
