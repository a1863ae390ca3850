package berth_test

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth"
)

// A game that guesses the input of other players goes back when the real input arrives.
func ExampleHistory() {
	p := berth.NewPool[int](berth.Config{Seed: 1})
	ball := p.Insert(0)
	s := berth.NewHistory(p, berth.HistoryConfig{Frames: 9})
	step := func(input int) { *s.Edit(ball) += input }

	guessed := s.Mark()
	for range 3 {
		step(1)
		s.Mark()
	}
	fmt.Println("guessed:", *p.Ptr(ball))

	if err := s.Rewind(guessed); err != nil {
		fmt.Println(err)
	}
	for range 3 {
		step(10)
		s.Mark()
	}
	fmt.Println("played: ", *p.Ptr(ball))
	// Output:
	// guessed: 3
	// played:  30
}

func ExampleNewHistory() {
	var p berth.Pool[string]
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 1})
	p.Insert("draft")
	_ = s.Rewind(1) // the first frame
	fmt.Println(p.Len())
	// Output: 0
}

// Also the order of the values comes back.
func ExampleNewDenseHistory() {
	var d berth.Dense[int]
	for _, v := range []int{3, 1, 2} {
		d.Insert(v)
	}
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 2})
	d.Sort(func(a, b *int) int { return cmp.Compare(*a, *b) })
	*s.Edit(d.HandleAt(0)) = 10
	fmt.Println(d.Slice())
	_ = s.Rewind(1)
	fmt.Println(d.Slice())
	// Output:
	// [10 2 3]
	// [3 1 2]
}

func ExampleHistory_Mark() {
	var p berth.Pool[string]
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 10})
	fmt.Println(s.Mark(), s.Mark())
	// Output: 2 3
}

func ExampleHistory_Edit() {
	var p berth.Pool[string]
	h := p.Insert("one")
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 1})
	*s.Edit(h) = "two"
	_ = s.Rewind(1)
	fmt.Println(*p.Ptr(h))
	// Output: one
}

func ExampleHistory_EditAll() {
	var p berth.Pool[int]
	p.Insert(1)
	p.Insert(2)
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 1})
	for _, v := range s.EditAll() {
		*v *= 10
	}
	_ = s.Rewind(1)
	for v := range p.Values() {
		fmt.Println(*v)
	}
	// Output:
	// 1
	// 2
}

func ExampleHistory_EditSpans() {
	var p berth.Pool[int]
	p.Insert(1)
	p.Insert(2)
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 1})
	for _, span := range s.EditSpans() {
		clear(span)
	}
	_ = s.Rewind(1)
	for v := range p.Values() {
		fmt.Println(*v)
	}
	// Output:
	// 1
	// 2
}

func ExampleHistory_Rewind() {
	var p berth.Pool[string]
	h := p.Insert("kept")
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 2})
	p.Clear()
	fmt.Println(s.Rewind(1), p.Contains(h))
	fmt.Println(errors.Is(s.Rewind(7), berth.ErrForgotten))
	// Output:
	// <nil> true
	// true
}

func ExampleHistory_Now() {
	var p berth.Pool[string]
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 10})
	s.Mark()
	fmt.Println(s.Now())
	_ = s.Rewind(1)
	fmt.Println(s.Now())
	// Output:
	// 2
	// 1
}

func ExampleHistory_Oldest() {
	var p berth.Pool[string]
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 2})
	s.Mark()
	s.Mark()
	fmt.Println(s.Oldest()) // of 1, 2 and 3
	// Output: 2
}

// A server sends what has changed since the frame that a client has.
func ExampleHistory_Changed() {
	p := berth.NewPool[string](berth.Config{Seed: 1})
	a, b := p.Insert("a"), p.Insert("b")
	s := berth.NewHistory(p, berth.HistoryConfig{Frames: 60})
	sent := s.Mark()

	*s.Edit(a) = "A"
	p.Remove(b)
	p.Insert("c")
	for h, change := range s.Changed(sent) {
		v, _ := p.Get(h)
		fmt.Printf("%v %q\n", change, v)
	}
	// Output:
	// Edited "A"
	// Removed ""
	// Inserted "c"
}

func ExampleHistory_Changed_dense() {
	d := berth.NewDense[string](berth.DenseConfig{Seed: 1})
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

func ExampleHistory_Close() {
	var p berth.Pool[string]
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 2})
	s.Close()
	s = berth.NewHistory(&p, berth.HistoryConfig{Frames: 100})
	fmt.Println(s.Oldest())
	// Output: 1
}

func ExampleChange_String() {
	fmt.Println(berth.Inserted, berth.Removed, berth.Edited)
	// Output: Inserted Removed Edited
}
