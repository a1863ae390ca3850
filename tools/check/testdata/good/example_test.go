package good_test

import (
	"fmt"

	"github.com/seed505807e1/berth/tools/check/testdata/good"
)

// It shows the methods of a Pool, and by its name that of a View.
func ExampleNew() {
	p := good.New[int]()
	p.Insert(1)
	fmt.Println(p.Len())
	// Output: 1
}

func ExamplePool() {
	// Output:
}

func ExampleView_twice() {
	// Output:
}

func ExampleRun() {}
