package arena_test

import (
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/arena"
)

// A Deque is a list that grows at both ends. Indices count from the front.
func ExampleDeque() {
	orders := arena.NewDeque[int32](arena.NewFixed(200), arena.DequeConfig{Block: 16})
	orders.PushBack(1)
	orders.PushBack(2)
	orders.PushFront(99) // urgent
	for i, v := range orders.All() {
		fmt.Println(i, *v)
	}
	fmt.Println(orders.Front())
	fmt.Println(orders.PopFront())
	fmt.Println(orders.PopBack())
	fmt.Println(orders.Back())
	orders.Clear() // keeps the blocks
	fmt.Println(orders, orders.Cap())
	for orders.PushBack(7) {
	}
	fmt.Println(orders.Len(), "orders fill the arena")
	// Output:
	// 0 99
	// 1 1
	// 2 2
	// 99 true
	// 99 true
	// 2 true
	// 1 true
	// arena.Deque[int32](0 of 32 values) 32
	// 48 orders fill the arena
}

// Small blocks suit many short queues, and large blocks suit a long one.
func ExampleNewDeque() {
	a := arena.NewFixed(1 << 12)
	d := arena.NewDeque[int32](a, arena.DequeConfig{})
	fmt.Println(d.Block(), a.Used()) // takes nothing yet
	for range 8 {
		mail := arena.NewDeque[uint32](a, arena.DequeConfig{Block: 4})
		mail.PushBack(1)
	}
	fmt.Println(a.Used())
	// Output:
	// 1024 0
	// 128
}

// The Deque holds the times of the last frames. The oldest has index 0.
func ExampleDeque_At() {
	times := arena.NewDeque[int32](arena.NewFixed(1<<10), arena.DequeConfig{Block: 2})
	for i := range int32(100) {
		if times.Len() == 5 {
			times.PopFront()
		}
		times.PushBack(16 + i%3)
	}
	fmt.Println(times.At(0), times.At(4))
	*times.Ptr(4) = 99
	all, few := make([]int32, 8), make([]int32, 3)
	n := times.CopyTo(all)
	times.CopyTo(few) // the oldest
	fmt.Println(all[:n], few, times.Ptr(5))
	attempt(func() { times.At(5) })
	// Output:
	// 18 16
	// [18 16 17 18 99] [18 16 17] <nil>
	// panic: arena: Deque.At: index out of range
}

// With room reserved for everything that can happen in a frame, no push fails.
func ExampleDeque_ReserveBack() {
	d := arena.NewDeque[int32](arena.NewFixed(400), arena.DequeConfig{Block: 16})
	fmt.Println(d.ReserveBack(1000), d.Cap())
	fmt.Println(d.ReserveBack(50), d.ReserveFront(20), d.Cap())
	for range 50 {
		if !d.PushBack(0) {
			fmt.Println("does not happen")
		}
	}
	fmt.Println(d.FreeBack(), d.FreeFront())
	// Output:
	// false 0
	// true true 96
	// 14 32
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
