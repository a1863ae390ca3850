// First is one file that needs nothing but berth, to read and to change. Run it with
//
//	go run ./examples/first
//
// or paste it into https://go.dev/play.
package main

import (
	"fmt"

	"github.com/seed505807e1/berth"
)

// Enemy is a target of missiles.
type Enemy struct {
	Name   string
	Health int
}

// Missile keeps the handle of its target: 8 bytes without a pointer, which may outlive the enemy.
type Missile struct {
	Target berth.Handle[Enemy]
	Steps  int // until it arrives
}

func main() {
	var enemies berth.Pool[Enemy] // values that never move
	var missiles berth.Dense[Missile]

	drone := enemies.Insert(Enemy{"drone", 10})
	tank := enemies.Insert(Enemy{"tank", 30})
	for i := range 4 {
		missiles.Insert(Missile{drone, 1 + i})
		missiles.Insert(Missile{tank, 1 + i})
	}

	for step := 1; missiles.Len() > 0; step++ {
		for h, m := range missiles.All() {
			m.Steps--
			target := enemies.Ptr(m.Target)
			switch {
			case target == nil: // it is gone, and no other enemy is hit in its place
				fmt.Printf("step %d: a missile is lost\n", step)
				missiles.Delete(h) // a loop may remove and insert
			case m.Steps == 0:
				target.Health -= 10
				fmt.Printf("step %d: %s is hit, health %d\n", step, target.Name, target.Health)
				missiles.Delete(h)
			}
		}
		for h, e := range enemies.All() {
			if e.Health > 0 {
				continue
			}
			name, slot := e.Name, enemies.IndexOf(h)
			enemies.Delete(h)
			boss := enemies.Insert(Enemy{"boss", 1000})
			fmt.Printf("step %d: the %s is gone; a boss has its slot: %t\n",
				step, name, enemies.IndexOf(boss) == slot)
		}
	}
	for _, e := range enemies.All() {
		fmt.Println("left:", e.Name, e.Health)
	}
}
