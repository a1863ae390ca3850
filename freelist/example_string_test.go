package freelist_test

import (
	"fmt"

	"github.com/seed505807e1/berth/freelist"
)

func ExampleStack_String() {
	s := freelist.NewIndices[uint32](8)
	s.Pop()
	fmt.Println(s)
	// Output: freelist.Stack[uint32](7 of 8 free)
}

func ExamplePacked_String() {
	p := freelist.NewPacked(8)
	p.Pop()
	fmt.Println(p)
	// Output: freelist.Packed(7 of 8 free)
}

func ExampleChecked_String() {
	c := freelist.NewChecked[uint16](8)
	c.Pop()
	fmt.Println(c)
	// Output: freelist.Checked[uint16](7 of 8 free)
}

func ExampleCheckedPointers_String() {
	c := freelist.NewCheckedPointers(make([]int, 8))
	c.Pop()
	fmt.Println(c)
	// Output: freelist.CheckedPointers[int](7 of 8 free)
}

func ExampleLowest_String() {
	l := freelist.NewLowest(8)
	l.Take()
	fmt.Println(l)
	// Output: freelist.Lowest(7 of 8 free)
}
