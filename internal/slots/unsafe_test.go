package slots

import (
	"math"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"
)

// mixed has words of every kind, and pointers at both ends.
type mixed struct {
	Text   string
	B      bool
	Small  [3]uint16
	Any    any
	N      uintptr
	Errs   [2]error
	Slice  []int32
	Nested [2]struct {
		F float64
		M map[int]int
	}
	_    [0]*int
	Chan chan int
	Func func()
	Far  unsafe.Pointer
}

// The words that are pointers are those that the collector must see.
func TestKindPointers(t *testing.T) {
	if k := KindOf((*Block[[64]*int])(nil)); k.words != 64 || k.ptrs != 1<<64-1 {
		t.Errorf("64 pointers: %d words with pointers %b", k.words, k.ptrs)
	}
	if k := KindOf((*Block[[65]*int])(nil)); k.words != 0 {
		t.Errorf("65 pointers: %d words", k.words)
	}
	type row struct {
		v     any
		words int
		ptrs  uint64
	}
	rows := []row{
		{(*Block[*int])(nil), 1, 1},
		{(*Block[string])(nil), 2, 0b01},
		{(*Block[[]byte])(nil), 3, 0b001},
		{(*Block[any])(nil), 2, 0b11},
		{(*Block[map[int]int])(nil), 1, 1},
		{(*Block[struct {
			A uintptr
			B *int
		}])(nil), 2, 0b10},
		{(*Block[[3]string])(nil), 6, 0b010101},
		{(*Block[[8]uintptr])(nil), 8, 0},
		{(*Block[[9]uintptr])(nil), 0, 0},
		{(*Block[struct {
			P *int
			_ [math.MaxInt]struct{}
		}])(nil), 2, 0b01},
	}
	if wordSize == 8 {
		rows = append(rows, row{(*Block[mixed])(nil), 20, 0b1_1_1_10_10_001_1111_0_11_0_01},
			row{(*Block[[4]uint32])(nil), 0, 0})
	}
	for _, tt := range rows {
		k := KindOf(tt.v)
		if k.words != tt.words || k.ptrs != tt.ptrs {
			t.Errorf("%T: %d words with pointers %b, want %d, %b", tt.v, k.words, k.ptrs, tt.words, tt.ptrs)
		}
	}
}

// testCopies copies and clears values that f returns, alone and many at once.
func testCopies[T any](t *testing.T, f func(i int) T) {
	t.Helper()
	k := KindOf((*Block[T])(nil))
	for _, n := range []int{0, 1, 2, 3, 64, 5000} {
		from, to := make([]T, n), unsafe.Slice((*T)(k.make(n)), n)
		for i := range from {
			from[i] = f(i)
		}
		k.copy(FirstOf(to), FirstOf(from), n)
		for i := range from {
			if !reflect.DeepEqual(to[i], from[i]) {
				t.Fatalf("%T: value %d of %d is %v, want %v", from, i, n, to[i], from[i])
			}
		}
		if n > 1 {
			k.clear(FirstOf(to[1:]), n-2)
		}
		var zero T
		for i := range to {
			want := zero
			if i == 0 || i == n-1 {
				want = from[i]
			}
			if !reflect.DeepEqual(to[i], want) {
				t.Fatalf("%T: value %d of %d is %v after clear, want %v", from, i, n, to[i], want)
			}
		}
	}
}

func TestKindCopies(t *testing.T) {
	testCopies(t, func(i int) mixed {
		m := mixed{Text: string(rune('a' + i)), B: true, Any: i, N: uintptr(i), Slice: []int32{int32(i)}}
		m.Small[2], m.Nested[1].F, m.Nested[1].M = uint16(i), 1, map[int]int{i: i}
		m.Errs[1], m.Chan, m.Far = runtime.Error(nil), make(chan int), unsafe.Pointer(&m.N)
		return m
	})
	testCopies(t, func(i int) *int { return &i })
	testCopies(t, func(i int) any { return i })
	testCopies(t, func(i int) [70]string { return [70]string{69: string(rune('a' + i))} })
	testCopies(t, func(i int) [600]string { return [600]string{599: string(rune('a' + i))} })
	testCopies(t, func(i int) [3]uint16 { return [3]uint16{uint16(i), 2, 3} })
	testCopies(t, func(i int) [9]uint64 { return [9]uint64{8: uint64(i)} })
	testCopies(t, func(i int) struct{} { return struct{}{} })
	testCopies(t, func(i int) [0]*int { return [0]*int{} })
	testCopies(t, func(i int) struct{ A, B byte } { return struct{ A, B byte }{byte(i), 1} })
}

// A copy keeps what its pointers refer to, and a cleared value does not.
func TestKindKeeps(t *testing.T) {
	type value struct {
		n    int
		p    *[100]int
		text any
	}
	k := KindOf((*Block[value])(nil))
	to := k.make(2)
	var gone [2]weak.Pointer[[100]int]
	for i := range gone {
		v := &value{n: i, p: &[100]int{i}, text: &[100]int{-i}}
		gone[i] = weak.Make(v.p)
		k.copy(k.at(to, i), Ref(v), 1)
	}
	k.clear(k.at(to, 1), 1)
	runtime.GC()
	if v := (*value)(to); gone[0].Value() != v.p || v.p[0] != 0 || gone[1].Value() != nil {
		t.Errorf("%v kept, %v cleared", gone[0].Value(), gone[1].Value())
	}
	runtime.KeepAlive(to)
}

// testBlocks checks that n blocks have room for all values, keep them, and are copied whole.
func testBlocks[T any](t *testing.T, f func(i int) T) {
	t.Helper()
	const n = 3
	k := KindOf((*Block[T])(nil))
	first, last := k.alloc(n), k.alloc(1)
	for i := range n * BlockSlots {
		b := k.nth(first, i/BlockSlots)
		b.Gens[i%BlockSlots] = uint32(i)
		*(*T)(k.val(b, i)) = f(i)
	}
	runtime.GC()
	k.copyBlock(k.nth(last, 0), k.nth(first, n-1))
	for i := range n * BlockSlots {
		b := k.nth(first, i/BlockSlots)
		if v := *(*T)(k.val(b, i)); b.Gens[i%BlockSlots] != uint32(i) || !reflect.DeepEqual(v, f(i)) {
			t.Fatalf("slot %d has value %v, generation %d", i, v, b.Gens[i%BlockSlots])
		}
	}
	if !reflect.DeepEqual(BlockOf[T](k.nth(last, 0)), BlockOf[T](k.nth(first, n-1))) {
		t.Fatalf("%T: the copy of a block is different", BlockOf[T](nil))
	}
	mustPanic(t, func() { k.alloc(-1) })
	mustPanic(t, func() { k.alloc(int(math.MaxUint/k.Block) + 2) }) // the product is small
}

// mustPanic fails unless f panics.
func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestKindBlocks(t *testing.T) {
	testBlocks(t, func(i int) byte { return byte(i) })
	testBlocks(t, func(i int) [3]uint16 { return [3]uint16{uint16(i), 2, 3} })
	testBlocks(t, func(i int) [9]uint64 { return [9]uint64{8: uint64(i)} })
	testBlocks(t, func(i int) *int { return &i })
	testBlocks(t, func(i int) any { return [2]int{i, 2} })
}

// moved has a pointer behind other fields.
type moved[Rest any] struct {
	n    int
	rest Rest
	p    *[4]int
}

// The collector sees each pointer that is copied while it marks, although values only change
// places, and each that is cleared, although then only the stack has it.
func TestKindWhileMarking(t *testing.T) {
	testMarking[[30]string](t, 1)
	testMarking[string](t, 8)
	testMarking[[100]*int](t, 1) // more words than a mask has
}

func testMarking[Rest any](t *testing.T, many int) {
	t.Helper()
	const n = 1 << 14
	k := KindOf((*Block[moved[Rest]])(nil))
	vals, spare := k.make(n), k.make(many)
	at := func(i int) *moved[Rest] { return (*moved[Rest])(k.at(vals, i)) }
	kept := make([]weak.Pointer[[4]int], n)
	for i := range kept {
		p := new([4]int)
		kept[i] = weak.Make(p)
		at(i).n, at(i).p = i, p
	}
	var collected atomic.Int32
	go func() {
		for range 20 {
			runtime.GC()
			collected.Add(1)
		}
	}()
	for cycle := int32(0); cycle < 20; cycle = collected.Load() {
		var ns [256]int
		var ps [256]*[4]int
		first := int(cycle) * len(ps)
		for i := range ps {
			v := at(first + i)
			ns[i], ps[i] = v.n, v.p
			if i%many == many-1 {
				k.clear(k.at(vals, first+i+1-many), many)
			}
			runtime.Gosched()
		}
		for a := 0; collected.Load() == cycle; a = (a + many) % (n / 2) {
			if b := n - many - a; a >= first+len(ps) || a+many <= first {
				x, y := Ref(at(a)), Ref(at(b))
				k.copy(spare, x, many)
				k.copy(x, y, many)
				k.copy(y, spare, many)
			}
		}
		for i, p := range ps {
			if kept[ns[i]].Value() != p {
				t.Fatalf("value %d was cleared, and its pointer, which the stack had, collected", ns[i])
			}
			at(first+i).n, at(first+i).p = ns[i], p
		}
	}
	for i := range n {
		if v := at(i); kept[v.n].Value() != v.p || v.p == nil {
			t.Fatalf("place %d has value %d, whose pointer was collected", i, v.n)
		}
	}
}

// A chunk is one allocation.
func TestKindAllocs(t *testing.T) {
	for _, block := range []any{(*Block[int])(nil), (*Block[string])(nil), (*Block[[600]string])(nil)} {
		k := KindOf(block)
		var last Ref
		if n := testing.AllocsPerRun(10, func() { last = k.alloc(2) }); n != 1 || last == nil {
			t.Errorf("%T: %v allocations", block, n)
		}
	}
}
