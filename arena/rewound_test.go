package arena_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// containers makes one of each in a, with something in it.
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
		_, _ = r.Create(1)
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

// use calls a method with arguments that do, runs the loop that it returns, if it does, and returns
// what it panics with.
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
// Clear, and is good again after that, unless it is a Handles.
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
			methods := reflect.TypeOf(c)
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
			wantMethods := 1
			if name != "Bump" {
				wantMethods = 8
			}
			if methods.NumMethod() < wantMethods {
				t.Errorf("%s has %d methods", name, methods.NumMethod())
			}
			testRevived(t, name+" after "+how, c, a)
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
		if method == "At" { // of an index that is not there
			continue
		}
		if got := use(c, i, a); got != "" {
			t.Errorf("%s: %s panics after Clear with %q", name, method, got)
		}
	}
}

// A Nested is cleared as others are: it keeps its memory while that is there.
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
		t.Error("after Clear it takes new memory, or has lost what came then")
	}
	copied = n
	a.Reset()
	if n.Clear(); n.Len() != 0 || n.Cap() != 0 || !n.Push(a, 7) || n.Slice(a)[0] != 7 {
		t.Error("Clear has not made it good again")
	}
	wantPanic(t, "arena: Nested.Len: its memory has been rewound", func() { copied.Len() })
	wantPanic(t, "arena: Nested.Cap: its memory has been rewound", func() { copied.Cap() })
}
