package bad_test

import (
	"fmt"

	"github.com/seed505807e1/berth/tools/check/testdata/bad"
)

// It is not run, since it has no Output comment, but it calls Clear and Len.
func ExamplePool_Clear() {
	p := bad.New[int]()
	p.Clear()
	fmt.Println(p.Len())
}

// It is not run.
func ExampleSize() { fmt.Println(bad.Size()) }

// It belongs to a type that does not exist.
func ExamplePol_Insert() {
	fmt.Println(0)
	// Output: 0
}

// Insert is called, but not in an Example.
func insert() { bad.New[int]().Insert(0) }
