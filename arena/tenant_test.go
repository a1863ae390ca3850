package arena_test

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// containers makes one of each kind in a, with a value in it.
var containers = map[string]func(a *arena.Arena) any{
	"Vec": func(a *arena.Arena) any {
		v := arena.NewVec[int](a)
		v.Push(1)
		return v
	},
	"Deque": func(a *arena.Arena) any {
		d := arena.NewDeque[int](a, arena.DequeConfig{})
		d.PushBack(1)
		return d
	},
	"Pool": func(a *arena.Arena) any {
		p := arena.NewPool[int](a)
		p.Insert(1)
		return p
	},
	"Handles": func(a *arena.Arena) any {
		r := arena.NewHandles[int, arena.Handle64[int]](a, arena.HandlesConfig{})
		_, _ = r.Insert(1)
		return r
	},
	"Map": func(a *arena.Arena) any {
		m := arena.NewMap[int, int](a)
		m.Set(1, 1)
		return m
	},
	"Nested": func(a *arena.Arena) any {
		n := new(arena.Nested[int])
		n.Push(a, 1)
		return n
	},
	"Bump": func(a *arena.Arena) any {
		b := arena.NewBump[int](a, 1)
		b.New()
		return b
	},
}

// use calls a method with suitable arguments, runs the loop that it returns, if any, and returns
// the message of its panic.
func use(c any, method int, a *arena.Arena) (what string) {
	defer func() {
		if r := recover(); r != nil {
			what = fmt.Sprint(r)
		}
	}()
	m := reflect.ValueOf(c).Method(method)
	var args []reflect.Value
	for i := range m.Type().NumIn() {
		switch in := m.Type().In(i); {
		case in == reflect.TypeOf(a):
			args = append(args, reflect.ValueOf(a))
		case in.Kind() == reflect.Pointer:
			args = append(args, reflect.New(in.Elem()))
		case in.Kind() == reflect.Func:
			args = append(args, reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value { return nil }))
		case m.Type().IsVariadic() && i == m.Type().NumIn()-1:
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	out := m.Call(args)
	if len(out) == 1 && out[0].Kind() == reflect.Func {
		yield := out[0].Type().In(0)
		out[0].Call([]reflect.Value{reflect.MakeFunc(yield, func([]reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(true)}
		})})
	}
	return ""
}

// Rule 3 of the package: a container whose memory has been rewound panics in every method but
// Clear, and is usable again after Clear, unless it is a Handles.
func TestRewound(t *testing.T) {
	gone := map[string]func(a *arena.Arena, m arena.Mark){
		"Reset":   func(a *arena.Arena, _ arena.Mark) { a.Reset() },
		"Rewind":  func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
		"Release": func(a *arena.Arena, _ arena.Mark) { _ = a.Release() },
	}
	for name, make := range containers {
		for how, rewind := range gone {
			a := arena.NewChunked(1 << 16)
			arena.New[int](a)
			m := a.Mark()
			c := make(a)
			rewind(a, m)
			wantRewound(t, c, a, how)
			if n := reflect.TypeOf(c).NumMethod(); n < 8 && name != "Bump" {
				t.Errorf("%s has %d methods", name, n)
			}
			testRevived(t, name+" after "+how, c, a)
		}
	}
}

// wantRewound checks that every method of c but Clear panics, since its memory has been rewound.
func wantRewound(t testing.TB, c any, a *arena.Arena, how string) {
	t.Helper()
	methods := reflect.TypeOf(c)
	name, _, _ := strings.Cut(strings.TrimPrefix(methods.String(), "*arena."), "[")
	for i := range methods.NumMethod() {
		method := methods.Method(i).Name
		if method == "Clear" || method == "CheckInvariants" {
			continue
		}
		if got := use(c, i, a); !strings.Contains(got, "its memory has been rewound") ||
			!strings.Contains(got, "arena: "+name+".") {
			t.Errorf("%s.%s after %s panics with %q", name, method, how, got)
		}
	}
}

func testRevived(t *testing.T, name string, c any, a *arena.Arena) {
	t.Helper()
	clear, _ := reflect.TypeOf(c).MethodByName("Clear")
	got := use(c, clear.Index, a)
	if strings.HasPrefix(name, "Handles") {
		if !strings.Contains(got, "its memory has been rewound") {
			t.Errorf("%s: Clear panics with %q", name, got)
		}
		return
	}
	if got != "" {
		t.Errorf("%s: Clear panics with %q", name, got)
	}
	for i := range reflect.TypeOf(c).NumMethod() {
		method := reflect.TypeOf(c).Method(i).Name
		if method == "At" { // with an index out of range
			continue
		}
		if got := use(c, i, a); got != "" {
			t.Errorf("%s: %s panics after Clear with %q", name, method, got)
		}
	}
}

// Clear of a Nested works like that of other containers: it keeps the memory while that is valid.
func TestNestedClear(t *testing.T) {
	a := arena.NewChunked(1 << 12)
	var n, copied arena.Nested[int]
	n.Append(a, 1, 2, 3)
	n.Clear()
	if n.Len() != 0 || n.Cap() < 3 {
		t.Errorf("Clear leaves %d of %d", n.Len(), n.Cap())
	}
	used := a.Used()
	if n.Append(a, 4, 5, 6); a.Used() != used || n.Slice(a)[2] != 6 {
		t.Error("after Clear it takes new memory, or has lost a new value")
	}
	copied = n
	a.Reset()
	if n.Clear(); n.Len() != 0 || n.Cap() != 0 || !n.Push(a, 7) || n.Slice(a)[0] != 7 {
		t.Error("Clear has not made it usable again")
	}
	wantPanic(t, "arena: Nested.Len: its memory has been rewound", func() { copied.Len() })
	wantPanic(t, "arena: Nested.Cap: its memory has been rewound", func() { copied.Cap() })
}

// looped is a container with values in it, and one of its loops.
type looped struct {
	name string // of the loop's method, in panics
	loop func(yield func() bool)
	// clear removes all values, and except in a Handles ends a rewind; add adds a value.
	clear, add func()
	check      func()
}

// each returns a loop over seq that ignores its values.
func each[K, V any](seq iter.Seq2[K, V]) func(func() bool) {
	return func(yield func() bool) { seq(func(K, V) bool { return yield() }) }
}

func eachOne[V any](seq iter.Seq[V]) func(func() bool) {
	return func(yield func() bool) { seq(func(V) bool { return yield() }) }
}

// loopedIn returns a container of each kind in a, with 200 values, once for each of its loops.
func loopedIn(a *arena.Arena) []looped {
	type handle = arena.Handle32[int]
	v, d := arena.NewVec[int](a), arena.NewDeque[int](a, arena.DequeConfig{Block: 8})
	p, m := arena.NewPool[int](a), arena.NewMap[int, int](a)
	r := arena.NewHandles[int, handle](a, arena.HandlesConfig{})
	key := 0
	pushV, pushD := func() { v.Push(1) }, func() { d.PushBack(1) }
	insert, set := func() { p.Insert(1) }, func() { key++; m.Set(key, 1) }
	issue := func() {
		h, _ := r.InsertFunc(func(handle, *int) { _, _ = r.Insert(1) })
		r.Delete(h)
	}
	for range 200 {
		pushV()
		pushD()
		insert()
		set()
		if _, err := r.Insert(1); err != nil {
			panic(err)
		}
	}
	return []looped{
		{"Vec.All", each(v.All()), v.Clear, pushV, v.CheckInvariants},
		{"Deque.All", each(d.All()), d.Clear, pushD, d.CheckInvariants},
		{"Deque.Spans", each(d.Spans()), d.Clear, pushD, d.CheckInvariants},
		{"Pool.All", each(p.All()), p.Clear, insert, p.CheckInvariants},
		{"Pool.Values", eachOne(p.Values()), p.Clear, insert, p.CheckInvariants},
		{"Pool.Spans", each(p.Spans()), p.Clear, insert, p.CheckInvariants},
		{"Pool.Chunks", eachOne(p.Chunks()), p.Clear, insert, p.CheckInvariants},
		{"Map.All", each(m.All()), m.Clear, set, m.CheckInvariants},
		{"Handles.All", each(r.All()), r.Clear, issue, r.CheckInvariants},
		{"Handles.Values", eachOne(r.Values()), r.Clear, issue, r.CheckInvariants},
		{"Handles.Spans", each(r.Spans()), r.Clear, issue, r.CheckInvariants},
	}
}

// Loops may be nested, and left by break or panic. They end although their bodies add values, none
// of which a Vec, a Deque or a Map visits, or clear the container and add one.
func TestLoops(t *testing.T) {
	for i := range loopedIn(arena.NewChunked(1 << 12)) {
		l := loopedIn(arena.NewChunked(1 << 12))[i]
		n, turns := 0, 0
		l.loop(func() bool { n++; return true })
		l.loop(func() bool {
			l.loop(func() bool { turns++; return true })
			l.loop(func() bool { return false })
			return true
		})
		if n < 3 || turns != n*n {
			t.Errorf("%s: %d turns of nested loops over %d", l.name, turns, n)
		}
		wantPanic(t, "bomb", func() { l.loop(func() bool { panic("bomb") }) })
		turns = 0
		l.loop(func() bool { l.add(); turns++; return turns < 10_000 })
		in := strings.HasPrefix(l.name, "Pool.") || strings.HasPrefix(l.name, "Handles.")
		if turns < n || turns > n && !in || turns == 10_000 {
			t.Errorf("%s: %d turns over %d, to which the body adds", l.name, turns, n)
		}
		l.check()
		turns = 0
		l.loop(func() bool { l.clear(); l.add(); turns++; return turns < 10_000 })
		if turns < 1 || turns > 1 && !in || turns == 10_000 {
			t.Errorf("%s: %d turns, each of which clears it and adds a value", l.name, turns)
		}
		l.check()
	}
}

// rewinds are the ways to rewind the memory of all containers in an arena.
var rewinds = map[string]func(a *arena.Arena, m arena.Mark){
	"Rewind":  func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
	"Reset":   func(a *arena.Arena, _ arena.Mark) { a.Reset(); a.Clip() },
	"Release": func(a *arena.Arena, _ arena.Mark) { _ = a.Release() },
}

// A loop whose body rewinds the memory panics, and does not touch it.
func TestRewindInLoop(t *testing.T) {
	for kind := range kinds {
		for name, rewind := range rewinds {
			for i := range loopedIn(newArena(t, chunked, 0)) {
				a := newArena(t, kind, 1<<16)
				m := a.Mark()
				l := loopedIn(a)[i]
				turns := 0
				wantPanic(t, l.name+": its memory has been rewound", func() {
					l.loop(func() bool { turns++; rewind(a, m); return true })
				})
				wantPanic(t, l.name+": its memory has been rewound", func() {
					l.loop(func() bool { turns++; return true })
				})
				if turns != 1 {
					t.Errorf("kind %d, %s: %s goes on for %d turns", kind, name, l.name, turns)
				}
				b := newArena(t, kind, 1<<16)
				l = loopedIn(b)[i]
				m = b.Mark()
				arena.New[int](b)
				turns = 0
				l.loop(func() bool { // not the container's memory
					if turns++; turns == 1 {
						b.Rewind(m)
					}
					return true
				})
				if turns < 4 {
					t.Errorf("kind %d: %s ends after %d turns", kind, l.name, turns)
				}
			}
		}
	}
}

// A container that the body makes usable again, in other memory or in none, is not affected by the
// panic.
func TestClearInLoopAfterRewind(t *testing.T) {
	for kind := range kinds {
		for name, rewind := range rewinds {
			for i := range loopedIn(newArena(t, chunked, 0)) {
				for adds := range 3 {
					a := newArena(t, kind, 1<<16)
					m := a.Mark()
					l := loopedIn(a)[i]
					if strings.HasPrefix(l.name, "Handles.") {
						continue
					}
					turns := 0
					func() {
						defer func() {
							r := recover()
							if r == nil && strings.HasPrefix(l.name, "Pool.") || r != nil && fmt.Sprint(r) != "arena: "+l.name+": its memory has been rewound" {
								t.Errorf("kind %d, %s: %s panics with %v", kind, name, l.name, r)
							}
						}()
						l.loop(func() bool {
							if turns++; turns > 1 {
								return true
							}
							rewind(a, m)
							l.clear()
							for range adds * 50 {
								l.add()
							}
							return true
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

// InsertFunc panics if its function rewinds the memory, and does not touch it.
func TestRewindInInsertFunc(t *testing.T) {
	type handle = arena.Handle64[int]
	for kind := range kinds {
		for _, rewind := range rewinds {
			for _, again := range []bool{false, true} {
				a := newArena(t, kind, 1<<16)
				m := a.Mark()
				r := arena.NewHandles[int, handle](a, arena.HandlesConfig{})
				h, _ := r.Insert(1)
				text := "arena: Handles.InsertFunc: its memory has been rewound"
				if again {
					text = "bomb"
				}
				wantPanic(t, text, func() {
					_, _ = r.InsertFunc(func(handle, *int) {
						_, _ = r.InsertFunc(func(handle, *int) {
							rewind(a, m)
							if again {
								panic("bomb")
							}
						})
					})
				})
				wantPanic(t, "its memory has been rewound", func() { r.Contains(h) })
				wantPanic(t, "arena: Handles.Clear: its memory has been rewound", r.Clear)
				wantPanic(t, "arena: Handles.Len: its memory has been rewound", func() { r.Len() })
				r.CheckInvariants()
			}
		}
	}
}
