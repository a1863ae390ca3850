package stable_test

import (
	"errors"
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

type ball struct{ x, dx int }

func ExampleNewHistory() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 9})
	k := balls.Insert(ball{dx: 1})
	frame := history.Mark()
	for range 5 {
		for _, b := range history.EditAll() {
			b.x += b.dx
		}
		history.Mark()
	}
	fmt.Println(balls.Ptr(k).x)
	fmt.Println(history.Rewind(frame), balls.Ptr(k).x)
	// Output:
	// 5
	// <nil> 0
}

func ExampleHistory_Mark() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 2})
	fmt.Println(history.Mark(), history.Mark(), history.Oldest())
	// Output: 2 3 2
}

func ExampleHistory_Edit() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 2})
	k := balls.Insert(ball{x: 1})
	frame := history.Mark()
	history.Edit(k).x = 7
	_ = history.Rewind(frame)
	fmt.Println(balls.Ptr(k).x)
	// Output: 1
}

func ExampleHistory_EditAll() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 2})
	k := balls.Insert(ball{dx: 3})
	for _, b := range history.EditAll() {
		b.x += b.dx
	}
	fmt.Println(balls.Ptr(k).x)
	// Output: 3
}

func ExampleHistory_EditSpans() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 2})
	k := balls.Insert(ball{dx: 3})
	for _, span := range history.EditSpans() {
		for i := range span {
			span[i].x += span[i].dx
		}
	}
	fmt.Println(balls.Ptr(k).x)
	// Output: 3
}

func ExampleHistory_Rewind() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 2})
	frame := history.Mark()
	k := balls.Insert(ball{})
	fmt.Println(history.Rewind(frame), balls.Contains(k))
	fmt.Println(balls.Insert(ball{}) == k) // the same call issues the same key
	fmt.Println(errors.Is(history.Rewind(frame+1), stable.ErrForgotten))
	// Output:
	// <nil> false
	// true
	// true
}

func ExampleHistory_Oldest() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 3})
	for range 10 {
		history.Mark()
	}
	fmt.Println(history.Oldest())
	// Output: 9
}

func ExampleHistory_Changed() {
	balls := stable.New[ball](stable.Config{Seed: 1})
	a, b := balls.Insert(ball{}), balls.Insert(ball{})
	history := stable.NewHistory(balls, berth.HistoryConfig{Frames: 3})
	balls.Remove(a)
	history.Edit(b).x = 1
	balls.Insert(ball{})
	for k, change := range history.Changed(1) {
		fmt.Println(k.Index(), change)
	}
	// Output:
	// 0 Removed
	// 0 Inserted
	// 1 Edited
}

func ExampleHistory_Close() {
	var balls stable.List[ball]
	history := stable.NewHistory(&balls, berth.HistoryConfig{Frames: 3})
	history.Close()
	stable.NewHistory(&balls, berth.HistoryConfig{Frames: 9}).Close()
	fmt.Println(balls.Len())
	// Output: 0
}
