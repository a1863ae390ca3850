package arena_test

import (
	"fmt"
	"math/bits"

	"github.com/seed505807e1/berth/arena"
)

// The Pool holds the voices of a mixer. Each plays to its end, and its index is not kept longer.
func ExamplePool() {
	type voice struct{ Sound, Left int32 }
	voices := arena.NewPool[voice](arena.NewFixed(1 << 12))
	for i := range int32(4) {
		voices.Insert(voice{Sound: i, Left: 1 + i%2})
	}
	for i, v := range voices.All() {
		if v.Left--; v.Left == 0 {
			voices.Remove(i)
		}
	}
	i, _ := voices.Insert(voice{Sound: 9, Left: 5}) // the lowest vacant slot
	fmt.Println(voices.Len(), "voices; sound 9 in slot", i)
	// Output: 3 voices; sound 9 in slot 0
}

// A Pool reuses indices, and does not detect an old one. If indices are kept, use Handles.
func ExamplePool_reuse() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	target, _ := pool.Insert(100)
	fmt.Println(pool.Remove(target))
	fmt.Println(pool.Get(target))
	fmt.Println(pool.Contains(target), pool.Ptr(target))
	pool.Insert(999)
	fmt.Println(pool.Get(target)) // a different value
	// Output:
	// 100 true
	// 0 false
	// false <nil>
	// 999 true
}

func ExampleNewPool() {
	a := arena.NewFixed(1 << 10)
	pool := arena.NewPool[int32](a)
	fmt.Println(pool.Len(), pool.Cap(), a.Used()) // takes nothing yet
	pool.Insert(1)
	fmt.Println(pool.Len(), pool.Cap())
	// Output:
	// 0 0 0
	// 1 64
}

// With room reserved for a wave of enemies, no insert fails. Slots do not move, so a pointer is
// valid until its value is removed. Clear makes a Pool usable again after a rewind.
func ExamplePool_Grow() {
	level := arena.NewFixed(1 << 10)
	pool := arena.NewPool[int32](level)
	i, _ := pool.Insert(1)
	p := pool.Ptr(i)
	fmt.Println(pool.Grow(1000), pool.Cap()) // nothing has changed
	fmt.Println(pool.Grow(100), pool.Cap())
	for range 100 {
		pool.Insert(2)
	}
	fmt.Println(pool, p == pool.Ptr(i))

	level.Reset()
	attempt(func() { pool.Insert(2) })
	pool.Clear()
	fmt.Println(pool.Insert(2))
	// Output:
	// false 64
	// true 128
	// arena.Pool[int32](101 of 128 slots) true
	// panic: arena: Pool.Insert: its memory has been rewound
	// 0 true
}

// The body of a loop may remove values. A span is a slice, and its loop needs no checks.
func ExamplePool_All() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	for i := range int32(6) {
		pool.Insert(i)
	}
	for i, v := range pool.All() {
		if *v == 2 {
			pool.Remove(i)
		}
	}
	for v := range pool.Values() {
		*v *= 10
	}
	for first, span := range pool.Spans() {
		fmt.Println(first, span)
	}
	fmt.Println(pool.Span(3))
	// Output:
	// 0 [0 10]
	// 3 [30 40 50]
	// [30 40 50] 6
}

// If all values are summed, moved or drawn, a loop over blocks needs no call per value. Vacant
// slots are zero, and the mask of a Chunk distinguishes them from live ones.
func ExamplePool_Chunks() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	for i := range int32(66) {
		pool.Insert(-i)
	}
	for i := 2; i < 64; i++ {
		pool.Remove(i)
	}
	sum := int32(0)
	for c := range pool.Chunks() {
		for _, v := range c.Values {
			sum += v
		}
		for w := c.Mask; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			fmt.Println(c.First+i, c.Values[i])
		}
	}
	fmt.Println(sum)
	// Output:
	// 0 0
	// 1 -1
	// 64 -64
	// 65 -65
	// -130
}
