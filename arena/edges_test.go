package arena_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/pages"
)

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

// refusals calls everything that takes a type with one that holds pointers.
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
		refuse("Append", func() { arena.Append(a, nil, zero) })
		refuse("Append", func() { arena.Append(a, make([]T, 3), zero) })
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
	refusals[string](t, "string")
	refusals[any](t, "interface {}")
	refusals[error](t, "error")
	refusals[chan int](t, "chan int")
	refusals[unsafe.Pointer](t, "unsafe.Pointer")
	refusals[[2]string](t, "[2]string[0]: string")
	refusals[inner](t, "inner.A: *int")
	refusals[outer](t, "outer.M[0][0].In[0].A: *int")
	refusals[pair[pair[outer]]](t, reflect.TypeFor[pair[pair[outer]]]().Name()+
		".Val.Val.M[0][0].In[0].A: *int")
	refusals[struct {
		N none
		E error
	}](t, "struct { N arena_test.none; E error }.E: error")
	// What is not comparable.
	a := arena.NewFixed(1 << 10)
	const text = "an arena cannot hold Go pointers: "
	wantPanic(t, text+"[]int", func() { arena.New[[]int](a) })
	wantPanic(t, text+"map[int]int", func() { arena.NewVec[map[int]int](a) })
	wantPanic(t, text+"func()", func() { arena.NewPool[func()](a) })
	wantPanic(t, ".F: func()", func() { arena.MakeSlice[struct{ F func() }](a, 1, 1) })
	// What holds nothing, or numbers.
	if arena.New[none](a) == nil || arena.New[uintptr](a) == nil || arena.New[pair[complex64]](a) == nil ||
		arena.New[arena.Handle32[string]](a) == nil || arena.New[arena.Nested[int]](a) == nil {
		t.Error("New refuses what holds no pointers")
	}
}

// What an arena remembers of types is not confused by many of them.
func TestManyTypes(t *testing.T) {
	a := arena.NewChunked(1 << 12)
	slots := map[int]int{}
	ok := func(ok bool) {
		if !ok {
			t.Error("a type of numbers is refused")
		}
	}
	refused := 0
	refuse := func(f func()) {
		defer func() {
			if r := recover(); r != nil && strings.Contains(fmt.Sprint(r), "cannot hold Go pointers") {
				refused++
			}
		}()
		f()
	}
	for range 3 {
		manyTypes[int, string](a, slots, ok, refuse)
		manyTypes[int8, *int8](a, slots, ok, refuse)
		manyTypes[int16, *int16](a, slots, ok, refuse)
		manyTypes[[1]int, [1]*int](a, slots, ok, refuse)
		manyTypes[pair[int], pair[*int]](a, slots, ok, refuse)
		manyTypes[pair[pair[int]], pair[pair[any]]](a, slots, ok, refuse)
		manyTypes[struct{}, struct{ P *int }](a, slots, ok, refuse)
		manyTypes[uint64, error](a, slots, ok, refuse)
		manyTypes[halves, outer](a, slots, ok, refuse)
		manyTypes[wide, inner](a, slots, ok, refuse)
	}
	if refused != 3*10*2*8*2 {
		t.Errorf("%d refusals, want %d", refused, 3*10*2*8*2)
	}
	most := 0
	for _, n := range slots {
		most = max(most, n)
	}
	if most < 4 {
		t.Errorf("no place of what is remembered is used by many types: %v", slots)
	}
}

// manyTypes uses types around P, which has no pointers, and Q, which has some, one after the other.
func manyTypes[P, Q any](a *arena.Arena, slots map[int]int, ok func(bool), refuse func(func())) {
	for range 2 {
		twoTypes[P, Q](a, slots, ok, refuse)
		twoTypes[[2]P, [2]Q](a, slots, ok, refuse)
		twoTypes[[3]P, [3]Q](a, slots, ok, refuse)
		twoTypes[pair[P], pair[Q]](a, slots, ok, refuse)
		twoTypes[pair[[2]P], pair[[2]Q]](a, slots, ok, refuse)
		twoTypes[[5]pair[P], [5]pair[Q]](a, slots, ok, refuse)
		twoTypes[struct{ A P }, struct{ A Q }](a, slots, ok, refuse)
		twoTypes[struct{ B P }, struct{ B Q }](a, slots, ok, refuse)
	}
}

func twoTypes[P, Q any](a *arena.Arena, slots map[int]int, ok func(bool), refuse func(func())) {
	slots[arena.TypeSlot[P]()]++
	slots[arena.TypeSlot[Q]()]++
	ok(arena.New[P](a) != nil)
	refuse(func() { arena.New[Q](a) })
	ok(arena.MakeSlice[P](a, 1, 1) != nil)
	refuse(func() { arena.MakeSlice[Q](a, 1, 1) })
	ok(arena.New[P](a) != nil)
}

// The null arena, and what has none, refuses everything and crashes nothing.
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
		nullContainers(t, arena.NewVec[int](a), arena.NewDeque[int](a, arena.DequeConfig{}),
			arena.NewPool[int](a), arena.NewMap[int, int](a),
			arena.NewHandles[int, arena.Handle32[int]](a, arena.HandlesConfig{}), arena.NewBump[int](a, 3))
	}
	nullContainers(t, new(arena.Vec[int]), new(arena.Deque[int]), new(arena.Pool[int]),
		new(arena.Map[int, int]), new(arena.Handles[int, arena.Handle32[int]]), new(arena.Bump[int]))
	nullContainers(t, arena.NewVec[int](nil), arena.NewDeque[int](nil, arena.DequeConfig{}),
		arena.NewPool[int](nil), arena.NewMap[int, int](nil),
		arena.NewHandles[int, arena.Handle32[int]](nil, arena.HandlesConfig{}), arena.NewBump[int](nil, 3))
}

func nullContainers(t *testing.T, v *arena.Vec[int], d *arena.Deque[int], p *arena.Pool[int],
	m *arena.Map[int, int], r *arena.Handles[int, arena.Handle32[int]], b *arena.Bump[int],
) {
	t.Helper()
	for range 2 {
		if v.Push(1) || v.Append(1) || !v.Append() || v.Reserve(1) || !v.Reserve(0) || v.Resize(1) ||
			v.ShrinkToFit() || v.Len() != 0 || v.Cap() != 0 || v.Ptr(0) != nil || len(v.Slice()) != 0 {
			t.Error("a Vec without memory holds something")
		}
		if d.PushBack(1) || d.PushFront(1) || d.ReserveBack(1) || d.ReserveFront(1) || !d.ReserveBack(0) ||
			d.Len() != 0 || d.Cap() != 0 || d.FreeBack() != 0 || d.FreeFront() != 0 || d.CopyTo(make([]int, 1)) != 0 {
			t.Error("a Deque without memory holds something")
		}
		if _, ok := p.Insert(1); ok || p.Reserve(1) || !p.Reserve(0) || p.Len() != 0 || p.Cap() != 0 || p.Valid(0) {
			t.Error("a Pool without memory holds something")
		}
		if _, ok := m.Get(1); ok || m.Set(1, 1) || m.Grow(1) || !m.Grow(0) || m.Delete(1) || m.Len() != 0 {
			t.Error("a Map without memory holds something")
		}
		_, err := r.Create(1)
		_, err2 := r.CreateFunc(func(arena.Handle32[int], *int) { t.Error("called") })
		if err == nil || err2 == nil || r.Reserve(1) || !r.Reserve(0) || r.Len() != 0 || r.Valid(1) || r.Destroy(0) ||
			r.Stats().Live != 0 {
			t.Errorf("a Handles without memory: %v, %v", err, err2)
		}
		if b.New() != nil {
			t.Error("a Bump without memory makes something")
		}
		for range v.All() {
			t.Error("a loop")
		}
		for range d.All() {
			t.Error("a loop")
		}
		for range p.All() {
			t.Error("a loop")
		}
		for range m.All() {
			t.Error("a loop")
		}
		for range r.All() {
			t.Error("a loop")
		}
		v.Clear()
		d.Clear()
		p.Clear()
		m.Clear()
		r.Clear()
		b.Clear()
		v.CheckInvariants()
		d.CheckInvariants()
		p.CheckInvariants()
		m.CheckInvariants()
		r.CheckInvariants()
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
		"arena: NewVirtual: reserve must be positive (got 0)":         func() { _, _ = arena.NewVirtual(0, arena.VirtualConfig{}) },
		"arena: NewVirtual: reserve must be positive (got -1)":        func() { _, _ = arena.NewVirtual(-1, arena.VirtualConfig{}) },
		"arena: NewVirtual: negative Keep (got -1)":                   func() { _, _ = arena.NewVirtual(1, arena.VirtualConfig{Keep: -1}) },
		"arena: NewDeque: Block is negative, or":                      func() { arena.NewDeque[int](nil, arena.DequeConfig{Block: -1}) },
		"arena: NewDeque: Block is negative, or too":                  func() { arena.NewDeque[void](nil, arena.DequeConfig{Block: 1<<30 + 1}) },
		"arena: NewDeque: Block is negative, or too l":                func() { arena.NewDeque[[1 << 20]int](nil, arena.DequeConfig{Block: 1 << 30}) },
		"arena: NewBump: block is not positive, or":                   func() { arena.NewBump[int](nil, 0) },
		"arena: NewBump: block is not positive, or too":               func() { arena.NewBump[int](nil, -1) },
		"arena: NewBump: block is not positive, or too l":             func() { arena.NewBump[int](nil, math.MaxInt) },
	} {
		wantPanic(t, want, f)
	}
	for kind := range kinds {
		a := newArena(t, kind, 1000)
		for want, f := range map[string]func(){
			"Arena.Alloc: negative size":                          func() { _, _ = a.Alloc(-1, 1) },
			"Arena.Alloc: negative":                               func() { _, _ = a.AllocDirty(math.MinInt, 1) },
			"Arena.Alloc: alignment is no power of two":           func() { _, _ = a.Alloc(1, 3) },
			"Arena.Alloc: alignment is no power of":               func() { _, _ = a.Alloc(1, 0) },
			"Arena.Alloc: alignment is no power":                  func() { _, _ = a.Alloc(1, -8) },
			"Arena.Alloc: alignment is no":                        func() { _, _ = a.Alloc(0, math.MinInt) },
			"MakeSlice: length is negative or more than capacity": func() { arena.MakeSlice[int](a, -1, 1) },
			"MakeSlice: length is negative or more than capa":     func() { arena.MakeSlice[int](a, 2, 1) },
			"MakeSlice: length is negative or more than":          func() { arena.MakeSlice[void](a, 0, -1) },
			"arena: Vec.Reserve: negative count":                  func() { arena.NewVec[int](a).Reserve(-1) },
			"arena: Vec.Resize: negative count":                   func() { arena.NewVec[int](a).Resize(-1) },
			"arena: Deque.ReserveBack: negative count":            func() { arena.NewDeque[int](a, arena.DequeConfig{}).ReserveBack(-1) },
			"arena: Deque.ReserveFront: negative count":           func() { arena.NewDeque[int](a, arena.DequeConfig{}).ReserveFront(-1) },
			"arena: Deque.At: index out of range":                 func() { arena.NewDeque[int](a, arena.DequeConfig{}).At(0) },
			"arena: Pool.Reserve: negative count":                 func() { arena.NewPool[int](a).Reserve(-1) },
			"arena: Map.Grow: negative count":                     func() { arena.NewMap[int, int](a).Grow(-1) },
			"index out of range":                                  func() { arena.NewVec[int](a).At(-1) },
			"index out of range [0]":                              func() { arena.NewVec[int](a).At(0) },
			"arena: Handles.Reserve: negative count":              func() { arena.NewHandles[int, arena.Handle64[int]](a, arena.HandlesConfig{}).Reserve(-1) },
		} {
			wantPanic(t, want, f)
		}
		if a.Used() != 0 {
			t.Errorf("kind %d: refusals take %d bytes", kind, a.Used())
		}
	}
}

// Sizes that no machine has are refused, without an overflow.
func TestHugeSizes(t *testing.T) {
	for kind := range kinds {
		a := newArena(t, kind, 1000)
		arena.New[byte](a)
		used := a.Used()
		sizes := []int{math.MaxInt, math.MaxInt - 1, math.MaxInt - 63}
		if math.MaxInt > 1<<40 { // where there are fewer bits, a machine may have as much
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
			v, d := arena.NewVec[wide](a), arena.NewDeque[wide](a, arena.DequeConfig{})
			p, m := arena.NewPool[wide](a), arena.NewMap[wide, wide](a)
			r := arena.NewHandles[wide, arena.Handle64[wide]](a, arena.HandlesConfig{})
			if v.Reserve(n) || v.Resize(n) || d.ReserveBack(n) || d.ReserveFront(n) || p.Reserve(n) ||
				m.Grow(n) || r.Reserve(n) {
				t.Errorf("kind %d: Reserve(%d) = true", kind, n)
			}
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

// Values of no size take no room, whatever holds them.
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
		if v.ShrinkToFit(); a.Used() != 0 || v.Len() != 1000 || d.Len() != 2000 {
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
			h, err := r.Create(void{})
			if k != i || !ok || err != nil || !m.Set(void{}, void{}) || !r.Valid(h) || m.Len() != 1 {
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

// Marks are good until what lies before them is rewound, and in no other arena.
func TestMarks(t *testing.T) {
	const another, past = "arena: Arena.Rewind: Mark of another arena", "arena: Arena.Rewind: has been rewound past this Mark"
	for kind := range kinds {
		a, b := newArena(t, kind, 1<<12), newArena(t, kind, 1<<12)
		wantPanic(t, another, func() { a.Rewind(arena.Mark{}) })
		wantPanic(t, another, func() { a.Rewind(b.Mark()) })
		m0 := a.Mark()
		arena.New[int](a)
		m1 := a.Mark()
		arena.New[int](a)
		m2 := a.Mark()
		for range 2 {
			a.Rewind(m1) // twice
			wantPanic(t, past, func() { a.Rewind(m2) })
			arena.New[[3]int](a) // as high again
		}
		wantPanic(t, past, func() { a.Rewind(m2) })
		a.Rewind(m0)
		wantPanic(t, past, func() { a.Rewind(m1) })
		a.Rewind(m0)
		a.Scope(func(a *arena.Arena) {
			arena.New[int](a)
			m1 = a.Mark()
			a.Reset()
			arena.New[[9]int](a)
			m2 = a.Mark()
		})
		wantPanic(t, past, func() { a.Rewind(m1) })
		wantPanic(t, past, func() { a.Rewind(m2) })
		if a.Used() != 0 {
			t.Errorf("kind %d: Used = %d, want 0", kind, a.Used())
		}
		arena.New[int](a)
		a.Scope(func(a *arena.Arena) { // Reset goes below it
			a.Reset()
			arena.New[[5]int](a)
		})
		if a.Used() != 40/8*int(unsafe.Sizeof(0)) {
			t.Errorf("kind %d: Used = %d after a Scope that was reset", kind, a.Used())
		}
		wantPanic(t, "bomb", func() {
			a.Scope(func(a *arena.Arena) {
				arena.New[int](a)
				panic("bomb")
			})
		})
		if a.Used() != 40/8*int(unsafe.Sizeof(0)) {
			t.Errorf("kind %d: Used = %d after a panic", kind, a.Used())
		}
		a.Scope(func(a *arena.Arena) { _ = a.Release() })
		wantPanic(t, past, func() { a.Rewind(m0) })
		if a.Rewind(a.Mark()); a.Used() != 0 {
			t.Errorf("kind %d: Used = %d after Release", kind, a.Used())
		}
	}
}

// Append to what is not the arena's own moves it, and leaves it as it was.
func TestAppendForeign(t *testing.T) {
	for kind := range kinds {
		a, b := newArena(t, kind, 1<<12), newArena(t, kind, 1<<12)
		heap := []int{1, 2, 3}
		other := arena.MakeSlice[int](b, 3, 3)
		for name, s := range map[string][]int{"heap": heap, "other": other} {
			got, ok := arena.Append(a, s[:3:3], 4)
			if got[0] = 9; !ok || len(got) != 4 || got[3] != 4 || s[0] == 9 {
				t.Errorf("kind %d, %s: Append = %v, of %v", kind, name, got, s)
			}
			if got, ok = arena.Append(a, got, got...); !ok || len(got) != 8 || got[4] != 9 || got[7] != 4 {
				t.Errorf("kind %d, %s: Append of itself = %v", kind, name, got)
			}
			if got, ok = arena.Append(a, got[:2:2], got[1:]...); !ok || len(got) != 9 || got[2] != got[1] {
				t.Errorf("kind %d, %s: Append of its end = %v", kind, name, got)
			}
		}
		m := a.Mark()
		stale, _ := arena.Append(a, nil, 1, 2, 3)
		a.Rewind(m)
		own := arena.MakeSlice[int](a, 3, 3)
		if got, ok := arena.Append(a, stale[:3:3], 5); !ok || len(got) != 4 || got[3] != 5 {
			t.Errorf("kind %d: Append to a stale slice = %v", kind, got)
		}
		a.CheckInvariants()
		if !slices.Equal(own, []int{0, 0, 0}) {
			t.Errorf("kind %d: it writes to %v", kind, own)
		}
	}
}

// A virtual arena ends in a page that faults.
func TestGuardPage(t *testing.T) {
	if !pages.Supported {
		t.Skip("no virtual memory here")
	}
	a := newArena(t, virtual, 1<<16)
	b, err := a.Alloc(a.Stats().Reserved, 1)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] = 1
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	wantPanic(t, "memory address", func() { peek(&b[len(b)-1], 1) })
	if got := peek(&b[len(b)-1], 0); got != 1 {
		t.Errorf("the last byte is %d, want 1", got)
	}
	if err := a.Release(); err != nil {
		t.Error(err)
	}
}

//go:noinline
func peek(p *byte, off int) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(p), off)) }

// A pointer into an arena on Go's heap keeps its memory, also when the arena has been released.
func TestPointersKeepChunks(t *testing.T) {
	for kind := fixed; kind <= chunked; kind++ {
		var ps []*[8]uint64
		var ss [][]uint32
		func() {
			a := newArena(t, kind, 1<<16)
			for i := range uint64(200) {
				p := arena.New[[8]uint64](a)
				*p = [8]uint64{i, i, i, i, i, i, i, ^i}
				s := arena.MakeSlice[uint32](a, 5, 5)
				s[4] = uint32(i)
				ps, ss = append(ps, p), append(ss, s)
			}
			if err := a.Release(); err != nil {
				t.Error(err)
			}
		}()
		garbage(4 << 20)
		for i, p := range ps {
			n := uint64(i)
			if want := ([8]uint64{n, n, n, n, n, n, n, ^n}); !arena.Poison && (*p != want || ss[i][4] != uint32(i)) {
				t.Fatalf("kind %d: value %d is %v, %v", kind, i, *p, ss[i])
			}
		}
	}
	runtime.GC()
}
