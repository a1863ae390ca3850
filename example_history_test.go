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

// A history forgets all but its last frames.
func ExampleNewHistory() {
	var p berth.Pool[string]
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 2}) // begins frame 1
	h := p.Insert("kept")
	fmt.Println(s.Mark(), s.Mark(), s.Oldest())
	p.Clear()
	fmt.Println(s.Rewind(2), s.Now(), p.Contains(h))
	fmt.Println(errors.Is(s.Rewind(1), berth.ErrForgotten))

	s.Close()
	s = berth.NewHistory(&p, berth.HistoryConfig{Frames: 100})
	fmt.Println(s.Now())
	// Output:
	// 2 3 2
	// <nil> 2 true
	// true
	// 1
}

// Also the order of the values comes back.
func ExampleNewDenseHistory() {
	var d berth.Dense[int]
	for _, v := range []int{3, 1, 2} {
		d.Insert(v)
	}
	s := berth.NewDenseHistory(&d, berth.HistoryConfig{Frames: 2})
	d.Sort(func(a, b *int) int { return cmp.Compare(*a, *b) })
	first, _ := d.At(0)
	*s.Edit(first) = 10
	fmt.Println(d.Slice())
	_ = s.Rewind(1)
	fmt.Println(d.Slice())
	// Output:
	// [10 2 3]
	// [3 1 2]
}

// Loops that change values are those of the history.
func ExampleHistory_EditAll() {
	var p berth.Pool[int]
	p.Insert(1)
	p.Insert(2)
	s := berth.NewHistory(&p, berth.HistoryConfig{Frames: 2})
	for _, v := range s.EditAll() {
		*v *= 10
	}
	tens := s.Mark()
	for _, span := range s.EditSpans() {
		clear(span)
	}
	for _, f := range []berth.Frame{tens, 1} {
		_ = s.Rewind(f)
		for _, span := range p.Spans() {
			fmt.Println(span)
		}
	}
	// Output:
	// [10 20]
	// [1 2]
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

// A value that moves within a Dense has not changed.
func ExampleChange() {
	d := berth.NewDense[string](berth.DenseConfig{Seed: 1})
	a, b := d.Insert("a"), d.Insert("b")
	d.Insert("c")
	s := berth.NewDenseHistory(d, berth.HistoryConfig{Frames: 60})
	*s.Edit(b) = "B"
	d.Remove(a)
	d.Defrag() // moves c
	for h, change := range s.Changed(1) {
		fmt.Println(change, h == a, h == b)
	}
	// Output:
	// Removed true false
	// Edited false true
}
