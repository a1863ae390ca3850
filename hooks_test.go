package berth

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth/internal/slots"
)

// eachHooked runs f for functions that make a Pool or a Dense, in each mode.
func eachHooked(t *testing.T, f func(t *testing.T, make func() store[int])) {
	for m := TruncateMemory; m <= TruncateNever; m++ {
		t.Run("Pool/"+m.String(), func(t *testing.T) {
			f(t, func() store[int] { return NewPool[int](Config{Truncate: m, Limit: 10_000}) })
		})
	}
	for _, m := range defragModes {
		t.Run("Dense/"+m.String(), func(t *testing.T) {
			f(t, func() store[int] { return NewDense[int](DenseConfig{Defrag: m, Limit: 10_000}) })
		})
	}
}

// hookLog sets hooks on c that log their arguments, and check them.
func hookLog(t *testing.T, c store[int]) *[]string {
	log := new([]string)
	SetHooksAny(c, Hooks[int]{
		OnInsert: func(h Handle[int], v *int) {
			if c.Ptr(h) != v {
				t.Error("OnInsert is called before the value is in place")
			}
			*log = append(*log, fmt.Sprint("+", *v))
		},
		OnRemove: func(h Handle[int], v *int) {
			if c.Contains(h) || c.Delete(h) {
				t.Error("OnRemove: the handle still finds something")
			}
			*log = append(*log, fmt.Sprint("-", *v))
			*v = -100 // of a copy, so it has no effect
		},
	})
	return log
}

// Every insert and removal calls its hook once, also for values inserted before the hooks were set.
func TestHooks(t *testing.T) {
	eachHooked(t, func(t *testing.T, make func() store[int]) {
		c := make()
		a := c.Insert(1)
		log := hookLog(t, c)
		b := c.InsertFunc(func(_ Handle[int], v *int) { *v = 2 })
		more := slices.Values([]int{3, 4, 5, 6, 7, 8})
		either(c, func(p *Pool[int]) int { return InsertSeq(p, more) },
			func(d *Dense[int]) int { return DenseInsertSeq(d, more) })
		_, v := c.New()
		*v = 9
		if v, ok := c.Remove(a); v != 1 || !ok {
			t.Errorf("Remove = %d, %t", v, ok)
		}
		if !c.Delete(b) || c.Delete(b) {
			t.Error("Delete of a live handle = false")
		}
		four := func(_ Handle[int], v *int) bool { return *v == 4 }
		either(c, func(p *Pool[int]) int { return p.RemoveFunc(four) }, func(d *Dense[int]) int {
			return Each(d, func(h Handle[int], v *int) Control {
				if four(h, v) {
					return LoopRemove
				}
				return LoopContinue
			})
		})
		RemoveFuncAny(c, func(_ Handle[int], v *int) bool { return *v == 5 })
		for range Drain(c) {
			break
		}
		c.Clear()
		want := strings.Fields("+2 +3 +4 +5 +6 +7 +8 +0 -1 -2 -4 -5 -3 -6 -7 -8 -9")
		if _, ok := c.(*Dense[int]); ok { // its order depends on the mode
			slices.Sort(*log)
			slices.Sort(want)
		}
		if !slices.Equal(*log, want) || c.Len() != 0 {
			t.Errorf("hooks saw %v, want %v; %d values are left", *log, want, c.Len())
		}
		c.checkInvariants()
	})
}

// The zero Hooks remove the hooks, and inserts take the fast path again. A hook may do that too.
func TestPoolSetHooksAgain(t *testing.T) {
	var p Pool[int]
	log := hookLog(t, &p)
	h := p.Insert(1)
	SetHooks(&p, Hooks[int]{})
	p.Delete(h)
	p.Insert(2)
	if p.state.Quick != p.state.Max || len(*log) != 1 {
		t.Errorf("hooks saw %v after they were removed", *log)
	}
	SetHooks(&p, Hooks[int]{OnInsert: func(Handle[int], *int) { SetHooks(&p, Hooks[int]{}) }})
	p.Insert(3)
	p.Insert(4)
	if p.state.Quick != p.state.Max || p.Len() != 3 {
		t.Error("a hook that removes itself stays")
	}
	SetHooks(&p, Hooks[int]{OnRemove: func(Handle[int], *int) {}})
	p.Insert(5)
	p.Clear()
	p.checkInvariants()
}

// Hooks may use the container in any way, and a panic in one leaves it consistent.
func TestHooksThatChange(t *testing.T) {
	type do = func(c store[int], h Handle[int])
	dense := func(f func(*Dense[int])) do {
		return func(c store[int], _ Handle[int]) {
			if d, ok := c.(*Dense[int]); ok {
				f(d)
			}
		}
	}
	for name, do := range map[string]do{
		"insert":     func(c store[int], _ Handle[int]) { c.Insert(7) },
		"new":        func(c store[int], _ Handle[int]) { c.New() },
		"insertFunc": func(c store[int], _ Handle[int]) { c.InsertFunc(func(Handle[int], *int) {}) },
		"remove":     func(c store[int], h Handle[int]) { c.Remove(h) },
		"clear":      func(c store[int], _ Handle[int]) { c.Clear() },
		"grow":       func(c store[int], _ Handle[int]) { c.Grow(100); c.Clip() },
		"clone": func(c store[int], _ Handle[int]) {
			either(c, func(p *Pool[int]) int { p.Clone().checkInvariants(); return 0 },
				func(d *Dense[int]) int { d.Clone().checkInvariants(); return 0 })
		},
		"removeFirst": dense(func(d *Dense[int]) { d.Remove(handleAt(d, 0)) }),
		"removeLast":  dense(func(d *Dense[int]) { d.Remove(handleAt(d, len(d.vals)-1)) }),
		"defrag":      dense(func(d *Dense[int]) { d.Defrag() }),
		"sort":        dense(func(d *Dense[int]) { d.Sort(func(a, b *int) int { return *b - *a }) }),
		"loop": func(c store[int], _ Handle[int]) {
			for h := range c.All() {
				c.Remove(h)
				break
			}
		},
		"panic":  func(store[int], Handle[int]) { panic("hook") },
		"goexit": func(store[int], Handle[int]) { runtime.Goexit() },
	} {
		eachHooked(t, func(t *testing.T, make func() store[int]) {
			depth, calls := 0, 0
			c := make()
			hook := func(h Handle[int], _ *int) {
				if calls++; depth == 0 && calls%3 == 0 && calls < 200 {
					depth++
					defer func() { depth-- }()
					do(c, h)
				}
			}
			SetHooksAny(c, Hooks[int]{hook, hook})
			try := func(f func()) {
				done := panicOf(func() { f() })
				if e := <-done; e != nil && name != "panic" {
					t.Errorf("%s: panic %v", name, e)
				}
			}
			r := rand.New(rand.NewPCG(5, 6))
			var hs []Handle[int]
			for i := range 60 {
				try(func() {
					before := c.Len()
					h := c.Insert(i)
					if name == "panic" && c.Len() == before && !h.IsZero() {
						t.Error("the handle of a removed value")
					}
					hs = append(hs, h)
				})
				if len(hs) > 0 && i%2 == 0 {
					try(func() { c.Remove(hs[r.IntN(len(hs))]) })
				}
				c.checkInvariants()
			}
			try(func() { c.Clear() })
			c.checkInvariants()
			if p, ok := c.(*Pool[int]); ok && p.state.Rare.Clears != 0 {
				t.Errorf("%s: Clear continues", name)
			}
			for h, v := range c.All() {
				if w, ok := c.Get(h); !ok || w != *v {
					t.Errorf("%s: a live handle is lost", name)
				}
			}
		})
	}
}

// panicOf calls f in a goroutine, which f may end, and returns what it panics with.
func panicOf(f func()) <-chan any {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	return done
}

// If OnInsert panics, the handle is lost, so the value must be removed.
func TestPanicInOnInsert(t *testing.T) {
	eachHooked(t, func(t *testing.T, make func() store[int]) {
		c, removed, bad := make(), 0, 0
		SetHooksAny(c, Hooks[int]{
			OnInsert: func(_ Handle[int], v *int) {
				if *v == bad {
					panic("hook")
				}
			},
			OnRemove: func(Handle[int], *int) { removed++ },
		})
		h := c.Insert(1)
		wantPanic(t, "hook", func() { c.New() })
		bad = 13
		wantPanic(t, "hook", func() { c.Insert(13) })
		wantPanic(t, "hook", func() { _, _ = TryInsertAny(c, 13) })
		wantPanic(t, "hook", func() { c.InsertFunc(func(_ Handle[int], v *int) { *v = 13 }) })
		if c.Len() != 1 || removed != 0 || *c.Ptr(h) != 1 {
			t.Errorf("Len %d, OnRemove called %d times", c.Len(), removed)
		}
		c.checkInvariants()
	})
}

// If OnInsert removes the value, New returns a stale handle and nil.
func TestNewRemovedByHook(t *testing.T) {
	eachHooked(t, func(t *testing.T, make func() store[int]) {
		c := make()
		SetHooksAny(c, Hooks[int]{OnInsert: func(h Handle[int], _ *int) { c.Delete(h) }})
		if h, v := c.New(); h.IsZero() || v != nil || c.Contains(h) {
			t.Errorf("New = %v, %v", h, v)
		}
	})
}

// If OnInsert inserts so many values that the Dense moves to other memory, New returns where the
// value is then.
func TestDenseNewGrownByHook(t *testing.T) {
	d := NewDense[int](DenseConfig{})
	DenseSetHooks(d, Hooks[int]{OnInsert: func(Handle[int], *int) {
		DenseSetHooks(d, Hooks[int]{})
		for d.Len() < 100 {
			d.Insert(-1)
		}
	}})
	h, v := d.New()
	if *v = 7; *d.Ptr(h) != 7 {
		t.Errorf("New returned a pointer to other memory: the value is %d", *d.Ptr(h))
	}
}

// Clear calls OnRemove for each value that was there, in order. Values that OnRemove inserts stay.
// So does the memory, which is released later as without a hook.
func TestPoolClearHooked(t *testing.T) {
	const n = 5000
	for truncate := TruncateMemory; truncate <= TruncateNever; truncate++ {
		var seen []int
		p := NewPool[int](Config{Truncate: truncate})
		var clone *Pool[int]
		var loaded Pool[int]
		SetHooks(p, Hooks[int]{OnRemove: func(_ Handle[int], v *int) {
			seen = append(seen, *v)
			if *v == 3 {
				clone = p.Clone()
				data, err := p.MarshalBinary()
				if err := errors.Join(err, loaded.UnmarshalBinary(data)); err != nil {
					t.Error(err)
				}
				p.Clear() // removes the others, before the outer Clear gets to them
				p.Insert(1000)
			}
		}})
		for i := range n {
			p.Insert(i)
		}
		before := p.Cap()
		p.Clear()
		if len(seen) != n || !slices.IsSorted(seen) || p.Len() != 1 || p.Cap() != before {
			t.Errorf("%v: OnRemove saw %d of %d; %d are left, Cap %d, before %d",
				truncate, len(seen), n, p.Len(), p.Cap(), before)
		}
		p.checkInvariants()
		if modeOf(p) != truncate || modeOf(clone) != truncate || modeOf(&loaded) != truncate {
			t.Errorf("%v: the mode is %v, in the clone %v, loaded %v",
				truncate, p.state.Truncate, clone.state.Truncate, loaded.state.Truncate)
		}
		if (p.state.Spares == 0) != (truncate == TruncateNever) {
			t.Errorf("%v: Clear leaves %d spare chunks", truncate, p.state.Spares)
		}
		SetHooks(clone, Hooks[int]{})
		clone.RemoveFunc(func(Handle[int], *int) bool { return true })
		if back := clone.Cap() < n/4; back != (truncate == TruncateMemory) {
			t.Errorf("%v: the clone keeps %d slots", truncate, clone.Cap())
		}
	}
}

// Clear keeps the memory of what it removes, also if a hook has loaded other contents meanwhile.
func TestPoolLoadInsideClear(t *testing.T) {
	var p Pool[int]
	for i := range 10_000 {
		p.Insert(i)
	}
	q := p.Clone()
	loaded := false
	SetHooks(&p, Hooks[int]{OnRemove: func(Handle[int], *int) {
		if !loaded {
			loaded = true
			p.CopyFrom(q)
		}
	}})
	p.Clear()
	if s := p.Stats(); s.Live != 1 || s.Chunks != q.Stats().Chunks {
		t.Errorf("%+v, want 1 live value in %d chunks", s, q.Stats().Chunks)
	}
	p.checkInvariants()
}

// While Clear runs, OnRemove may remove the hooks, call Clear, and release or reserve memory.
func TestPoolSetHooksInsideClear(t *testing.T) {
	for name, do := range map[string]func(p *Pool[int]){
		"end":           func(p *Pool[int]) { SetHooks(p, Hooks[int]{}) },
		"end and Clear": func(p *Pool[int]) { SetHooks(p, Hooks[int]{}); p.Clear(); p.Insert(1) },
		"Clip and Grow": func(p *Pool[int]) { p.Clip(); p.Grow(10) },
		"build": func(p *Pool[int]) {
			p.InsertFunc(func(Handle[int], *int) { p.Clone().checkInvariants(); p.Clear() })
		},
	} {
		for truncate := TruncateMemory; truncate <= TruncateNever; truncate++ {
			p := NewPool[int](Config{Truncate: truncate})
			calls := 0
			SetHooks(p, Hooks[int]{OnRemove: func(Handle[int], *int) {
				if calls++; calls < 50 {
					do(p)
				}
			}})
			for i := range 400 {
				p.Insert(i)
			}
			p.Clear()
			p.checkInvariants()
			if modeOf(p) != truncate || calls == 0 {
				t.Errorf("%s: the mode is %v, want %v; %d calls", name, p.state.Truncate, truncate, calls)
			}
			SetHooks(p, Hooks[int]{})
			if p.Clear(); p.Len() != 0 || p.state.Quick != p.state.Max {
				t.Errorf("%s: Len %d, quick %d", name, p.Len(), p.state.Quick)
			}
			p.checkInvariants()
		}
	}
}

// Hooks work while InsertFunc builds, also at Limit.
func TestPoolHooksAtLimit(t *testing.T) {
	p := NewPool[int](Config{Limit: 1})
	log := hookLog(t, p)
	h := p.InsertFunc(func(_ Handle[int], v *int) {
		*v = 1
		if g := p.Insert(2); !g.IsZero() {
			t.Error("two values at Limit 1")
		}
	})
	p.Remove(h)
	p.Insert(3)
	if got := strings.Join(*log, " "); got != "+1 -1 +3" {
		t.Errorf("hooks saw %s", got)
	}
	if _, v := p.New(); v != nil {
		t.Error("New beyond Limit")
	}
	p.checkInvariants()
}

// Stats counts the memory of hooks.
func TestPoolHooksBytes(t *testing.T) {
	var p Pool[int]
	p.Insert(1)
	before := p.Stats().Bytes
	SetHooks(&p, Hooks[int]{OnRemove: func(Handle[int], *int) {}})
	if n := p.Stats().Bytes - before; n != int(unsafe.Sizeof(slots.Rare{})) {
		t.Errorf("hooks take %d bytes", n)
	}
}

// With hooks, the steady state allocates nothing either.
func TestPoolHooksAllocate(t *testing.T) {
	var p Pool[[2]int]
	sum := 0
	hook := func(_ Handle[[2]int], v *[2]int) { sum += v[0] }
	SetHooks(&p, Hooks[[2]int]{hook, hook})
	if n := testing.AllocsPerRun(100, func() {
		p.Remove(p.Insert([2]int{1}))
		p.Delete(p.Insert([2]int{2}))
		p.Insert([2]int{3})
		p.Clear()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Clear calls OnRemove for each value that was there, whatever the hook does, and values that the
// hook inserts stay.
func TestDenseClearWithMovingHook(t *testing.T) {
	for _, m := range defragModes {
		for name, f := range map[string]func(d *Dense[int]){
			"Defrag": func(d *Dense[int]) { d.Defrag() },
			"Sort":   func(d *Dense[int]) { d.Sort(func(a, b *int) int { return *b - *a }) },
			"Clip":   func(d *Dense[int]) { d.Clip() },
			"Insert": func(d *Dense[int]) { d.Insert(1000) },
			"Clear":  func(d *Dense[int]) { d.Clear() },
			"Slice": func(d *Dense[int]) {
				if m != DefragManual {
					d.Slice()
				}
			},
		} {
			var d *Dense[int]
			calls := map[int]int{}
			d = hookedDense(DenseConfig{Defrag: m}, Hooks[int]{OnRemove: func(_ Handle[int], v *int) {
				if calls[*v]++; *v < 1000 {
					f(d)
				}
			}})
			for i := range 50 {
				d.Insert(i)
			}
			d.Remove(handleAt(d, 7))
			d.Clear()
			d.checkInvariants()
			for i := range 50 {
				if calls[i] != 1 {
					t.Errorf("%v, %s: OnRemove called %d times for %d", m, name, calls[i], i)
				}
			}
			if stay := d.Len(); stay != 0 && (name != "Insert" || stay != 49) {
				t.Errorf("%v, %s: %d values are left", m, name, stay)
			}
			if d.state.Keeping != 0 || d.state.Index.Truncate != slots.TruncateMemory {
				t.Errorf("%v, %s: memory is still being kept", m, name)
			}
		}
	}
}

// Clear with a hook keeps the memory, also if the hook clones and grows.
func TestDenseClearWithHookKeeps(t *testing.T) {
	var d, clone *Dense[int]
	grow := 0
	d = hookedDense(DenseConfig{}, Hooks[int]{OnRemove: func(Handle[int], *int) {
		if clone == nil {
			clone = d.Clone()
		}
		d.Grow(grow)
	}})
	for i := range 5000 {
		d.Insert(i)
	}
	before := d.Cap()
	d.Clear()
	if d.Cap() != before {
		t.Errorf("Cap = %d after Clear, want %d", d.Cap(), before)
	}
	d.Remove(d.Insert(1))
	if cap(d.vals) >= before || d.state.Reserve != 0 || d.state.Index.Reserve != 0 {
		t.Errorf("memory is not released after Clear: %d places", cap(d.vals))
	}
	DenseSetHooks(clone, Hooks[int]{})
	clone.RemoveFunc(func(Handle[int], *int) bool { return true })
	if cap(clone.vals) > slots.DefaultShrinkAbove {
		t.Errorf("a clone made in OnRemove keeps %d places", cap(clone.vals))
	}
	grow = 20_000
	d.Insert(1)
	d.Clear()
	d.Remove(d.Insert(1))
	if d.Cap() < grow {
		t.Errorf("the reservation of Grow in OnRemove is lost: Cap = %d", d.Cap())
	}
}

// DenseSetHooks replaces earlier hooks, also on a zero Dense and inside a hook.
func TestDenseSetHooks(t *testing.T) {
	var log []string
	say := func(what string) func(Handle[int], *int) {
		return func(_ Handle[int], v *int) { log = append(log, fmt.Sprint(what, *v)) }
	}
	d := hookedDense(DenseConfig{}, Hooks[int]{OnInsert: say("a"), OnRemove: say("b")})
	h := d.Insert(1)
	DenseSetHooks(d, Hooks[int]{OnRemove: func(h Handle[int], v *int) {
		say("c")(h, v)
		DenseSetHooks(d, Hooks[int]{})
	}})
	g := d.Insert(2)
	d.Delete(h)
	d.Remove(g)
	var zero Dense[int]
	DenseSetHooks(&zero, Hooks[int]{say("+"), say("-")})
	zero.Insert(3)
	zero.Clone().Clear()
	zero.Clear()
	if want := []string{"a1", "c1", "+3", "-3", "-3"}; !slices.Equal(log, want) {
		t.Errorf("hooks saw %v, want %v", log, want)
	}
	if d.state.Index.Quick != d.state.Index.Max {
		t.Error("inserts take the slow path without hooks")
	}
	d.checkInvariants()
	zero.checkInvariants()
}

// The copy of a removed value goes to OnRemove. If that panics, or the function of an InsertFunc
// does, the container does not keep the value.
func TestPanicLetsGo(t *testing.T) {
	type box = *[1000]int
	for name, c := range map[string]store[box]{"Pool": new(Pool[box]), "Dense": new(Dense[box])} {
		bad := false
		SetHooksAny(c, Hooks[box]{OnRemove: func(Handle[box], *box) {
			if bad {
				panic("bad")
			}
		}})
		c.Delete(c.Insert(nil)) // makes the copy that the next one uses
		c.InsertFunc(func(Handle[box], *box) {})
		bad = true
		var removed, built weak.Pointer[[1000]int]
		wantPanic(t, "bad", func() {
			x := new([1000]int)
			removed = weak.Make(x)
			c.Delete(c.Insert(x))
		})
		wantPanic(t, "bad", func() {
			c.InsertFunc(func(_ Handle[box], v *box) {
				*v = new([1000]int)
				built = weak.Make(*v)
				panic("bad")
			})
		})
		runtime.GC()
		if removed.Value() != nil || built.Value() != nil {
			t.Errorf("%s: kept: %t, %t", name, removed.Value() != nil, built.Value() != nil)
		}
		runtime.KeepAlive(c)
	}
}

// modeOf returns the Truncate of p.
func modeOf[T any](p *Pool[T]) Truncate { return TruncateMemory + Truncate(p.state.Truncate) }
