package freelist_test

import (
	"fmt"

	"github.com/seed505807e1/berth/freelist"
)

// A voice that two parts of a program free must not be handed out twice.
func ExampleNewChecked() {
	voices := freelist.NewChecked[uint8](32)
	v, ok := voices.Pop()
	fmt.Println(v, ok, voices.IsFree(v), voices.Len(), "of", voices.Cap())
	fmt.Println(voices.Push(v)) // the sound ends
	fmt.Println(voices.Push(v)) // its owner stops it, too late
	fmt.Println(voices.Push(200))
	// Output:
	// 0 true false 31 of 32
	// true
	// false
	// false
}

// A saved game lists the free voices. A duplicate is refused.
func ExampleChecked_Clear() {
	voices := freelist.NewChecked[uint8](32)
	voices.Clear()
	for _, v := range []uint8{7, 3, 7} {
		fmt.Println(v, voices.Push(v))
	}
	saved := voices.Clone()
	voices.Reset() // a new game
	fmt.Println(voices)
	fmt.Println(saved)
	// Output:
	// 7 true
	// 3 true
	// 7 false
	// freelist.Checked[uint8](32 of 32 free)
	// freelist.Checked[uint8](2 of 32 free)
}

// Plugins give back a fixed number of buffers. Each is checked.
func ExampleNewCheckedPointers() {
	type buffer [512]byte
	buffers := freelist.NewCheckedPointers(make([]buffer, 8))
	b, _ := buffers.Pop()
	copied := *b
	fmt.Println(buffers.Push(&copied), buffers.Push(nil)) // none of the eight
	fmt.Println(buffers.Push(b))
	fmt.Println(buffers.Push(b))
	// Output:
	// false false
	// true
	// false
}

// Index locates the element of a parallel array.
func ExampleCheckedPointers() {
	items, names := make([]int, 3), [3]string{"red", "green", "blue"}
	free := freelist.NewCheckedPointers(items)
	free.Pop()
	saved := free.Clone()
	p, _ := free.Pop()
	i, ok := free.Index(p)
	fmt.Println(names[i], ok, free.IsFree(p), free.Len(), "of", free.Cap())

	free = saved // back to the saved state
	fmt.Println(free.IsFree(p), free.IsFree(&items[0]))
	free.Reset()
	fmt.Println(free)
	free.Clear() // all are taken
	fmt.Println(free)
	// Output:
	// green true false 1 of 3
	// true false
	// freelist.CheckedPointers[int](3 of 3 free)
	// freelist.CheckedPointers[int](0 of 3 free)
}
