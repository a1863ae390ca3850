package good_test

import "fmt"

func ExampleNew() {
	fmt.Println(0)
	// Output: 0
}

func ExamplePool_Len() {
	fmt.Println(0)
	// Output: 0
}

func ExamplePool_Insert_twice() {
	fmt.Println(0)
	// Output: 0
}

func ExampleView_Len() {
	// Output:
}

func ExampleRun() {}
