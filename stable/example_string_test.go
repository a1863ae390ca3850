package stable_test

import (
	"fmt"

	"github.com/seed505807e1/berth/stable"
)

// Printing a list prints its type and sizes, and not its fields.
func ExampleListOf_String() {
	l := stable.New[string](stable.Config{Capacity: 8})
	l.Insert("a")
	fmt.Printf("%v\n%+v\n", l, l)
	// Output:
	// stable.List[string](1 of 8 slots)
	// stable.List[string](1 of 8 slots)
}
