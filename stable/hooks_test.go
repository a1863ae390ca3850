package stable_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

type (
	key   = stable.ListKey[int]
	hooks = stable.ListHooks[int]
)

// Every way to insert and every way to remove calls its hook, once.
func TestHooks(t *testing.T) {
	for _, p := range placements {
		var log []string
		l := stable.New[int](stable.Config{Placement: p})
		l.SetHooks(hooks{
			OnInsert: func(k key, v *int) {
				if l.Ptr(k) != v {
					t.Error("OnInsert: the value is not in place")
				}
				log = append(log, fmt.Sprint("+", *v))
			},
			OnRemove: func(k key, v *int) {
				if _, ok := l.Remove(k); ok || l.Contains(k) || l.Delete(k) {
					t.Error("OnRemove: the key still finds something")
				}
				log = append(log, fmt.Sprint("-", *v))
				*v = -100 // changes only the copy
			},
		})
		a, b := l.Insert(1), l.Insert(2)
		c, _ := l.TryInsert(3)
		d, v := l.New()
		*v = 4
		stable.InsertSeq(l, slices.Values([]int{5, 6, 7}))
		if v, ok := l.Remove(a); v != 1 || !ok || !l.Delete(b) {
			t.Errorf("Remove = %d, %t", v, ok)
		}
		l.RemoveFunc(func(k key, _ *int) bool { return k == c })
		for k, v := range berth.Drain(l) {
			if k != d || v != 4 {
				t.Errorf("Drain hands out %v, %d", k, v)
			}
			break
		}
		l.Delete(a)
		l.Clear()
		l.Clear()
		want := []string{"+1", "+2", "+3", "+0", "+5", "+6", "+7", "-1", "-2", "-3", "-4", "-5", "-6", "-7"}
		if !slices.Equal(log, want) || l.Len() != 0 || l.Touched() != 0 {
			t.Errorf("%v: hooks called with %v, want %v; %d values left", p, log, want, l.Len())
		}
		l.CheckInvariants()
	}
}

// Hooks may use the list in any way. A panic in one leaves the list whole.
func TestHooksThatChange(t *testing.T) {
	for _, p := range placements {
		for name, do := range map[string]func(l *stable.List[int]){
			"insert":     func(l *stable.List[int]) { l.Insert(7) },
			"new":        func(l *stable.List[int]) { l.New() },
			"remove":     func(l *stable.List[int]) { l.Remove(stable.KeyAt(l, 0)) },
			"removeLast": func(l *stable.List[int]) { l.Delete(stable.KeyAt(l, uint32(l.Touched()-1))) },
			"clear":      func(l *stable.List[int]) { l.Clear() },
			"grow":       func(l *stable.List[int]) { l.Grow(100); l.Clip() },
			"loop": func(l *stable.List[int]) {
				for k := range l.All() {
					l.Remove(k)
					break
				}
			},
			"panic":  func(*stable.List[int]) { panic("hook") },
			"goexit": func(*stable.List[int]) { runtime.Goexit() },
		} {
			for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
				t.Run(fmt.Sprintf("%v/%v/%s", p, tr, name), func(t *testing.T) {
					playHooks(t, stable.New[int](stable.Config{Placement: p, Truncate: tr}), name, do)
				})
			}
		}
	}
}

func playHooks(t *testing.T, l *stable.List[int], name string, do func(l *stable.List[int])) {
	depth, calls := 0, 0
	hook := func(key, *int) {
		if calls++; depth == 0 && calls%3 == 0 && calls < 200 {
			depth++
			defer func() { depth-- }()
			do(l)
		}
	}
	l.SetHooks(hooks{OnInsert: hook, OnRemove: hook})
	try := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if e := recover(); e != nil && name != "panic" {
					t.Errorf("panic %v", e)
				}
			}()
			f()
		}()
		<-done
	}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 60 {
		try(func() {
			before := l.Len()
			if k := l.Insert(i); name == "panic" && l.Len() == before && !k.IsZero() {
				t.Error("a key of no value")
			}
		})
		if n := l.Touched(); n > 0 && i%2 == 0 {
			try(func() { l.Remove(stable.KeyAt(l, uint32(r.IntN(n)))) })
		}
		l.CheckInvariants()
	}
	try(func() { l.Clear() })
	l.CheckInvariants()
	for k, v := range l.All() {
		if w, ok := l.Get(k); !ok || w != *v {
			t.Error("a live key is lost")
		}
	}
}

// If OnInsert panics, no caller has received the key, so the value must not stay.
func TestPanicInOnInsert(t *testing.T) {
	removed := 0
	var l stable.List[int]
	l.SetHooks(hooks{
		OnInsert: func(k key, v *int) {
			x := *v
			if x == 14 {
				l.Delete(k) // before it panics
			}
			if x == 13 || x == 14 || k.Index() == 5 {
				panic("hook")
			}
		},
		OnRemove: func(key, *int) { removed++ },
	})
	l.Insert(1)
	for name, f := range map[string]func(){
		"Insert":    func() { l.Insert(13) },
		"Delete":    func() { l.Insert(14) },
		"InsertSeq": func() { stable.InsertSeq(&l, slices.Values([]int{2, 3, 4, 13, 6})) },
		"New": func() {
			for {
				l.New()
			}
		},
	} {
		if msg := panics(f); msg != "hook" {
			t.Errorf("%s: %q", name, msg)
		}
		l.CheckInvariants()
		l.RemoveFunc(func(_ key, v *int) bool { return *v != 1 })
	}
	if l.Len() != 1 || *l.Ptr(stable.KeyAt(&l, 0)) != 1 || removed != 1+3+4 {
		t.Errorf("Len %d, OnRemove called %d times", l.Len(), removed)
	}
}

// If OnRemove panics, its value is still removed, and the values after it stay.
func TestPanicInOnRemove(t *testing.T) {
	for name, f := range map[string]func(l *stable.List[int]){
		"Remove":     func(l *stable.List[int]) { l.Remove(stable.KeyAt(l, 3)) },
		"Delete":     func(l *stable.List[int]) { l.Delete(stable.KeyAt(l, 3)) },
		"RemoveFunc": func(l *stable.List[int]) { l.RemoveFunc(func(_ key, v *int) bool { return *v >= 3 }) },
		"Clear":      func(l *stable.List[int]) { l.Clear() },
		"Drain": func(l *stable.List[int]) {
			for range berth.Drain(l) {
			}
		},
	} {
		var l stable.List[int]
		fill(t, &l, 10)
		l.SetHooks(hooks{OnRemove: func(_ key, v *int) {
			if *v == 3 {
				panic("hook")
			}
		}})
		if msg := panics(func() { f(&l) }); msg != "hook" {
			t.Errorf("%s: %q", name, msg)
		}
		want := []int{0, 1, 2, 4, 5, 6, 7, 8, 9}
		if name == "Clear" || name == "Drain" {
			want = want[3:]
		}
		var got []int
		for v := range l.Values() {
			got = append(got, *v)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v are left, want %v", name, got, want)
		}
		if l.Clear(); l.Len() != 0 {
			t.Errorf("%s: Clear leaves %d", name, l.Len())
		}
		l.CheckInvariants()
	}
}

// Values that OnRemove inserts while Clear runs stay, and Clear ends.
func TestClearWithInsertingHook(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		fill(t, l, 50)
		l.SetHooks(hooks{OnRemove: func(_ key, v *int) { l.Insert(*v + 1000) }})
		l.Clear()
		if l.Len() != 50 {
			t.Errorf("%v: %d are left, want the 50 that OnRemove has inserted", p, l.Len())
		}
		for _, v := range l.All() {
			if *v < 1000 {
				t.Errorf("%v: value %d is left", p, *v)
			}
		}
		l.CheckInvariants()
	}
}

// A Clear inside a Clear, cut short by a panic, removes no value that the outer one must keep.
func TestClearInsideClear(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		armed, inside := false, false
		l.SetHooks(hooks{OnRemove: func(_ key, v *int) {
			if inside {
				panic("hook")
			}
			if *v == 1 && armed {
				stable.InsertSeq(l, slices.Values([]int{100, 101}))
				inside = true
				if msg := panics(l.Clear); msg != "hook" {
					t.Errorf("%v: the inner Clear panics with %q", p, msg)
				}
				inside = false
			}
		}})
		fill(t, l, 6)
		l.Clear() // the next Clear finds the memory of this one
		l.Delete(fill(t, l, 6)[0])
		armed = true
		l.Clear()
		if v := l.Ptr(slices.Collect(berth.Handles(l))[0]); l.Len() != 1 || *v < 100 {
			t.Errorf("%v: %d values are left, want one of those that OnRemove has inserted", p, l.Len())
		}
		l.CheckInvariants()
	}
}

// New hooks apply from the next change on, also if set from within a hook. Hooks{} removes them.
func TestSetHooks(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		var log []string
		note := func(what string) func(key, *int) {
			return func(_ key, v *int) { log = append(log, fmt.Sprint(what, *v)) }
		}
		l.SetHooks(hooks{OnInsert: func(_ key, v *int) {
			note("a")(key{}, v)
			l.SetHooks(hooks{OnRemove: func(_ key, v *int) {
				note("b")(key{}, v)
				if *v == 2 {
					l.SetHooks(hooks{OnInsert: note("c")})
				}
			}})
			if *v == 0 {
				l.Delete(l.Insert(9))
			}
		}})
		fill(t, l, 5)
		l.Clear() // 0 and 1 are seen by the hook that replaces itself at 2
		l.Insert(7)
		l.SetHooks(hooks{})
		l.Delete(l.Insert(8))
		if want := []string{"a0", "b9", "b0", "b1", "b2", "c7"}; !slices.Equal(log, want) {
			t.Errorf("%v: hooks called with %v, want %v", p, log, want)
		}
		if l.Len() != 1 {
			t.Errorf("%v: %d values, want 1", p, l.Len())
		}
		l.CheckInvariants()
	}
}

// A clone has the hooks of its list. Hooks set later on one do not apply to the other.
func TestCloneSharesHooks(t *testing.T) {
	var l stable.List[int]
	n := 0
	l.SetHooks(hooks{OnInsert: func(key, *int) { n++ }, OnRemove: func(key, *int) { n += 100 }})
	l.Insert(1)
	c := l.Clone()
	c.Insert(2)
	c.Clear()
	if l.Len() != 1 || n != 202 {
		t.Errorf("the hooks counted %d, want 202; the list has %d values", n, l.Len())
	}
	c.SetHooks(hooks{})
	c.Insert(3)
	if l.Insert(4); n != 203 {
		t.Errorf("the hooks counted %d, want 203", n)
	}
}

// Hooks allocate nothing in steady state.
func TestHooksAllocateNothing(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p})
		n := 0
		l.SetHooks(hooks{OnInsert: func(_ key, v *int) { n += *v }, OnRemove: func(_ key, v *int) { n += *v }})
		if a := allocsOf(func() {
			for i := range 100 {
				l.Insert(i)
			}
			l.Delete(stable.KeyAt(l, 50))
			l.Remove(stable.KeyAt(l, 60))
			l.Clear()
		}); a != 0 {
			t.Errorf("%v: %v allocations", p, a)
		}
		if want := 2 * 7 * 99 * 50; n != want {
			t.Errorf("%v: hooks called with values of sum %d, want %d", p, n, want)
		}
	}
}
