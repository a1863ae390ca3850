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

// A new value is zero, even where another one was before.
func ExampleTyped_New() {
	type message struct{ From, Text string }
	var inbox arena.Typed[message]
	inbox.New().Text = "hello"
	inbox.Reset()
	fmt.Printf("%+v\n", *inbox.New())
	// Output: {From: Text:}
}

func ExampleTyped_Len() {
	var t arena.Typed[string]
	t.New()
	t.New()
	fmt.Println(t.Len())
	// Output: 2
}

func ExampleTyped_Cap() {
	var t arena.Typed[[]byte]
	fmt.Println(t.Cap()) // no chunk yet
	t.New()
	c := t.Cap()
	for range c {
		t.New()
	}
	fmt.Println(t.Cap() == 2*c)
	// Output:
	// 0
	// true
}

// Values made while trying a move are given back before the next one.
func ExampleTyped_Mark() {
	var lines arena.Typed[string]
	*lines.New() = "e4 e5"
	start := lines.Mark()
	for _, move := range []string{"Nf3", "Qh5", "f4"} {
		*lines.New() = move
		*lines.New() = move + " Nc6"
		fmt.Println(lines.Len())
		lines.Rewind(start)
	}
	fmt.Println(lines.Len())
	// Output:
	// 3
	// 3
	// 3
	// 1
}

// Rewound values are zeroed, so that what they point to can be collected. A pointer kept too long
// reads zeros, but never dangles.
func ExampleTyped_Rewind() {
	var t arena.Typed[string]
	first := t.Mark()
	*t.New() = "a"
	second := t.Mark()
	b := t.New()
	*b = "b"

	t.Rewind(second)
	fmt.Printf("%q %d\n", *b, t.Len())
	t.Rewind(first)
	attempt(func() { t.Rewind(second) })
	// Output:
	// "" 1
	// panic: arena: Typed.Rewind: has been rewound past this Mark
}

func ExampleTyped_Scope() {
	var words arena.Typed[string]
	*words.New() = "kept"
	words.Scope(func(t *arena.Typed[string]) {
		*t.New() = "not kept"
		fmt.Println(t.Len())
	})
	fmt.Println(words.Len())
	// Output:
	// 2
	// 1
}

func ExampleTyped_Reset() {
	var t arena.Typed[string]
	for range 100 {
		t.New()
	}
	c := t.Cap()
	t.Reset()
	fmt.Println(t.Len(), t.Cap() == c)
	// Output: 0 true
}

func ExampleTyped_Clip() {
	var t arena.Typed[string]
	for range 100_000 {
		t.New()
	}
	t.Reset()
	t.New()
	t.Clip()
	fmt.Println(t.Len(), t.Cap() < 10_000)
	// Output: 1 true
}

// The sparks of a frame are made one by one, and freed with the frame.
func ExampleBump() {
	type particle struct{ X, Y, DX, DY float32 }
	frame := arena.NewFixed(1 << 14)
	b := arena.NewBump[particle](frame, 64)
	n := 0
	for p := b.New(); p != nil; p = b.New() {
		p.DX = 1
		n++
	}
	fmt.Println(n, frame.Used())

	frame.Reset()
	attempt(func() { b.New() })
	b.Clear()
	fmt.Println(*b.New())
	// Output:
	// 1024 16384
	// panic: arena: Bump.New: its memory has been rewound
	// {0 0 0 0}
}

func ExampleNewBump() {
	a := arena.NewFixed(1 << 10)
	b := arena.NewBump[int32](a, 100)
	fmt.Println(a.Used()) // takes nothing yet
	b.New()
	fmt.Println(a.Used())
	attempt(func() { arena.NewBump[int32](a, 0) })
	// Output:
	// 0
	// 400
	// panic: arena: NewBump: block is not positive, or too large
}

func ExampleBump_New() {
	b := arena.NewBump[int32](arena.NewFixed(50), 4)
	n := 0
	for b.New() != nil {
		n++
	}
	fmt.Println(n)
	// Output: 12
}

// One Bump serves many frames.
func ExampleBump_Clear() {
	frame := arena.NewFixed(64)
	b := arena.NewBump[int32](frame, 4)
	for i := range int32(3) {
		v := b.New()
		*v += i
		fmt.Println(*v)
		frame.Reset()
		b.Clear()
	}
	// Output:
	// 0
	// 1
	// 2
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
		_, err = berth.TryInsert(p, [64]byte{})
	}
	fmt.Println(errors.Is(err, berth.ErrFull), errors.Is(err, arena.ErrNoSpace), p.Len() > 1000)
	fmt.Println(backing.Release())
	// Output:
	// true true true
	// <nil>
}

// Alloc is called by containers. It returns zeroed bytes.
func ExampleBacking_Alloc() {
	backing, err := arena.NewBacking(1<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := backing.Alloc(1000, 64)
	fmt.Println(len(b), b[999], err)
	_, err = backing.Alloc(2<<20, 64)
	fmt.Println(err)
	fmt.Println(backing.Release())
	// Output:
	// 1000 0 <nil>
	// arena: no space
	// <nil>
}

// A freed piece is reused for the next request of the same size.
func ExampleBacking_Free() {
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
	fmt.Println(backing.Stats().Used)
	attempt(func() { backing.Free(make([]byte, 4096)) })
	fmt.Println(backing.Release())
	// Output:
	// 0
	// panic: arena: Backing.Free: not from Alloc, or freed before
	// <nil>
}

func ExampleBacking_String() {
	var none arena.Backing
	fmt.Println(&none)
	// Output: arena.Backing(0 of 0 bytes)
}

func ExampleBacking_GoString() {
	var none arena.Backing
	fmt.Printf("%#v\n", &none)
	// Output: arena.Backing(0 of 0 bytes)
}

func ExampleBacking_Stats() {
	backing, err := arena.NewBacking(1<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := backing.Alloc(1024, 64)
	s := backing.Stats()
	fmt.Println(s.Used, s.Committed <= s.Reserved, s.Reserved <= 1<<20)
	backing.Free(b)
	fmt.Println(backing.Stats().Used)
	fmt.Println(backing.Release())
	// Output:
	// 1024 true true
	// 0
	// <nil>
}

func ExampleBacking_Release() {
	backing, err := arena.NewBacking(1<<20, arena.VirtualConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(backing.Release())
	fmt.Println(backing.Release()) // releasing again does nothing
	_, err = backing.Alloc(1, 1)
	fmt.Println(err)
	// Output:
	// <nil>
	// <nil>
	// arena: no space
}
