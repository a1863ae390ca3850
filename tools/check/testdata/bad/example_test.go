package bad_test

import "fmt"

// It is not run: it has no Output comment.
func ExamplePool_Clear() { fmt.Println(0) }

func ExamplePool_Len() {
	fmt.Println(0)
	// Output: 0
}

// It belongs to a type that does not exist.
func ExamplePol_Insert() {
	fmt.Println(0)
	// Output: 0
}
