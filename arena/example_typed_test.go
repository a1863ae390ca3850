package arena_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
)

// A Typed holds values with Go pointers: here, the nodes of a parsed expression, which have strings
// and point to each other. All of them are freed when the request is done.
func ExampleTyped() {
	type node struct {
		Op          string
		Left, Right *node
	}
	var nodes arena.Typed[node]
	parse := func(postfix string) *node {
		var stack []*node
		for word := range strings.FieldsSeq(postfix) {
			n := nodes.New()
			n.Op = word
			if k := len(stack) - 2; word == "+" || word == "*" {
				n.Left, n.Right = stack[k], stack[k+1]
				stack = stack[:k]
			}
			stack = append(stack, n)
		}
		return stack[0]
	}
	var infix func(n *node) string
	infix = func(n *node) string {
		if n.Left == nil {
			return n.Op
		}
		return "(" + infix(n.Left) + n.Op + infix(n.Right) + ")"
	}

	fmt.Println(infix(parse("a b + c *")), nodes.Len())
	nodes.Reset()
	fmt.Println(infix(parse("x y *")), nodes.Len())
	// Output:
	// ((a+b)*c) 5
	// (x*y) 3
}

// Values made while trying a move are given back before the next one. Rewound values are zeroed, so
// that what they point to can be collected.
func ExampleTyped_Rewind() {
	var lines arena.Typed[string]
	*lines.New() = "e4 e5"
	start := lines.Mark()
	for _, move := range []string{"Nf3", "Qh5"} {
		line := lines.New()
		*line = move + " Nc6"
		fmt.Println(*line, lines.Len())
		lines.Rewind(start)
	}
	fmt.Printf("%q %d\n", *lines.New(), lines.Len()) // a new value is zero

	lines.Scope(func(t *arena.Typed[string]) {
		for range 100_000 {
			t.New()
		}
	})
	fmt.Println(lines.Len(), lines.Cap() > 100_000)
	lines.Clip()
	fmt.Println(&lines)
	lines.Reset()
	attempt(func() { lines.Rewind(start) })
	// Output:
	// Nf3 Nc6 2
	// Qh5 Nc6 2
	// "" 2
	// 2 true
	// arena.Typed[string](2 of 1024 values)
	// panic: arena: Typed.Rewind: has been rewound past this Mark
}

// The sparks of a frame are made one by one, and freed with the frame. One Bump serves many frames.
func ExampleNewBump() {
	type particle struct{ X, Y, DX, DY float32 }
	frame := arena.NewFixed(1 << 14)
	b := arena.NewBump[particle](frame, 64) // takes memory for 64 at a time
	for range 2 {
		n := 0
		for p := b.New(); p != nil; p = b.New() {
			p.DX = 1
			n++
		}
		fmt.Println(n, frame.Used())

		frame.Reset()
		attempt(func() { b.New() })
		b.Clear()
	}
	fmt.Println(*b.New())
	// Output:
	// 1024 16384
	// panic: arena: Bump.New: its memory has been rewound
	// 1024 16384
	// panic: arena: Bump.New: its memory has been rewound
	// {0 0 0 0}
}

// The values of a berth.Pool lie in memory that the collector does not scan.
func ExampleBacking() {
	type particle struct{ X, Y, DX, DY float32 }
	backing, err := arena.NewBacking(16<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	particles := berth.NewPool[particle](berth.Config{Memory: backing})
	first := particles.Insert(particle{DX: 1})
	for range 10_000 {
		particles.Insert(particle{DY: 1})
	}
	for p := range particles.Values() {
		p.X += p.DX
		p.Y += p.DY
	}
	fmt.Println(*particles.Ptr(first), particles.Len())
	fmt.Println(backing.Stats().Used > 16*10_000)

	particles.Clear()
	particles.Clip()
	fmt.Println(backing.Stats().Used)
	fmt.Println(backing.Release()) // only when the Pool is no longer used
	// Output:
	// {1 0 1 0} 10001
	// true
	// 0
	// <nil>
}

// A Pool whose Backing is used up is full, and the error gives the reason.
func ExampleNewBacking() {
	backing, err := arena.NewBacking(1<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := berth.NewPool[[64]byte](berth.Config{Memory: backing})
	for err == nil {
		_, err = p.TryInsert([64]byte{})
	}
	fmt.Println(errors.Is(err, berth.ErrFull), errors.Is(err, arena.ErrNoSpace), p.Len() > 1000)
	fmt.Println(backing.Release())
	// Output:
	// true true true
	// <nil>
}

// Alloc and Free are called by containers. A freed piece is reused for the next request of the same
// size.
func ExampleBacking_Alloc() {
	backing, err := arena.NewBacking(1<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 10_000 {
		b, err := backing.Alloc(4096, 64)
		if err != nil {
			fmt.Println(err)
			return
		}
		backing.Free(b)
	}
	s := backing.Stats()
	fmt.Println(s.Used, s.Committed <= s.Reserved, s.Reserved <= 1<<20)
	_, err = backing.Alloc(2<<20, 64)
	fmt.Println(err)
	attempt(func() { backing.Free(make([]byte, 4096)) })
	fmt.Println(backing.Release(), backing.Release()) // releasing again does nothing
	fmt.Println(backing)
	// Output:
	// 0 true true
	// arena: no space
	// panic: arena: Backing.Free: not from Alloc, or freed before
	// <nil> <nil>
	// arena.Backing(0 of 0 bytes)
}
