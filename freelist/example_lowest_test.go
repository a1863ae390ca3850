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
	fmt.Println(ports.TakeAt(1), ports.TakeAt(1), ports.TakeAt(2)) // taken already, out of range
	fmt.Println(ports.Take())
	fmt.Println(ports.Free(0), ports.Free(0), ports.IsFree(0), ports.Len())
	// Output:
	// 0 true
	// true false false
	// 0 false
	// true false true 1
}

// The loops visit what is taken, in order, and may free it.
func ExampleLowest_Taken() {
	free := freelist.NewLowest(1000)
	for _, i := range []int{70, 3, 700, 9} {
		free.TakeAt(i)
	}
	for i := range free.Backward() {
		fmt.Println(i)
	}
	for i := range free.Taken() {
		if i > 9 {
			free.Free(i)
		}
	}
	free.Clip() // to the last that is taken
	fmt.Println(free)
	free.Grow(10)
	fmt.Println(free.Cap(), free.Len())
	// Output:
	// 700
	// 70
	// 9
	// 3
	// freelist.Lowest(8 of 10 free)
	// 12 10
}

// A copy keeps an earlier state. CopyFrom uses the memory of the copy before.
func ExampleLowest_CopyFrom() {
	free := freelist.NewLowest(10)
	free.Take()
	saved := free.Clone()
	free.Clear() // all are taken
	fmt.Println(free.Take())
	free.CopyFrom(saved)
	fmt.Println(free.Take())
	saved.CopyFrom(free)
	free.Reset() // all are free
	fmt.Println(free.Len(), saved.Len())
	// Output:
	// 0 false
	// 1 true
	// 10 8
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
