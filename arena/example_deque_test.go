package arena_test

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/arena"
)

// A Deque is a list that grows at both ends. Indices count from the front.
func ExampleDeque() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<14), arena.DequeConfig{})
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	for i, v := range d.All() {
		fmt.Println(i, *v)
	}
	// Output:
	// 0 1
	// 1 2
	// 2 3
}

// PushBack and PopBack make a stack. Values never move, so pointers to them stay valid as it grows.
func ExampleDeque_stack() {
	type call struct{ N, Result int32 }
	stack := arena.NewDeque[call](arena.NewFixed(1<<12), arena.DequeConfig{Block: 16})
	stack.PushBack(call{N: 10})
	bottom := stack.Ptr(0)
	for {
		top, _ := stack.Back()
		if top.N == 1 {
			break
		}
		stack.PushBack(call{N: top.N - 1})
	}
	result := int32(1)
	for stack.Len() > 1 {
		c, _ := stack.PopBack()
		result *= c.N
		stack.Ptr(stack.Len() - 1).Result = result
	}
	fmt.Println(bottom.N*bottom.Result, stack.Len())
	// Output: 3628800 1
}

// PushBack and PopFront make a queue. Emptied blocks are reused, so a queue of steady length runs
// forever in the same memory.
func ExampleDeque_queue() {
	type event struct{ Kind, Who uint16 }
	a := arena.NewFixed(256)
	queue := arena.NewDeque[event](a, arena.DequeConfig{Block: 16})
	for i := range uint16(20) {
		queue.PushBack(event{Who: i})
	}
	used := a.Used()
	for i := range uint16(10_000) {
		queue.PopFront()
		queue.PushBack(event{Who: i})
	}
	fmt.Println(queue.Front())
	fmt.Println(queue.Len(), used, a.Used())
	// Output:
	// {0 9980} true
	// 20 128 192
}

// A Deque whose memory has been rewound panics, and Clear makes it usable again.
func ExampleDeque_rewound() {
	frame := arena.NewFixed(1 << 12)
	events := arena.NewDeque[int32](frame, arena.DequeConfig{Block: 16})
	events.PushBack(1)
	frame.Reset()
	attempt(func() { events.PopFront() })
	events.Clear()
	fmt.Println(events.PushBack(2), events.Len())
	// Output:
	// panic: arena: Deque.PopFront: its memory has been rewound
	// true 1
}

// The zero Deque has no arena.
func ExampleDeque_zero() {
	var d arena.Deque[int32]
	fmt.Println(d.PushBack(1), d.PushFront(1), d.Len())
	// Output: false false 0
}

func ExampleNewDeque() {
	a := arena.NewFixed(1 << 14)
	d := arena.NewDeque[int32](a, arena.DequeConfig{})
	small := arena.NewDeque[int32](a, arena.DequeConfig{Block: 100})
	fmt.Println(d.Block(), small.Block(), a.Used()) // takes nothing yet
	// Output: 1024 128 0
}

// Small blocks suit many short queues, and large blocks suit a long one.
func ExampleDequeConfig() {
	a := arena.NewFixed(1 << 12)
	for range 8 {
		mail := arena.NewDeque[uint32](a, arena.DequeConfig{Block: 4})
		mail.PushBack(1)
	}
	fmt.Println(a.Used())
	// Output: 128
}

func ExampleDeque_PushBack() {
	d := arena.NewDeque[int32](arena.NewFixed(100), arena.DequeConfig{Block: 16})
	n := 0
	for d.PushBack(1) {
		n++
	}
	fmt.Println(n, d.Len())
	// Output: 16 16
}

// Urgent values are pushed at the front.
func ExampleDeque_PushFront() {
	orders := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	orders.PushBack(1)
	orders.PushBack(2)
	fmt.Println(orders.PushFront(99))
	fmt.Println(orders.Front())
	// Output:
	// true
	// 99 true
}

func ExampleDeque_PopFront() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	d.PushBack(1)
	d.PushBack(2)
	for range 3 {
		fmt.Println(d.PopFront())
	}
	// Output:
	// 1 true
	// 2 true
	// 0 false
}

func ExampleDeque_PopBack() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	d.PushBack(1)
	d.PushBack(2)
	for range 3 {
		fmt.Println(d.PopBack())
	}
	// Output:
	// 2 true
	// 1 true
	// 0 false
}

func ExampleDeque_Front() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	fmt.Println(d.Front())
	d.PushBack(1)
	d.PushBack(2)
	fmt.Println(d.Front())
	// Output:
	// 0 false
	// 1 true
}

func ExampleDeque_Back() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	fmt.Println(d.Back())
	d.PushBack(1)
	d.PushBack(2)
	fmt.Println(d.Back())
	// Output:
	// 0 false
	// 2 true
}

// The Deque holds the times of the last frames. The oldest has index 0.
func ExampleDeque_At() {
	times := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	for i := range int32(100) {
		if times.Len() == 3 {
			times.PopFront()
		}
		times.PushBack(16 + i%2)
	}
	fmt.Println(times.At(0), times.At(1), times.At(2))
	attempt(func() { times.At(3) })
	// Output:
	// 17 16 17
	// panic: arena: Deque.At: index out of range
}

func ExampleDeque_Ptr() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	d.PushBack(10)
	p := d.Ptr(0)
	for range 30 {
		d.PushFront(0)
	}
	*p += 5 // has not moved
	fmt.Println(d.At(30), d.Ptr(31))
	// Output: 15 <nil>
}

func ExampleDeque_Len() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	d.PushBack(1)
	d.PushFront(2)
	d.PopBack()
	fmt.Println(d.Len())
	// Output: 1
}

func ExampleDeque_Cap() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	for range 17 {
		d.PushBack(1)
	}
	fmt.Println(d.Len(), d.Cap())
	// Output: 17 32
}

func ExampleDeque_Block() {
	type big [1 << 10]byte
	a := arena.NewFixed(0)
	fmt.Println(arena.NewDeque[uint8](a, arena.DequeConfig{}).Block())
	fmt.Println(arena.NewDeque[big](a, arena.DequeConfig{}).Block())
	// Output:
	// 4096
	// 16
}

func ExampleDeque_FreeBack() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	d.PushBack(1)
	fmt.Println(d.FreeBack(), d.FreeFront())
	d.ReserveBack(20)
	fmt.Println(d.FreeBack(), d.FreeFront()) // the spare block is reserved for the back
	d.Clear()
	fmt.Println(d.FreeBack(), d.FreeFront()) // spare blocks count for both ends
	// Output:
	// 15 0
	// 31 0
	// 32 32
}

func ExampleDeque_FreeFront() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 16})
	d.PushFront(1)
	fmt.Println(d.FreeFront(), d.FreeBack())
	d.PushFront(2)
	fmt.Println(d.FreeFront(), d.FreeBack())
	// Output:
	// 15 0
	// 14 0
}

// With room reserved for everything that can happen in a frame, no push fails.
func ExampleDeque_ReserveBack() {
	d := arena.NewDeque[int32](arena.NewFixed(256), arena.DequeConfig{Block: 16})
	fmt.Println(d.ReserveBack(1000), d.Cap())
	fmt.Println(d.ReserveBack(50), d.Cap())
	for range 50 {
		if !d.PushBack(0) {
			fmt.Println("does not happen")
		}
	}
	// Output:
	// false 0
	// true 64
}

func ExampleDeque_ReserveFront() {
	d := arena.NewDeque[int32](arena.NewFixed(256), arena.DequeConfig{Block: 16})
	fmt.Println(d.ReserveFront(20), d.ReserveFront(1000))
	n := 0
	for n < 20 && d.PushFront(0) {
		n++
	}
	fmt.Println(n)
	// Output:
	// true false
	// 20
}

// Clear keeps the blocks.
func ExampleDeque_Clear() {
	a := arena.NewFixed(1 << 10)
	d := arena.NewDeque[int32](a, arena.DequeConfig{Block: 16})
	d.PushBack(1)
	d.Clear()
	fmt.Println(d.Len(), d.Cap(), a.Used())
	// Output: 0 16 64
}

// CopyTo reads the oldest events, as many as fit.
func ExampleDeque_CopyTo() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 2})
	for i := range int32(5) {
		d.PushBack(i)
	}
	all, few := make([]int32, 8), make([]int32, 3)
	n := d.CopyTo(all)
	d.CopyTo(few)
	fmt.Println(all[:n], few)
	// Output: [0 1 2 3 4] [0 1 2]
}

// Events cause other events. The loop visits those that were there when it began.
func ExampleDeque_All() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 2})
	for i := range int32(3) {
		d.PushBack(10 * i)
	}
	for i, v := range d.All() {
		fmt.Println(i, *v)
		d.PushBack(*v + 1)
	}
	fmt.Println(d.Len())
	// Output:
	// 0 0
	// 1 10
	// 2 20
	// 6
}

// A loop over spans is as fast as one over slices.
func ExampleDeque_Spans() {
	d := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 4})
	for i := range int32(10) {
		d.PushBack(i)
	}
	d.PopFront()
	for first, s := range d.Spans() {
		fmt.Println(first, s, slices.Max(s))
	}
	// Output:
	// 0 [1 2 3] 3
	// 3 [4 5 6 7] 7
	// 7 [8 9] 9
}
