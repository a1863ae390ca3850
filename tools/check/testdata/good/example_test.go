package good_test

import (
	"fmt"

	"github.com/seed505807e1/berth/tools/check/testdata/good"
)

// It shows a Pool and its methods, and by its name that of a View.
func ExampleNew() {
	p := good.New[int]()
	p.Insert(1)
	fmt.Println(p.Len())
	// Output: 1
}

func ExampleView_twice() {
	// Output:
}

func ExampleRun() {}
