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
	pool.Remove(target)
	fmt.Println(pool.Get(target))
	pool.Insert(999)
	fmt.Println(pool.Get(target)) // a different value
	// Output:
	// 0 false
	// 999 true
}

// A Pool whose memory has been rewound panics, and Clear makes it usable again.
func ExamplePool_rewound() {
	level := arena.NewFixed(1 << 12)
	pool := arena.NewPool[int32](level)
	pool.Insert(1)
	level.Reset()
	attempt(func() { pool.Insert(2) })
	pool.Clear()
	fmt.Println(pool.Insert(2))
	// Output:
	// panic: arena: Pool.Insert: its memory has been rewound
	// 0 true
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

// An arena of limited size holds a limited number of blocks.
func ExamplePool_Insert() {
	pool := arena.NewPool[int32](arena.NewFixed(1000))
	n := 0
	for {
		if _, ok := pool.Insert(1); !ok {
			break
		}
		n++
	}
	fmt.Println(n)
	pool.Remove(50)
	fmt.Println(pool.Insert(2))
	// Output:
	// 192
	// 50 true
}

func ExamplePool_Remove() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	i, _ := pool.Insert(7)
	fmt.Println(pool.Remove(i))
	fmt.Println(pool.Remove(i))
	// Output:
	// 7 true
	// 0 false
}

func ExamplePool_Get() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	i, _ := pool.Insert(7)
	fmt.Println(pool.Get(i))
	fmt.Println(pool.Get(i + 1))
	fmt.Println(pool.Get(-1))
	// Output:
	// 7 true
	// 0 false
	// 0 false
}

// Slots do not move, so a pointer is valid until its value is removed.
func ExamplePool_Ptr() {
	type enemy struct{ Health, Armor int32 }
	pool := arena.NewPool[enemy](arena.NewFixed(1 << 14))
	i, _ := pool.Insert(enemy{Health: 10})
	p := pool.Ptr(i)
	for range 500 {
		pool.Insert(enemy{})
	}
	p.Health -= 3
	fmt.Println(*pool.Ptr(i), pool.Ptr(501))
	// Output: {7 0} <nil>
}

func ExamplePool_Contains() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	i, _ := pool.Insert(7)
	fmt.Println(pool.Contains(i), pool.Contains(i+1), pool.Contains(-1))
	// Output: true false false
}

func ExamplePool_Len() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	pool.Insert(1)
	pool.Insert(2)
	pool.Remove(0)
	fmt.Println(pool.Len()) // vacant slots do not count
	// Output: 1
}

func ExamplePool_Cap() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	for range 65 {
		pool.Insert(1)
	}
	fmt.Println(pool.Cap())
	// Output: 128
}

// With room reserved for a wave of enemies, no insert fails.
func ExamplePool_Grow() {
	a := arena.NewFixed(1 << 10)
	pool := arena.NewPool[int32](a)
	pool.Insert(1)
	fmt.Println(pool.Grow(1000), pool.Cap()) // nothing has changed
	fmt.Println(pool.Grow(100), pool.Cap())
	used := a.Used()
	for range 100 {
		pool.Insert(2)
	}
	fmt.Println(pool.Len(), a.Used() == used)
	// Output:
	// false 64
	// true 128
	// 101 true
}

func ExamplePool_Clear() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	pool.Insert(1)
	pool.Insert(2)
	pool.Clear()
	fmt.Println(pool.Len(), pool.Cap())
	fmt.Println(pool.Insert(3))
	// Output:
	// 0 64
	// 0 true
}

// The body of a loop may remove values.
func ExamplePool_All() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	for i := range int32(6) {
		pool.Insert(i * i)
	}
	for i, v := range pool.All() {
		if *v%2 == 0 {
			pool.Remove(i)
		}
	}
	for i, v := range pool.All() {
		fmt.Println(i, *v)
	}
	// Output:
	// 1 1
	// 3 9
	// 5 25
}

// If all values are summed, moved or drawn, a loop over blocks needs no call per value.
func ExamplePool_Chunks() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	for i := range int32(100) {
		pool.Insert(i)
	}
	pool.Remove(99)
	sum := int32(0)
	for c := range pool.Chunks() {
		for _, v := range c.Values { // vacant slots are zero
			sum += v
		}
	}
	fmt.Println(sum)
	// Output: 4851
}

// The mask of a Chunk distinguishes live from vacant slots.
func ExampleChunk() {
	pool := arena.NewPool[int32](arena.NewFixed(1 << 10))
	for i := range int32(66) {
		pool.Insert(-i)
	}
	for i := 2; i < 64; i++ {
		pool.Remove(i)
	}
	for c := range pool.Chunks() {
		for w := c.Mask; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			fmt.Println(c.First+i, c.Values[i])
		}
	}
	// Output:
	// 0 0
	// 1 -1
	// 64 -64
	// 65 -65
}

func ExamplePool_Values() {
	p := arena.NewPool[int32](arena.NewChunked(4096))
	for i := range int32(5) {
		p.Insert(10 * i)
	}
	p.Remove(2)
	for v := range p.Values() {
		*v++
		fmt.Println(*v)
	}
	// Output:
	// 1
	// 11
	// 31
	// 41
}

// A span is a slice, and its loop needs no checks.
func ExamplePool_Spans() {
	p := arena.NewPool[int32](arena.NewChunked(4096))
	for i := range int32(6) {
		p.Insert(10 * i)
	}
	p.Remove(2)
	for first, span := range p.Spans() {
		fmt.Println(first, span)
	}
	// Output:
	// 0 [0 10]
	// 3 [30 40 50]
}
