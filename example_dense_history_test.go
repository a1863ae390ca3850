package berth_test

import (
	"cmp"
	"fmt"

	"github.com/seed505807e1/berth"
)

func ExampleDenseHistory() {
	var d berth.Dense[int]
	for _, v := range []int{3, 1, 2} {
		d.Insert(v)
	}
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 2})
	d.Sort(func(a, b *int) int { return cmp.Compare(*a, *b) })
	fmt.Println(d.Slice())
	_ = s.Rewind(1)
	fmt.Println(d.Slice())
	// Output:
	// [1 2 3]
	// [3 1 2]
}

func ExampleNewDenseHistory() {
	var d berth.Dense[string]
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 1})
	d.Insert("draft")
	_ = s.Rewind(1)
	fmt.Println(d.Len())
	// Output: 0
}

func ExampleDenseHistory_Mark() {
	var d berth.Dense[string]
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 10})
	fmt.Println(s.Mark(), s.Mark())
	// Output: 2 3
}

func ExampleDenseHistory_Edit() {
	var d berth.Dense[string]
	h := d.Insert("one")
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 1})
	*s.Edit(h) = "two"
	_ = s.Rewind(1)
	fmt.Println(*d.Ptr(h))
	// Output: one
}

func ExampleDenseHistory_EditAll() {
	var d berth.Dense[int]
	d.Insert(1)
	d.Insert(2)
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 1})
	for _, v := range s.EditAll() {
		*v *= 10
	}
	_ = s.Rewind(1)
	fmt.Println(d.Slice())
	// Output: [1 2]
}

func ExampleDenseHistory_EditSpans() {
	var d berth.Dense[int]
	d.Insert(1)
	d.Insert(2)
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 1})
	for _, span := range s.EditSpans() {
		clear(span)
	}
	_ = s.Rewind(1)
	fmt.Println(d.Slice())
	// Output: [1 2]
}

func ExampleDenseHistory_Rewind() {
	var d berth.Dense[string]
	h := d.Insert("kept")
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 2})
	d.Clear()
	fmt.Println(s.Rewind(1), d.Contains(h))
	// Output: <nil> true
}

func ExampleDenseHistory_Oldest() {
	var d berth.Dense[string]
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 2})
	s.Mark()
	s.Mark()
	fmt.Println(s.Oldest()) // of 1, 2 and 3
	// Output: 2
}

func ExampleDenseHistory_Changed() {
	d := berth.NewDense(berth.DenseConfig[string]{Seed: 1})
	a, b := d.Insert("a"), d.Insert("b")
	s := berth.NewDenseHistory(d, berth.HistoryConfig{Frames: 60})
	*s.Edit(b) = "B"
	d.Remove(a)
	d.Defrag() // moves b, which is no change
	for h, change := range s.Changed(1) {
		v, _ := d.Get(h)
		fmt.Printf("%v %q\n", change, v)
	}
	// Output:
	// Removed ""
	// Edited "B"
}

func ExampleDenseHistory_Close() {
	var d berth.Dense[string]
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 2})
	s.Close()
	s = berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 100})
	fmt.Println(s.Oldest())
	// Output: 1
}
