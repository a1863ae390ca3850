package berth_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
)

// Printing a pool prints its type and size, and not its fields.
func ExamplePool_String() {
	enemies := berth.NewPool[enemy](berth.Config{Capacity: 100})
	enemies.Insert(enemy{"drone", 10})
	fmt.Printf("%v\n%+v\n", enemies, struct{ Enemies *berth.Pool[enemy] }{enemies}.Enemies)
	// Output:
	// berth.Pool[berth_test.enemy](1 of 128 slots)
	// berth.Pool[berth_test.enemy](1 of 128 slots)
}

func ExampleDense_String() {
	enemies := berth.NewDense[enemy](berth.DenseConfig{Capacity: 100})
	enemies.Insert(enemy{"drone", 10})
	fmt.Println(enemies)
	// Output: berth.Dense[berth_test.enemy](1 of 100 places)
}
