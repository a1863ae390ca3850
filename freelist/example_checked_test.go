package freelist_test

import (
	"fmt"

	"github.com/seed505807e1/berth/freelist"
)

// A voice that two parts of a program free must not be handed out twice.
func ExampleNewChecked() {
	voices := freelist.NewChecked[uint8](32)
	v, _ := voices.Pop()
	fmt.Println(voices.Push(v)) // the sound ends
	fmt.Println(voices.Push(v)) // its owner stops it, too late
	fmt.Println(voices.Push(200))
	// Output:
	// true
	// false
	// false
}

func ExampleChecked_Pop() {
	free := freelist.NewChecked[uint16](1)
	fmt.Println(free.Pop())
	fmt.Println(free.Pop())
	// Output:
	// 0 true
	// 0 false
}

func ExampleChecked_Push() {
	free := freelist.NewChecked[uint16](100)
	i, _ := free.Pop()
	fmt.Println(free.Push(i), free.Push(i))
	// Output: true false
}

func ExampleChecked_IsFree() {
	free := freelist.NewChecked[uint16](100)
	i, _ := free.Pop()
	fmt.Println(free.IsFree(i), free.IsFree(i+1), free.IsFree(100))
	// Output: false true false
}

func ExampleChecked_Len() {
	free := freelist.NewChecked[uint16](100)
	free.Pop()
	fmt.Println(free.Len())
	// Output: 99
}

func ExampleChecked_Cap() {
	free := freelist.NewChecked[uint16](100)
	free.Pop()
	fmt.Println(free.Cap())
	// Output: 100
}

func ExampleChecked_Reset() {
	free := freelist.NewChecked[uint16](100)
	i, _ := free.Pop()
	free.Reset()
	fmt.Println(free.IsFree(i), free.Len())
	// Output: true 100
}

// A saved game lists the free voices. A duplicate is refused.
func ExampleChecked_Clear() {
	voices := freelist.NewChecked[uint8](32)
	voices.Clear()
	for _, v := range []uint8{7, 3, 7} {
		fmt.Println(v, voices.Push(v))
	}
	fmt.Println(voices)
	// Output:
	// 7 true
	// 3 true
	// 7 false
	// freelist.Checked[uint8](2 of 32 free)
}

func ExampleCheckedPointers_Clear() {
	items := []string{"a", "b", "c"}
	free := freelist.NewCheckedPointers(items)
	free.Clear()
	fmt.Println(free.Push(&items[1]), free.Len())
	p, _ := free.Pop()
	fmt.Println(*p)
	// Output:
	// true 1
	// b
}

// Plugins give back a fixed number of buffers. Each is checked.
func ExampleNewCheckedPointers() {
	type buffer [512]byte
	buffers := freelist.NewCheckedPointers(make([]buffer, 8))
	b, _ := buffers.Pop()
	copied := *b
	fmt.Println(buffers.Push(&copied)) // not one of the eight
	fmt.Println(buffers.Push(b))
	fmt.Println(buffers.Push(b))
	// Output:
	// false
	// true
	// false
}

func ExampleCheckedPointers_Pop() {
	items := []string{"a", "b"}
	free := freelist.NewCheckedPointers(items)
	p, ok := free.Pop()
	fmt.Println(p == &items[0], ok)
	// Output: true true
}

func ExampleCheckedPointers_Push() {
	items := []string{"a", "b"}
	free := freelist.NewCheckedPointers(items)
	p, _ := free.Pop()
	foreign := "a"
	fmt.Println(free.Push(nil), free.Push(&foreign), free.Push(p), free.Push(p))
	// Output: false false true false
}

func ExampleCheckedPointers_IsFree() {
	items := []string{"a", "b"}
	free := freelist.NewCheckedPointers(items)
	free.Pop()
	fmt.Println(free.IsFree(&items[0]), free.IsFree(&items[1]))
	// Output: false true
}

func ExampleCheckedPointers_Len() {
	free := freelist.NewCheckedPointers(make([]int, 10))
	free.Pop()
	fmt.Println(free.Len())
	// Output: 9
}

func ExampleCheckedPointers_Cap() {
	free := freelist.NewCheckedPointers(make([]int, 10))
	free.Pop()
	fmt.Println(free.Cap())
	// Output: 10
}

func ExampleCheckedPointers_Reset() {
	items := []string{"a", "b"}
	free := freelist.NewCheckedPointers(items)
	free.Pop()
	free.Reset()
	p, _ := free.Pop()
	fmt.Println(*p)
	// Output: a
}

func ExampleChecked_Clone() {
	free := freelist.NewChecked[uint16](100)
	i, _ := free.Pop()
	saved := free.Clone()
	free.Push(i)
	fmt.Println(free.IsFree(i), saved.IsFree(i))
	// Output: true false
}

func ExampleCheckedPointers_Clone() {
	items := []string{"a", "b"}
	free := freelist.NewCheckedPointers(items)
	saved := free.Clone()
	free.Pop()
	free = saved // back to the saved state
	p, _ := free.Pop()
	fmt.Println(*p)
	// Output: a
}

// Index locates the element of a parallel array.
func ExampleCheckedPointers_Index() {
	items, names := make([]int, 3), [3]string{"red", "green", "blue"}
	free := freelist.NewCheckedPointers(items)
	free.Pop()
	p, _ := free.Pop()
	i, ok := free.Index(p)
	fmt.Println(names[i], ok)
	// Output: green true
}
