package arena_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

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
	for how, rewind := range rewinds {
		for i := range boxes(nil) {
			testRewound(t, how, rewind, func(a *arena.Arena) any {
				b := boxes(a)[i]
				b.add()
				return b.c
			})
		}
		testRewound(t, how, rewind, func(a *arena.Arena) any {
			n := new(arena.Nested[int])
			n.Push(a, 1)
			return n
		})
		testRewound(t, how, rewind, func(a *arena.Arena) any {
			b := arena.NewBump[int](a, 1)
			b.New()
			return b
		})
	}
}

func testRewound(
	t *testing.T, how string, rewind func(*arena.Arena, arena.Mark), make func(*arena.Arena) any,
) {
	t.Helper()
	a := arena.NewChunked(1 << 16)
	arena.New[int](a)
	m := a.Mark()
	c := make(a)
	rewind(a, m)
	name := wantRewound(t, c, a, how)
	if n := reflect.TypeOf(c).NumMethod(); n < 8 && name != "Bump" {
		t.Errorf("%s has %d methods", name, n)
	}
	testRevived(t, name+" after "+how, c, a)
}

// wantRewound checks that every method of c but Clear panics, since its memory has been rewound. It
// returns the name of c's type.
func wantRewound(t testing.TB, c any, a *arena.Arena, how string) (name string) {
	t.Helper()
	methods := reflect.TypeOf(c)
	name, _, _ = strings.Cut(strings.TrimPrefix(methods.String(), "*arena."), "[")
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
	return name
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

// Loops may be nested, and left by break or panic. They end although their bodies add values, none
// of which a Vec, a Deque or a Map visits, or clear the container and add one.
func TestLoops(t *testing.T) {
	newArena := func() *arena.Arena { return arena.NewChunked(1 << 12) }
	inLoops(newArena, func(_ *arena.Arena, _ arena.Mark, l looped) {
		n, turns := 0, 0
		l.loop(func() bool { n++; return true })
		l.loop(func() bool {
			l.loop(func() bool { turns++; return true })
			l.loop(func() bool { return false })
			return true
		})
		if n < 3 || turns != n*n {
			t.Errorf("%s: %d turns of nested loops over %d", l.fn, turns, n)
		}
		wantPanic(t, "bomb", func() { l.loop(func() bool { panic("bomb") }) })
		turns = 0
		l.loop(func() bool { l.add(); turns++; return turns < 10_000 })
		if in := l.visitsAdded(); turns < n || turns > n && !in || turns == 10_000 {
			t.Errorf("%s: %d turns over %d, to which the body adds", l.fn, turns, n)
		}
		l.check()
		turns = 0
		l.loop(func() bool { l.clear(); l.add(); turns++; return turns < 10_000 })
		if in := l.visitsAdded(); turns < 1 || turns > 1 && !in || turns == 10_000 {
			t.Errorf("%s: %d turns, each of which clears it and adds a value", l.fn, turns)
		}
		l.check()
	})
}

// visitsAdded reports whether the loop may visit values that its body adds.
func (l looped) visitsAdded() bool { return l.name == "Pool" || l.name == "Handles" }

// rewinds are the ways to rewind the memory of all containers in an arena.
var rewinds = map[string]func(a *arena.Arena, m arena.Mark){
	"Rewind":  func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
	"Reset":   func(a *arena.Arena, _ arena.Mark) { a.Reset(); a.Clip() },
	"Release": func(a *arena.Arena, _ arena.Mark) { _ = a.Release() },
}

// inKinds calls f with each loop in each kind of arena, and each way to rewind it.
func inKinds(
	t *testing.T, f func(what string, a *arena.Arena, l looped, rewind func()),
) {
	t.Helper()
	for kind := range kinds {
		for name, rewind := range rewinds {
			inLoops(func() *arena.Arena { return newArena(t, kind, 1<<16) },
				func(a *arena.Arena, m arena.Mark, l looped) {
					what := fmt.Sprintf("kind %d, %s: %s", kind, name, l.fn)
					f(what, a, l, func() { rewind(a, m) })
				})
		}
	}
}

// A loop whose body rewinds the memory panics, and does not touch it. Other memory does not matter.
func TestRewindInLoop(t *testing.T) {
	inKinds(t, func(what string, a *arena.Arena, l looped, rewind func()) {
		beyond := a.Mark()
		arena.New[int](a)
		turns := 0
		l.loop(func() bool {
			if turns++; turns == 1 {
				a.Rewind(beyond)
			}
			return true
		})
		if turns < 4 {
			t.Errorf("%s ends after %d turns", what, turns)
		}
		turns = 0
		for range 2 {
			wantPanic(t, l.fn+": its memory has been rewound", func() {
				l.loop(func() bool { turns++; rewind(); return true })
			})
		}
		if turns != 1 {
			t.Errorf("%s goes on for %d turns", what, turns)
		}
	})
}

// A container that the body makes usable again, in other memory or in none, is not affected by the
// panic.
func TestClearInLoopAfterRewind(t *testing.T) {
	for adds := range 3 {
		inKinds(t, func(what string, _ *arena.Arena, l looped, rewind func()) {
			if l.name == "Handles" {
				return
			}
			turns := 0
			defer func() {
				r := recover()
				if r == nil && l.name == "Pool" ||
					r != nil && fmt.Sprint(r) != "arena: "+l.fn+": its memory has been rewound" {
					t.Errorf("%s panics with %v", what, r)
				}
				if turns > 150 {
					t.Errorf("%s goes on for %d turns", what, turns)
				}
			}()
			l.loop(func() bool {
				if turns++; turns == 1 {
					rewind()
					l.clear()
					for range adds * 50 {
						l.add()
					}
				}
				return true
			})
		})
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
