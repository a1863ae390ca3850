package near_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// Printing a grid prints its type and sizes, and not its fields.
func ExampleGrid_String() {
	var ships berth.Pool[[2]float64]
	g := near.NewGrid(10, func(s *[2]float64) (x, y float64) { return s[0], s[1] })
	ships.Insert([2]float64{1, 2})
	g.Rebuild(&ships)
	fmt.Printf("%v\n%+v\n", g, g)
	// Output:
	// near.Grid[[2]float64](1 values, 44 bytes)
	// near.Grid[[2]float64](1 values, 44 bytes)
}

func ExampleGrid3_String() {
	var ships berth.Pool[[3]float64]
	g := near.NewGrid3(10, func(s *[3]float64) (x, y, z float64) { return s[0], s[1], s[2] })
	ships.Insert([3]float64{1, 2, 3})
	g.Rebuild(&ships)
	fmt.Println(g)
	// Output: near.Grid3[[3]float64](1 values, 52 bytes)
}
