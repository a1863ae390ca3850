package arena_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

// pins are frequent operations. In a steady state they allocate nothing, and take no more of the
// arena.
func pins(a *arena.Arena) map[string]func() {
	type handle = arena.Handle64[int]
	v, d := arena.NewVec[int](a), arena.NewDeque[int](a, arena.DequeConfig{Block: 8})
	p, m := arena.NewPool[int](a), arena.NewMap[int, int](a)
	r := arena.NewHandles[int, handle](a, arena.HandlesConfig{})
	b := arena.NewBump[wide](a, 1000)
	var n arena.Nested[int]
	n.Append(a, make([]int, 100)...)
	m.Grow(50)
	v.Reserve(100)
	for i := range 100 {
		d.PushBack(1)
		p.Insert(1)
		m.Set(i, 1)
		if _, err := r.Insert(1); err != nil {
			panic(err)
		}
	}
	next := 100
	return map[string]func(){
		"New, Alloc, Mark and Rewind": func() {
			m := a.Mark()
			for range 20 {
				arena.New[wide](a)
				_, _ = a.Alloc(10, 4)
				arena.MakeSlice[byte](a, 10, 20)
			}
			a.Rewind(m)
		},
		"Scope": func() { a.Scope(func(a *arena.Arena) { arena.New[[300]byte](a) }) },
		"Vec": func() {
			for range 50 {
				v.Push(1)
			}
			v.Append(1, 1)
			for range 52 {
				v.Pop()
			}
		},
		"Deque": func() {
			for range 50 {
				d.PushBack(1)
				d.PopFront()
			}
			d.PushFront(1)
			d.PopBack()
		},
		"Pool": func() {
			i, _ := p.Insert(1)
			p.Remove(i / 2)
		},
		"Handles": func() {
			h, _ := r.Insert(1)
			k, _ := r.InsertFunc(func(handle, *int) {})
			r.Delete(h)
			r.Delete(k)
		},
		"Map": func() {
			for range 100 {
				m.Set(next, 1)
				m.Delete(next - 100)
				next++
			}
			for range m.All() {
				continue
			}
		},
		"Nested": func() {
			x, _ := n.Pop(a)
			n.Push(a, x)
		},
		"Bump": func() { b.New() },
	}
}

func TestSteadyState(t *testing.T) {
	for kind := range kinds {
		a := newArena(t, kind, 1<<20)
		for name, f := range pins(a) {
			f()
			f()
			used := a.Used()
			if n := testing.AllocsPerRun(50, f); n != 0 {
				t.Errorf("kind %d: %s: %v allocations, want 0", kind, name, n)
			}
			if a.Used() != used {
				t.Errorf("kind %d: %s: Used = %d, was %d", kind, name, a.Used(), used)
			}
		}
		a.CheckInvariants()
	}
}

type (
	inner  struct{ A, B *int }
	middle struct {
		Pad [3]int
		In  [2]inner
	}
	outer       struct{ M [2][1]middle }
	pair[T any] struct {
		N   int
		Val T
	}
	none [0]*int // holds nothing
)

// refusals passes a type that holds pointers to every function that takes a type.
func refusals[T comparable](t *testing.T, path string) {
	t.Helper()
	refuse := func(fn string, f func()) {
		t.Helper()
		wantPanic(t, "arena: "+fn+": an arena cannot hold Go pointers: "+path+" (", f)
	}
	var zero T
	a := arena.NewChunked(1 << 10)
	for _, a := range []*arena.Arena{a, new(arena.Arena)} {
		refuse("New", func() { arena.New[T](a) })
		refuse("MakeSlice", func() { arena.MakeSlice[T](a, 0, 0) })
		refuse("MakeSlice", func() { arena.MakeSliceDirty[T](a, 1, 2) })
		refuse("Append", func() { arena.Append(a, nil, zero) })          //nolint:berthends // it panics
		refuse("Append", func() { arena.Append(a, make([]T, 3), zero) }) //nolint:berthends // it panics
		refuse("Nested.Append", func() { new(arena.Nested[T]).Push(a, zero) })
		refuse("Nested.Append", func() { new(arena.Nested[T]).Append(a, zero, zero) })
	}
	for _, a := range []*arena.Arena{a, nil} {
		refuse("NewVec", func() { arena.NewVec[T](a) })
		refuse("NewDeque", func() { arena.NewDeque[T](a, arena.DequeConfig{}) })
		refuse("NewPool", func() { arena.NewPool[T](a) })
		refuse("NewHandles", func() { arena.NewHandles[T, arena.Handle32[T]](a, arena.HandlesConfig{}) })
		refuse("NewHandles", func() { arena.NewHandles[T, arena.Handle64[T]](a, arena.HandlesConfig{}) })
		refuse("NewMap", func() { arena.NewMap[T, int](a) })
		refuse("NewMap", func() { arena.NewMap[int, T](a) })
		refuse("NewBump", func() { arena.NewBump[T](a, 10) })
	}
	if a.Used() != 0 {
		t.Errorf("refusals take %d bytes", a.Used())
	}
}

func TestRefusesPointers(t *testing.T) {
	refusals[*int](t, "*int")
	// What has pointers is found without the type: one function is enough for the others.
	a := arena.NewFixed(1 << 10)
	const text = "an arena cannot hold Go pointers: "
	wantPanic(t, text+"string (", func() { arena.New[string](a) })
	wantPanic(t, text+"interface {} (", func() { arena.New[any](a) })
	wantPanic(t, text+"error (", func() { arena.New[error](a) })
	wantPanic(t, text+"chan int (", func() { arena.New[chan int](a) })
	wantPanic(t, text+"unsafe.Pointer (", func() { arena.New[unsafe.Pointer](a) })
	wantPanic(t, text+"[2]string[0]: string (", func() { arena.New[[2]string](a) })
	wantPanic(t, text+"inner.A: *int (", func() { arena.New[inner](a) })
	wantPanic(t, text+"outer.M[0][0].In[0].A: *int (", func() { arena.New[outer](a) })
	wantPanic(t, text+reflect.TypeFor[pair[pair[outer]]]().Name()+".Val.Val.M[0][0].In[0].A: *int (",
		func() { arena.New[pair[pair[outer]]](a) })
	wantPanic(t, text+"struct { N arena_test.none; E error }.E: error (", func() {
		arena.New[struct {
			N none
			E error
		}](a)
	})
	// Types that are not comparable.
	wantPanic(t, text+"[]int", func() { arena.New[[]int](a) })
	wantPanic(t, text+"map[int]int", func() { arena.New[map[int]int](a) })
	wantPanic(t, text+"func()", func() { arena.New[func()](a) })
	wantPanic(t, ".F: func()", func() { arena.MakeSlice[struct{ F func() }](a, 1, 1) })
	// Types that hold nothing, or only numbers.
	if arena.New[none](a) == nil || arena.New[uintptr](a) == nil || arena.New[pair[complex64]](a) == nil ||
		arena.New[arena.Handle32[string]](a) == nil || arena.New[arena.Nested[int]](a) == nil {
		t.Error("New refuses a type without pointers")
	}
}

// The null arena, and containers without an arena, refuse everything without a crash.
func TestNullArena(t *testing.T) {
	released := arena.NewChunked(100)
	arena.New[int](released)
	for range 2 {
		if err := released.Release(); err != nil {
			t.Error(err)
		}
	}
	gone := newArena(t, virtual, 1<<16)
	arena.New[int](gone)
	for range 2 {
		if err := gone.Release(); err != nil {
			t.Error(err)
		}
	}
	for name, a := range map[string]*arena.Arena{
		"zero": new(arena.Arena), "released": released, "virtual, released": gone,
	} {
		for _, size := range []int{0, 1, 100, math.MaxInt} {
			for _, align := range []int{1, 8, 64, 4096} {
				if b, err := a.Alloc(size, align); b != nil || err != arena.ErrNoSpace {
					t.Errorf("%s: Alloc(%d, %d) = %v, %v", name, size, align, b, err)
				}
			}
		}
		if arena.New[int](a) != nil || arena.New[void](a) != nil ||
			arena.MakeSlice[int](a, 0, 1) != nil || arena.MakeSlice[int](a, 0, 0) != nil ||
			arena.MakeSliceDirty[void](a, 3, 3) != nil {
			t.Errorf("%s: New or MakeSlice is not nil", name)
		}
		if s, ok := arena.Append(a, nil, 1); s != nil || ok {
			t.Errorf("%s: Append = %v, %t", name, s, ok)
		}
		if s, ok := arena.Append[int](a, nil); s != nil || !ok {
			t.Errorf("%s: Append of nothing = %v, %t", name, s, ok)
		}
		if new(arena.Nested[int]).Push(a, 1) || new(arena.Nested[void]).Push(a, void{}) {
			t.Errorf("%s: Nested.Push = true", name)
		}
		m := a.Mark()
		a.Rewind(m)
		a.Scope(func(a *arena.Arena) { a.Reset(); a.Clip() })
		if a.Used() != 0 || a.Stats() != (arena.Stats{}) || a.IsVirtual() || a.Release() != nil {
			t.Errorf("%s: %+v", name, a.Stats())
		}
		if got := fmt.Sprint(a); !strings.Contains(got, "null") {
			t.Errorf("%s: %s", name, got)
		}
		a.CheckInvariants()
		nullBoxes(t, boxes(a))
		if arena.NewBump[int](a, 3).New() != nil {
			t.Errorf("%s: Bump.New is not nil", name)
		}
	}
	nullBoxes(t, boxes(nil))
	nullBoxes(t, boxesOf(new(arena.Vec[int]), new(arena.Deque[int]), new(arena.Pool[int]),
		new(arena.Map[int, int]), new(arena.Handles[int, arena.Handle32[int]])))
	for _, b := range []*arena.Bump[int]{new(arena.Bump[int]), arena.NewBump[int](nil, 3)} {
		if b.New() != nil {
			t.Error("a Bump without memory makes something")
		}
		b.Clear()
	}
}

// nullBoxes checks that containers without memory hold nothing, and refuse values.
func nullBoxes(t *testing.T, all []box) {
	t.Helper()
	for _, b := range all {
		for range 2 {
			if b.add() || b.len() != 0 {
				t.Errorf("a %s without memory takes a value; Len = %d", b.name, b.len())
			}
			for fn, grow := range b.grow {
				if grow(1) || !grow(0) {
					t.Errorf("%s.%s(1) without memory is true, or of 0 false", b.name, fn)
				}
			}
			for fn, loop := range b.loops {
				loop(func() bool { t.Errorf("%s.%s visits a value", b.name, fn); return true })
			}
			nothingIn(t, b.c)
			b.clear()
			b.check()
		}
	}
}

// nothingIn checks the methods that only one kind of container has.
func nothingIn(t *testing.T, c any) {
	t.Helper()
	something := false
	switch c := c.(type) {
	case *arena.Vec[int]:
		something = c.Append(1) || !c.Append() || c.Clip() || c.Cap() != 0 || c.Ptr(0) != nil ||
			len(c.Slice()) != 0
	case *arena.Deque[int]:
		something = c.PushFront(1) || c.Cap() != 0 || c.FreeBack() != 0 || c.FreeFront() != 0 ||
			c.CopyTo(make([]int, 1)) != 0
	case *arena.Pool[int]:
		something = c.Cap() != 0 || c.Contains(0)
	case *arena.Map[int, int]:
		_, ok := c.Get(1)
		something = ok || c.Delete(1)
	case *arena.Handles[int, arena.Handle32[int]]:
		_, err := c.InsertFunc(func(arena.Handle32[int], *int) { t.Error("called") })
		something = err == nil || c.Contains(1) || c.Delete(0) || c.Stats().Live != 0
	}
	if something {
		t.Errorf("%T without memory holds something", c)
	}
}

func TestBadArguments(t *testing.T) {
	for want, f := range map[string]func(){
		"arena: NewFixed: bytes must not be negative (got -1)":        func() { arena.NewFixed(-1) },
		"arena: NewFixed: bytes must be at most ":                     func() { arena.NewFixed(math.MaxInt) },
		"arena: NewChunked: chunkBytes must be positive (got -1)":     func() { arena.NewChunked(-1) },
		"arena: NewChunked: chunkBytes must be positive (got 0)":      func() { arena.NewChunked(0) },
		"arena: NewChunked: chunkBytes must be at most ":              func() { arena.NewChunked(math.MaxInt) },
		"arena: NewChunkedLimit: chunkBytes must be positive (got 0)": func() { arena.NewChunkedLimit(0, 1) },
		"arena: NewChunkedLimit: chunkBytes must be at most":          func() { arena.NewChunkedLimit(math.MaxInt, 1) },
		"arena: NewChunkedLimit: limit must be positive (got 0)":      func() { arena.NewChunkedLimit(1, 0) },
		"arena: NewChunkedLimit: limit must be positive (got -1)":     func() { arena.NewChunkedLimit(1, -1) },
		"arena: NewVirtual: reserve must be positive (got 0)": func() {
			_, _ = arena.NewVirtual(0, arena.VirtualConfig{})
		},
		"arena: NewVirtual: reserve must be positive (got -1)": func() {
			_, _ = arena.NewVirtual(-1, arena.VirtualConfig{})
		},
		"arena: NewVirtual: negative Keep (got -1)": func() {
			_, _ = arena.NewVirtual(1, arena.VirtualConfig{Keep: -1})
		},
		"arena: NewDeque: Block is negative, or": func() {
			arena.NewDeque[int](nil, arena.DequeConfig{Block: -1})
		},
		"arena: NewDeque: Block is negative, or too": func() {
			arena.NewDeque[void](nil, arena.DequeConfig{Block: 1<<30 + 1})
		},
		"arena: NewDeque: Block is negative, or too l": func() {
			arena.NewDeque[[1 << 20]int](nil, arena.DequeConfig{Block: 1 << 30})
		},
		"arena: NewBump: block is not positive, or":       func() { arena.NewBump[int](nil, 0) },
		"arena: NewBump: block is not positive, or too":   func() { arena.NewBump[int](nil, -1) },
		"arena: NewBump: block is not positive, or too l": func() { arena.NewBump[int](nil, math.MaxInt) },
	} {
		wantPanic(t, want, f)
	}
	for kind := range kinds {
		a := newArena(t, kind, 1000)
		for want, f := range map[string]func(){
			"Arena.Alloc: negative size":                          func() { _, _ = a.Alloc(-1, 1) },
			"Arena.Alloc: negative":                               func() { _, _ = a.AllocDirty(math.MinInt, 1) },
			"Arena.Alloc: alignment is not a power of two":        func() { _, _ = a.Alloc(1, 3) },
			"Arena.Alloc: alignment is not a power of":            func() { _, _ = a.Alloc(1, 0) },
			"Arena.Alloc: alignment is not a power":               func() { _, _ = a.Alloc(1, -8) },
			"Arena.Alloc: alignment is not a":                     func() { _, _ = a.Alloc(0, math.MinInt) },
			"MakeSlice: length is negative or more than capacity": func() { arena.MakeSlice[int](a, -1, 1) },
			"MakeSlice: length is negative or more than capa":     func() { arena.MakeSlice[int](a, 2, 1) },
			"MakeSlice: length is negative or more than":          func() { arena.MakeSlice[void](a, 0, -1) },
			"arena: Deque.At: index out of range": func() {
				arena.NewDeque[int](a, arena.DequeConfig{}).At(0)
			},
			"index out of range":     func() { arena.NewVec[int](a).At(-1) },
			"index out of range [0]": func() { arena.NewVec[int](a).At(0) },
		} {
			wantPanic(t, want, f)
		}
		for _, b := range boxes(a) {
			for fn, grow := range b.grow {
				wantPanic(t, "arena: "+b.name+"."+fn+": negative count", func() { grow(-1) })
			}
		}
		if a.Used() != 0 {
			t.Errorf("kind %d: refusals take %d bytes", kind, a.Used())
		}
	}
}

// Sizes that no machine has are refused, without overflow.
func TestHugeSizes(t *testing.T) {
	for kind := range kinds {
		a := newArena(t, kind, 1000)
		arena.New[byte](a)
		used := a.Used()
		sizes := []int{math.MaxInt, math.MaxInt - 1, math.MaxInt - 63}
		if math.MaxInt > 1<<40 { // a 32-bit machine may have as much
			sizes = append(sizes, math.MaxInt/2+1, math.MaxInt/8, math.MaxInt/16+1)
		}
		for _, n := range sizes {
			if b, err := a.Alloc(n, 1); b != nil || err != arena.ErrNoSpace {
				t.Errorf("kind %d: Alloc(%d, 1) = %d bytes, %v", kind, n, len(b), err)
			}
			_, err := a.Alloc(n, 64)
			if _, err2 := a.AllocDirty(n, 1<<20); err == nil || err2 == nil {
				t.Errorf("kind %d: Alloc(%d, 64) = %v, %v", kind, n, err, err2)
			}
			if arena.MakeSlice[wide](a, 0, n) != nil || arena.MakeSlice[[1 << 20]byte](a, n, n) != nil {
				t.Errorf("kind %d: MakeSlice of %d is not nil", kind, n)
			}
			noRoom(t, a, n)
			if arena.NewDeque[void](a, arena.DequeConfig{}).ReserveBack(n) && n > 1<<40&math.MaxInt {
				t.Errorf("kind %d: ReserveBack(%d) of nothings = true", kind, n)
			}
		}
		if a.Used() != used {
			t.Errorf("kind %d: refusals take %d bytes", kind, a.Used()-used)
		}
	}
	if _, err := arena.NewFixed(0).Alloc(1, 1); err != arena.ErrNoSpace {
		t.Errorf("Alloc in NewFixed(0) = %v", err)
	}
	if b, err := arena.NewFixed(0).Alloc(0, 64); len(b) != 0 || err != nil {
		t.Errorf("Alloc(0, 64) in NewFixed(0) = %v, %v", b, err)
	}
	if _, err := arena.NewFixed(100).Alloc(1, math.MaxInt/2+1); err != arena.ErrNoSpace {
		t.Errorf("Alloc at a huge alignment = %v", err)
	}
}

// noRoom checks that no container in a makes room for n values.
func noRoom(t *testing.T, a *arena.Arena, n int) {
	t.Helper()
	for _, b := range boxes(a) {
		for fn, grow := range b.grow {
			if grow(n) {
				t.Errorf("%s.%s(%d) = true", b.name, fn, n)
			}
		}
	}
	if arena.NewHandles[int, arena.Handle64[int]](a, arena.HandlesConfig{}).Grow(n) {
		t.Errorf("Grow(%d) of a Handles of Handle64 = true", n)
	}
}

// Zero-size values take no memory, in any container.
func TestVoids(t *testing.T) {
	for kind := range kinds {
		a := newArena(t, kind, 1<<16)
		if arena.New[void](a) == nil || len(arena.MakeSlice[void](a, 5, math.MaxInt)) != 5 {
			t.Errorf("kind %d: New or MakeSlice is nil", kind)
		}
		s, ok1 := arena.Append(a, []void(nil), make([]void, 1000)...)
		s, ok2 := arena.Append(a, s, s...)
		if len(s) != 2000 || !ok1 || !ok2 || a.Used() != 0 {
			t.Errorf("kind %d: Append: %d, Used = %d", kind, len(s), a.Used())
		}
		v, d := arena.NewVec[void](a), arena.NewDeque[void](a, arena.DequeConfig{Block: 4})
		b := arena.NewBump[void](a, 4)
		for range 1000 {
			if !v.Push(void{}) || !d.PushBack(void{}) || !d.PushFront(void{}) || b.New() == nil {
				t.Fatalf("kind %d: a push = false", kind)
			}
		}
		if v.Clip(); a.Used() != 0 || v.Len() != 1000 || d.Len() != 2000 {
			t.Errorf("kind %d: Len = %d, %d; Used = %d", kind, v.Len(), d.Len(), a.Used())
		}
		for range 2000 {
			d.PopBack()
		}
		if _, ok := d.PopFront(); ok || !v.Resize(math.MaxInt) || v.Append(void{}) || v.Len() != math.MaxInt {
			t.Errorf("kind %d: Len = %d, %d", kind, v.Len(), d.Len())
		}
		v.Clear()
		p, m := arena.NewPool[void](a), arena.NewMap[void, void](a)
		r := arena.NewHandles[void, arena.Handle32[void]](a, arena.HandlesConfig{})
		for i := range 100 {
			k, ok := p.Insert(void{})
			h, err := r.Insert(void{})
			if k != i || !ok || err != nil || !m.Set(void{}, void{}) || !r.Contains(h) || m.Len() != 1 {
				t.Fatalf("kind %d: turn %d: %d, %t, %v, %v", kind, i, k, ok, h, err)
			}
		}
		v.CheckInvariants()
		d.CheckInvariants()
		p.CheckInvariants()
		m.CheckInvariants()
		a.CheckInvariants()
	}
}

// A Mark is valid in no other arena. The model checks how long it is in its own.
func TestMarks(t *testing.T) {
	for kind := range kinds {
		a, b := newArena(t, kind, 1<<12), newArena(t, kind, 1<<12)
		for _, m := range []arena.Mark{{}, b.Mark()} {
			wantPanic(t, "arena: Arena.Rewind: Mark of another arena", func() { a.Rewind(m) })
		}
		m := a.Mark()
		a.Scope(func(a *arena.Arena) { _ = a.Release() })
		wantPanic(t, "arena: Arena.Rewind: has been rewound past this Mark", func() { a.Rewind(m) })
		if a.Rewind(a.Mark()); a.Used() != 0 {
			t.Errorf("kind %d: Used = %d after Release", kind, a.Used())
		}
	}
}

// A rewind leaves a chunk in which nothing is taken, also if the position stays.
func TestRewindLeavesEmptyChunk(t *testing.T) {
	a := arena.NewChunked(60)
	arena.MakeSlice[byte](a, 58, 58)
	m := a.Mark()
	if _, err := a.Alloc(0, 64); err != nil || a.Used() != 58 || a.Stats().Chunks != 2 {
		t.Fatalf("Alloc: %v, %+v", err, a.Stats())
	}
	a.Rewind(m)
	if a.Clip(); a.Stats().Chunks != 1 {
		t.Errorf("%+v after Clip, want 1 chunk", a.Stats())
	}
}
