package freelist_test

import (
	"fmt"
	"math/bits"

	"github.com/seed505807e1/berth/freelist"
)

// A server allocates IDs for its players. 0 means no player. The IDs stay small, a table beside
// them can be truncated behind the last, and they can be visited in order.
func Example_ids() {
	var ids freelist.Lowest
	ids.Grow(1)
	ids.TakeAt(0)

	join := func() int {
		id, ok := ids.Take()
		if !ok {
			ids.Grow(ids.Cap()) // twice as many
			id, _ = ids.Take()
		}
		return id
	}
	ann, bob, cyd, dan := join(), join(), join(), join()
	fmt.Println(ann, bob, cyd, dan)

	ids.Free(bob)
	fmt.Println("freed twice:", ids.Free(bob))
	fmt.Println("the next one gets", join())

	ids.Free(dan)
	last, _ := ids.Last()
	fmt.Println("the table needs", last+1, "of", ids.Cap(), "rows")
	// Output:
	// 1 2 3 4
	// freed twice: false
	// the next one gets 2
	// the table needs 4 of 8 rows
}

func ExampleNewLowest() {
	ports := freelist.NewLowest(2)
	fmt.Println(ports.Take())
	fmt.Println(ports.Take())
	fmt.Println(ports.Take())
	// Output:
	// 0 true
	// 1 true
	// 0 false
}

func ExampleLowest_Take() {
	free := freelist.NewLowest(10)
	for range 5 {
		free.Take()
	}
	free.Free(3)
	free.Free(1)
	i, _ := free.Take()
	fmt.Println(i)
	// Output: 1
}

func ExampleLowest_TakeAt() {
	free := freelist.NewLowest(10)
	fmt.Println(free.TakeAt(0), free.TakeAt(7), free.TakeAt(7), free.TakeAt(10))
	i, _ := free.Take()
	fmt.Println(i)
	// Output:
	// true true false false
	// 1
}

func ExampleLowest_Free() {
	free := freelist.NewLowest(10)
	i, _ := free.Take()
	fmt.Println(free.Free(i), free.Free(i), free.Free(-1))
	// Output: true false false
}

func ExampleLowest_IsFree() {
	free := freelist.NewLowest(10)
	i, _ := free.Take()
	fmt.Println(free.IsFree(i), free.IsFree(i+1), free.IsFree(10))
	// Output: false true false
}

func ExampleLowest_Len() {
	free := freelist.NewLowest(10)
	free.Take()
	fmt.Println(free.Len(), "free,", free.Cap()-free.Len(), "taken")
	// Output: 9 free, 1 taken
}

func ExampleLowest_Cap() {
	free := freelist.NewLowest(10)
	free.Take()
	fmt.Println(free.Cap())
	// Output: 10
}

func ExampleLowest_Grow() {
	free := freelist.NewLowest(4)
	free.Take()
	free.Grow(3) // three are already free
	fmt.Println(free.Cap())
	free.Grow(10)
	fmt.Println(free.Cap(), free.Len())
	// Output:
	// 4
	// 11 10
}

func ExampleLowest_Taken() {
	free := freelist.NewLowest(100)
	free.TakeAt(70)
	free.TakeAt(3)
	for i := range free.Taken() {
		fmt.Println(i)
		free.Free(i) // a loop may free
	}
	fmt.Println(free.Len())
	// Output:
	// 3
	// 70
	// 100
}

func ExampleLowest_Backward() {
	free := freelist.NewLowest(100)
	free.TakeAt(70)
	free.TakeAt(3)
	for i := range free.Backward() {
		fmt.Println(i)
	}
	// Output:
	// 70
	// 3
}

func ExampleLowest_Reset() {
	free := freelist.NewLowest(5)
	free.Take()
	free.Reset()
	fmt.Println(free.Len())
	// Output: 5
}

func ExampleLowest_Clear() {
	l := freelist.NewLowest(100)
	l.Clear()
	fmt.Println(l.Take())
	l.Free(70)
	l.Free(40)
	fmt.Println(l.Take())
	// Output:
	// 0 false
	// 40 true
}

func ExampleLowest_Last() {
	free := freelist.NewLowest(100)
	fmt.Println(free.Last())
	free.TakeAt(70)
	free.TakeAt(3)
	fmt.Println(free.Last())
	// Output:
	// 0 false
	// 70 true
}

func ExampleLowest_Clip() {
	free := freelist.NewLowest(1_000_000)
	free.Take()
	free.TakeAt(9)
	free.Clip()
	fmt.Println(free.Cap(), free.Len())
	// Output: 10 8
}

// A clone keeps an earlier state.
func ExampleLowest_CopyFrom() {
	free, saved := freelist.NewLowest(10), new(freelist.Lowest)
	free.Take()
	saved.CopyFrom(free)
	free.Reset()
	fmt.Println(free.Len(), saved.Len())
	// Output: 10 9
}

// The IDs that are in use are saved as words of bits, and restored.
func ExampleLowest_TakeWord() {
	ids := freelist.NewLowest(100)
	for range 70 {
		ids.Take()
	}
	ids.Free(3)
	saved := []uint64{ids.Word(0), ids.Word(1)}

	var restored freelist.Lowest
	restored.Init(100)
	for k, w := range saved {
		restored.TakeWord(k, w)
	}
	fmt.Println(restored.Len(), restored.IsFree(3), restored.IsFree(69), restored.IsFree(70))
	// Output: 31 true false true
}

func ExampleLowest_Init() {
	var ids freelist.Lowest
	ids.Init(10)
	ids.Take()
	ids.Init(20) // the next round
	fmt.Println(ids.Len(), ids.Cap())
	// Output: 20 20
}

func ExampleLowest_Clone() {
	free := freelist.NewLowest(10)
	free.Take()
	saved := free.Clone()
	free.Take()
	free.Take()
	free = saved
	i, _ := free.Take()
	fmt.Println(i)
	// Output: 1
}

// A cursor is kept between calls. Each call serves the next client, and starts over after the last,
// whichever clients come and go.
func ExampleLowest_NextTaken() {
	clients := freelist.NewLowest(1000)
	for _, i := range []int{3, 70, 700} {
		clients.TakeAt(i)
	}
	next := 0
	for range 5 {
		i, ok := clients.NextTaken(next)
		if !ok {
			i, _ = clients.NextTaken(0)
		}
		fmt.Println("serve", i)
		if i == 3 {
			clients.Free(70)
		}
		next = i + 1
	}
	// Output:
	// serve 3
	// serve 700
	// serve 3
	// serve 700
	// serve 3
}

// A loop visits an array beside the list 64 elements at a time. If all 64 are taken, no element
// needs a check.
func ExampleLowest_Word() {
	free := freelist.NewLowest(200)
	for range 64 {
		free.Take()
	}
	free.TakeAt(130)
	for k := 0; k < free.Cap(); k += 64 {
		switch w := free.Word(k / 64); ^w {
		case 0:
			fmt.Println(k, "and on: all taken")
		default:
			fmt.Println(k, "and on:", bits.OnesCount64(w), "taken")
		}
	}
	// Output:
	// 0 and on: all taken
	// 64 and on: 0 taken
	// 128 and on: 1 taken
	// 192 and on: 0 taken
}
