package arena_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/pages"
)

// bytesOf returns the memory of *p.
func bytesOf[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// tenants are the containers that the bytes of an input choose from. Committed inputs depend on their
// order: add new ones at the end.
var tenants = []struct {
	name string
	make func(w *world) tenant
}{
	{"Vec uint64", func(w *world) tenant { return newVecTenant(w, func(x uint64) uint64 { return x }) }},
	{"Vec bytes3", func(w *world) tenant { return newVecTenant(w, bytes3Of) }},
	{"Deque uint64/4", func(w *world) tenant { return newDequeTenant(w, func(x uint64) uint64 { return x }, 4) }},
	{"Deque mixed/1", func(w *world) tenant { return newDequeTenant(w, mixedOf, 1) }},
	{"Pool uint64", func(w *world) tenant { return newPoolTenant(w, func(x uint64) uint64 { return x }) }},
	{"Pool bytes3", func(w *world) tenant { return newPoolTenant(w, bytes3Of) }},
	{"Map byte", func(w *world) tenant { return newMapTenant(w, func(x uint64) byte { return byte(x) }) }},
	{"Map mixed", func(w *world) tenant { return newMapTenant(w, mixedOf) }},
	{"Handles32", func(w *world) tenant { return newHandlesTenant[arena.Handle32[uint64]](w) }},
	{"Handles64", func(w *world) tenant { return newHandlesTenant[arena.Handle64[uint64]](w) }},
	{"Nested uint32", func(w *world) tenant { return newNestedTenant(w) }},
	{"Bump wide", func(w *world) tenant { return newBumpTenant(w) }},
}

// bytes3Of and mixedOf make values that differ as long as x is less than 2^24, and 2^40.
func bytes3Of(x uint64) bytes3 { return bytes3{byte(x), byte(x >> 8), byte(x >> 16)} }

func mixedOf(x uint64) mixed { return mixed{A: byte(x >> 32), B: uint32(x)} }

// playContainers does what data says with an arena and the containers in it: up to eight, of one
// kind if that is not negative.
func playContainers(t testing.TB, kind int, data []byte) {
	t.Helper()
	w := newWorld(t, data)
	for range 1 + w.next()%8 {
		k := kind
		if kind < 0 {
			k = w.next() % len(tenants)
		}
		w.tenants = append(w.tenants, &tenancy{tenant: tenants[k].make(w)})
	}
	for len(w.data) > 0 {
		w.step()
	}
	w.end()
}

func TestContainersModel(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for kind := range tenants {
		t.Run(tenants[kind].name, func(t *testing.T) {
			for seed := range seeds {
				data := randomData(seed+uint64(kind)*100, 1000)
				data[0] = byte(seed % kinds)
				if seed%4 == 1 { // much room
					data[1], data[2] = 255, 255
				}
				if seed%2 == 0 { // by itself
					data[3] = 0
				}
				playContainers(t, kind, data)
			}
		})
	}
	for seed := range 5 * seeds {
		t.Run(fmt.Sprintf("all/%d", seed), func(t *testing.T) {
			data := randomData(seed, 1500)
			if seed%2 == 1 { // much room
				data[1], data[2] = 255, 255
			}
			playContainers(t, -1, data)
		})
	}
}

func FuzzContainers(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		playContainers(t, -1, data[:min(len(data), 2000)]) // what follows would be more of the same
	})
}

// looped is a container with something in it, and its loops.
type looped struct {
	name string // of the loop, in panics
	loop func(body func())
	// clear makes the container good again after a rewind, if it can be; add adds to it.
	clear, add func()
}

// loopedIn returns a container of each kind in a, with 200 values, once for each of its loops.
func loopedIn(a *arena.Arena) []looped {
	type handle = arena.Handle32[int]
	v, d := arena.NewVec[int](a), arena.NewDeque[int](a, arena.DequeConfig{Block: 8})
	p, m := arena.NewPool[int](a), arena.NewMap[int, int](a)
	r := arena.NewHandles[int, handle](a, arena.HandlesConfig{})
	for i := range 200 {
		v.Push(i)
		d.PushBack(i)
		p.Insert(i)
		m.Set(i, i)
		if _, err := r.Create(i); err != nil {
			panic(err)
		}
	}
	return []looped{
		{"Vec.All", func(body func()) {
			for range v.All() {
				body()
			}
		}, v.Clear, func() { v.Push(1) }},
		{"Deque.All", func(body func()) {
			for range d.All() {
				body()
			}
		}, d.Clear, func() { d.PushBack(1) }},
		{"Deque.Spans", func(body func()) {
			for range d.Spans() {
				body()
			}
		}, d.Clear, func() { d.PushBack(1) }},
		{"Pool.All", func(body func()) {
			for range p.All() {
				body()
			}
		}, p.Clear, func() { p.Insert(1) }},
		{"Pool.Chunks", func(body func()) {
			for range p.Chunks() {
				body()
			}
		}, p.Clear, func() { p.Insert(1) }},
		{"Map.All", func(body func()) {
			for range m.All() {
				body()
			}
		}, m.Clear, func() { m.Set(1, 1) }},
		{"Handles.All", func(body func()) {
			for range r.All() {
				body()
			}
		}, nil, nil},
	}
}

// rewinds are the ways to take the memory of all containers in an arena away.
var rewinds = map[string]func(a *arena.Arena, m arena.Mark){
	"Rewind":  func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
	"Reset":   func(a *arena.Arena, _ arena.Mark) { a.Reset(); a.Clip() },
	"Release": func(a *arena.Arena, _ arena.Mark) { _ = a.Release() },
}

// A loop whose body takes the memory away panics, and does not touch it.
func TestRewindInLoop(t *testing.T) {
	for kind := range kinds {
		for name, rewind := range rewinds {
			for i := range loopedIn(newArena(t, chunked, 0)) {
				a := newArena(t, kind, 1<<16)
				m := a.Mark()
				l := loopedIn(a)[i]
				turns := 0
				wantPanic(t, l.name+": its memory has been rewound", func() {
					l.loop(func() { turns++; rewind(a, m) })
				})
				wantPanic(t, l.name+": its memory has been rewound", func() { l.loop(func() { turns++ }) })
				if turns != 1 {
					t.Errorf("kind %d, %s: %s goes on for %d turns", kind, name, l.name, turns)
				}
				b := newArena(t, kind, 1<<16)
				l = loopedIn(b)[i]
				m = b.Mark()
				arena.New[int](b)
				turns = 0
				l.loop(func() { // not its memory
					if turns++; turns == 1 {
						b.Rewind(m)
					}
				})
				if turns < 4 {
					t.Errorf("kind %d: %s ends after %d turns", kind, l.name, turns)
				}
			}
		}
	}
}

// One that is good again in the body, in other memory or in none, is no worse for it.
func TestClearInLoopAfterRewind(t *testing.T) {
	for kind := range kinds {
		for name, rewind := range rewinds {
			for i := range loopedIn(newArena(t, chunked, 0)) {
				for adds := range 3 {
					a := newArena(t, kind, 1<<16)
					m := a.Mark()
					l := loopedIn(a)[i]
					if l.clear == nil {
						continue
					}
					turns := 0
					func() {
						defer func() {
							r := recover()
							if r != nil && fmt.Sprint(r) != "arena: "+l.name+": its memory has been rewound" {
								t.Errorf("kind %d, %s: %s panics with %v", kind, name, l.name, r)
							}
						}()
						l.loop(func() {
							if turns++; turns > 1 {
								return
							}
							rewind(a, m)
							l.clear()
							for range adds * 50 {
								l.add()
							}
						})
					}()
					if turns > 150 {
						t.Errorf("kind %d, %s: %s goes on for %d turns", kind, name, l.name, turns)
					}
				}
			}
		}
	}
}

// CreateFunc whose function takes the memory away panics, and does not touch it.
func TestRewindInCreateFunc(t *testing.T) {
	type handle = arena.Handle64[wide]
	for kind := range kinds {
		for _, rewind := range rewinds {
			for _, again := range []bool{false, true} {
				a := newArena(t, kind, 1<<16)
				m := a.Mark()
				r := arena.NewHandles[wide, handle](a, arena.HandlesConfig{})
				h, _ := r.Create(wide{})
				text := "arena: Handles.CreateFunc: its memory has been rewound"
				if again {
					text = "bomb"
				}
				wantPanic(t, text, func() {
					_, _ = r.CreateFunc(func(handle, *wide) {
						_, _ = r.CreateFunc(func(handle, *wide) {
							rewind(a, m)
							if again {
								panic("bomb")
							}
						})
					})
				})
				wantPanic(t, "its memory has been rewound", func() { r.Valid(h) })
				wantPanic(t, "arena: Handles.Clear: its memory has been rewound", r.Clear)
				wantPanic(t, "arena: Handles.Len: its memory has been rewound", func() { r.Len() })
				r.CheckInvariants()
			}
		}
	}
}

// pins are what is done often, in a steady state: without an allocation of Go's, and without taking
// more of the arena.
func pins(a *arena.Arena) map[string]func() {
	type handle = arena.Handle64[wide]
	v, d := arena.NewVec[wide](a), arena.NewDeque[wide](a, arena.DequeConfig{Block: 8})
	p, m := arena.NewPool[wide](a), arena.NewMap[uint32, wide](a)
	r := arena.NewHandles[wide, handle](a, arena.HandlesConfig{})
	b := arena.NewBump[wide](a, 1000)
	var n arena.Nested[uint64]
	n.Append(a, make([]uint64, 100)...)
	m.Grow(50)
	v.Reserve(100)
	for i := range uint32(100) {
		d.PushBack(wide{})
		p.Insert(wide{})
		m.Set(i, wide{})
		if _, err := r.Create(wide{}); err != nil {
			panic(err)
		}
	}
	next := uint32(100)
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
				v.Push(wide{})
			}
			v.Append(wide{}, wide{})
			for range 52 {
				v.Pop()
			}
		},
		"Deque": func() {
			for range 50 {
				d.PushBack(wide{})
				d.PopFront()
			}
			d.PushFront(wide{})
			d.PopBack()
		},
		"Pool": func() {
			i, _ := p.Insert(wide{})
			p.Remove(i / 2)
		},
		"Handles": func() {
			h, _ := r.Create(wide{})
			k, _ := r.CreateFunc(func(handle, *wide) {})
			r.Destroy(h)
			r.Destroy(k)
		},
		"Map": func() {
			for range 100 {
				m.Set(next, wide{})
				m.Delete(next - 100)
				next++
			}
		},
		"Nested": func() {
			x, _ := n.Pop(a)
			n.Push(a, x)
		},
		"Bump": func() { b.New() },
		"loops": func() {
			turns := 0
			for range v.All() {
				turns++
			}
			for range d.All() {
				turns++
			}
			for range d.Spans() {
				turns++
			}
			for range p.All() {
				turns++
			}
			for range p.Chunks() {
				turns++
			}
			for range r.All() {
				turns++
			}
			for range m.All() {
				turns++
			}
			for range n.All(a) {
				turns++
			}
			if turns < 500 {
				panic(fmt.Sprint(turns, " turns"))
			}
		},
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

// Memory above Keep goes back, what is below stays; Clip and Release give back the rest.
func TestKeep(t *testing.T) {
	a, err := arena.NewVirtual(16<<20, arena.VirtualConfig{Keep: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if a.IsVirtual() != pages.Supported {
		t.Fatalf("IsVirtual = %t, want %t", a.IsVirtual(), pages.Supported)
	}
	if !pages.Supported {
		t.Skip("no virtual memory here")
	}
	if s := a.Stats(); s.Committed != 0 || s.Reserved != 16<<20 || s.Chunks != 1 || s.Huge {
		t.Errorf("a new arena: %+v", s)
	}
	for range 3 {
		b, err := a.Alloc(4<<20, 1)
		if err != nil || !allZero(b) {
			t.Fatalf("Alloc: %v, zero: %t", err, allZero(b))
		}
		for i := range b {
			b[i] = 1
		}
		if n := a.Committed(); n < 4<<20 || n > 8<<20 {
			t.Errorf("Committed = %d, want some more than 4 MiB", n)
		}
		if a.Reset(); a.Committed() != 1<<20 {
			t.Errorf("after Reset: Committed = %d, want 1 MiB", a.Committed())
		}
	}
	arena.New[byte](a)
	if a.Clip(); a.Committed() != arena.PageSize() {
		t.Errorf("after Clip: Committed = %d, want a page", a.Committed())
	}
	if a.Reset(); a.Committed() != arena.PageSize() {
		t.Errorf("after Reset: Committed = %d, want a page", a.Committed())
	}
	if a.Clip(); a.Committed() != 0 || a.Stats().Reserved != 16<<20 {
		t.Errorf("after Clip: %+v", a.Stats())
	}
	if err := a.Release(); err != nil || a.Stats() != (arena.Stats{}) {
		t.Errorf("after Release: %+v, %v", a.Stats(), err)
	}
}

// Huge pages are a wish, and change nothing else.
func TestHugePages(t *testing.T) {
	a, err := arena.NewVirtual(8<<20, arena.VirtualConfig{HugePages: true, Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b, err := a.Alloc(5<<20, 1<<20)
		if err != nil || !allZero(b) || uintptr(unsafe.Pointer(&b[0]))%(1<<20) != 0 {
			t.Fatalf("Alloc: %v at %p", err, b)
		}
		b[0], b[5<<20-1] = 1, 1
		if s := a.Stats(); s.Huge && s.Committed%(2<<20) != 0 {
			t.Errorf("%+v, want whole huge pages", s)
		}
		a.Reset()
	}
	a.CheckInvariants()
	if err := a.Release(); err != nil {
		t.Error(err)
	}
}
