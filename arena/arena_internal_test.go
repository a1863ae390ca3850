package arena

import "testing"

// Containers that come and go at the same position leave no growing record behind.
func TestTenantsBounded(t *testing.T) {
	a := NewChunked(1 << 16)
	for range 1000 {
		v := NewVec[int](a)
		v.Push(1)
		v.Clear()
	}
	v1, v2 := NewVec[int](a), NewVec[int](a)
	for range 1000 {
		v1.Push(1)
		v2.Push(1)
		v2.Clear()
		v1.Clear()
	}
	if n := len(a.tenants); n > 4 || a.Used() != 0 {
		t.Errorf("%d tenancies with %d bytes used, want a few with 0", n, a.Used())
	}
	d := NewDeque[int](a, DequeConfig{Block: 2})
	e := NewDeque[int](a, DequeConfig{Block: 2})
	for i := range 200 { // each growth of either container lies above that of the other
		d.PushBack(i)
		e.PushBack(i)
	}
	a.Scope(func(a *Arena) { NewVec[int](a).Push(1) })
	a.checkInvariants()
	a.Reset()
	if n := len(a.tenants); n != 0 {
		t.Errorf("%d tenancies after Reset, want 0", n)
	}
	for _, f := range []func(){func() { d.PushBack(1) }, func() { e.PushBack(1) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a Deque went on after Reset")
				}
			}()
			f()
		}()
	}
}

// Large values take nothing of Go's heap.
func TestLargeValues(t *testing.T) {
	type large [256 << 10]byte
	a := NewFixed(4 << 20)
	if n := testing.AllocsPerRun(20, func() {
		a.Reset()
		if New[large](a) == nil || MakeSlice[large](a, 1, 2) == nil {
			t.Fatal("no room")
		}
		if _, ok := Append[large](a, nil); !ok {
			t.Fatal("Append = false")
		}
	}); n != 0 {
		t.Errorf("%v allocations for a large value, want 0", n)
	}
}

// A container in a scratch arena that was put back gets no more memory from it, even if the arena
// is lent again.
func TestScratchReturned(t *testing.T) {
	a := GetScratch()
	empty, full := NewVec[int](a), NewVec[int](a)
	d, p := NewDeque[int](a, DequeConfig{}), NewPool[int](a)
	m, b := NewMap[int, int](a), NewBump[int](a, 4)
	r := NewHandles[int, Handle32[int]](a, HandlesConfig{})
	full.Push(1)
	PutScratch(a)
	a.kind = chunked // as GetScratch does
	defer func() { a.kind = null }()
	full.Clear()
	if empty.Push(1) || full.Push(1) || full.Reserve(3) || d.PushBack(1) || d.PushFront(1) ||
		d.ReserveBack(1) || p.Grow(1) || m.Set(1, 1) || m.Grow(1) || b.New() != nil {
		t.Error("a container of a scratch arena that was put back has grown")
	}
	if _, ok := p.Insert(1); ok {
		t.Error("Pool.Insert = true")
	}
	if _, err := r.Insert(1); err == nil {
		t.Error("Handles.Insert: no error")
	}
	if a.Used() != 0 {
		t.Errorf("Used = %d, want 0", a.Used())
	}
}

// A Nested of zero-size values has no memory that could be rewound.
func TestNestedNothings(t *testing.T) {
	a := NewFixed(1 << 12)
	v := NewVec[int](a)
	v.Reserve(100)
	v.Push(1)
	var n Nested[struct{}]
	n.Push(a, struct{}{})
	v.Clip()
	if got := len(n.Slice(a)); got != 1 {
		t.Errorf("len = %d, want 1", got)
	}
}

// A large allocation does not search all kept chunks.
func TestKeptChunks(t *testing.T) {
	a := NewChunked(64)
	for range 1000 {
		if _, err := a.Alloc(64, 1); err != nil {
			t.Fatal(err)
		}
	}
	a.Reset()
	b, err := a.Alloc(1000, 1)
	if err != nil || len(b) != 1000 {
		t.Fatalf("Alloc = %d bytes, %v", len(b), err)
	}
	if n := a.Stats().Chunks; n != 1001 {
		t.Errorf("%d chunks, want 1001", n)
	}
	for range 999 { // the kept chunks are reused
		if _, err := a.Alloc(64, 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.Stats().Chunks; n != 1001 {
		t.Errorf("%d chunks, want 1001", n)
	}
	a.checkInvariants()
}
