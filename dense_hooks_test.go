package berth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDenseHooks(t *testing.T) {
	for _, m := range defragModes {
		var log []string
		var d *Dense[int]
		d = NewDense(DenseConfig[int]{
			Defrag: m,
			OnInsert: func(h Handle[int], v *int) {
				if d.Ptr(h) != v {
					t.Error("OnInsert: the value is not in place")
				}
				log = append(log, fmt.Sprint("+", *v))
			},
			OnRemove: func(h Handle[int], v *int) {
				if d.Contains(h) {
					t.Error("OnRemove: the handle still finds something")
				}
				if _, ok := d.Remove(h); ok {
					t.Error("OnRemove: removed twice")
				}
				log = append(log, fmt.Sprint("-", *v))
				*v = -100 // a copy: nobody sees it
			},
		})
		a := d.Insert(1)
		b := d.InsertFunc(func(_ Handle[int], v *int) { *v = 2 })
		d.Insert(3)
		if v, ok := d.Remove(a); v != 1 || !ok {
			t.Errorf("Remove = %d, %t", v, ok)
		}
		d.RemoveFunc(func(h Handle[int], _ *int) bool { return h == b })
		d.Insert(4)
		d.Each(func(_ Handle[int], v *int) Control { return LoopRemove * Control(*v/4) })
		d.Insert(5)
		for range d.Drain() {
			break
		}
		d.Clear()
		want := []string{"+1", "+2", "+3", "-1", "-2", "+4", "-4", "+5", "-3", "-5"}
		slices.Sort(log)
		slices.Sort(want)
		if !slices.Equal(log, want) || d.Len() != 0 {
			t.Errorf("%v: hooks saw %v, want %v", m, log, want)
		}
		d.checkInvariants()
	}
}

// Hooks may use the Dense in any way, and a panic in one leaves it whole.
func TestDenseHooksThatChange(t *testing.T) {
	for _, m := range defragModes {
		for name, do := range map[string]func(d *Dense[int]){
			"insert": func(d *Dense[int]) { d.Insert(7) },
			"remove": func(d *Dense[int]) { d.Remove(d.HandleAt(0)) },
			"removeLast": func(d *Dense[int]) {
				d.Remove(d.HandleAt(len(d.vals) - 1))
			},
			"clear":  func(d *Dense[int]) { d.Clear() },
			"defrag": func(d *Dense[int]) { d.Defrag() },
			"grow":   func(d *Dense[int]) { d.Grow(100); d.Clip() },
			"sort":   func(d *Dense[int]) { d.Sort(func(a, b *int) int { return *b - *a }) },
			"loop": func(d *Dense[int]) {
				for h := range d.All() {
					d.Remove(h)
					break
				}
			},
			"panic": func(*Dense[int]) { panic("hook") },
		} {
			depth, calls := 0, 0
			var d *Dense[int]
			hook := func(Handle[int], *int) {
				if calls++; depth == 0 && calls%3 == 0 && calls < 200 {
					depth++
					defer func() { depth-- }()
					do(d)
				}
			}
			d = NewDense(DenseConfig[int]{Defrag: m, OnInsert: hook, OnRemove: hook})
			try := func(f func()) {
				defer func() {
					if e := recover(); e != nil && name != "panic" {
						t.Errorf("%v, %s: panic %v", m, name, e)
					}
				}()
				f()
			}
			r := rand.New(rand.NewPCG(5, 6))
			for i := range 60 {
				try(func() {
					before := d.Len()
					if h := d.Insert(i); name == "panic" && d.Len() == before && !h.IsZero() {
						t.Error("a handle of nothing")
					}
				})
				if n := len(d.vals); n > 0 && i%2 == 0 {
					try(func() { d.Remove(d.HandleAt(r.IntN(n))) })
				}
				d.checkInvariants()
			}
			try(func() { d.Clear() })
			d.checkInvariants()
			if name == "panic" {
				continue
			}
			for h, v := range d.All() {
				if w, ok := d.Get(h); !ok || w != *v {
					t.Errorf("%v, %s: a live handle is lost", m, name)
				}
			}
		}
	}
}

// If OnInsert panics, nobody has got the handle, and the value must not stay.
func TestDensePanicInOnInsert(t *testing.T) {
	removed := 0
	d := NewDense(DenseConfig[int]{
		OnInsert: func(_ Handle[int], v *int) {
			if *v == 13 {
				panic("hook")
			}
		},
		OnRemove: func(Handle[int], *int) { removed++ },
	})
	d.Insert(1)
	wantPanic(t, "hook", func() { d.Insert(13) })
	wantPanic(t, "hook", func() { d.InsertFunc(func(_ Handle[int], v *int) { *v = 13 }) })
	if d.Len() != 1 || removed != 0 || d.Slice()[0] != 1 {
		t.Errorf("Len %d, OnRemove called %d times", d.Len(), removed)
	}
	d.checkInvariants()
}

// What OnRemove inserts while Clear runs, stays; Clear ends.
func TestDenseClearWithInsertingHook(t *testing.T) {
	for _, m := range defragModes {
		var d *Dense[int]
		d = NewDense(DenseConfig[int]{Defrag: m, OnRemove: func(_ Handle[int], v *int) { d.Insert(*v + 1000) }})
		for i := range 50 {
			d.Insert(i)
		}
		d.Clear()
		for _, v := range d.All() {
			if *v < 1000 {
				t.Errorf("%v: %d is left", m, *v)
			}
		}
		d.checkInvariants()
	}
}

// SetHooks takes the place of the hooks of the configuration, also on a zero Dense and in a hook.
func TestDenseSetHooks(t *testing.T) {
	var log []string
	say := func(what string) func(Handle[int], *int) {
		return func(_ Handle[int], v *int) { log = append(log, fmt.Sprint(what, *v)) }
	}
	d := NewDense(DenseConfig[int]{OnInsert: say("a"), OnRemove: say("b")})
	h := d.Insert(1)
	d.SetHooks(Hooks[int]{OnRemove: func(h Handle[int], v *int) {
		say("c")(h, v)
		d.SetHooks(Hooks[int]{})
	}})
	g := d.Insert(2)
	d.Delete(h)
	d.Remove(g)
	var zero Dense[int]
	zero.SetHooks(Hooks[int]{say("+"), say("-")})
	zero.Insert(3)
	zero.Clone().Clear()
	zero.Clear()
	if want := []string{"a1", "c1", "+3", "-3", "-3"}; !slices.Equal(log, want) {
		t.Errorf("hooks saw %v, want %v", log, want)
	}
	if d.index.quick != d.index.max {
		t.Error("without hooks, the long way")
	}
	d.checkInvariants()
	zero.checkInvariants()
}
