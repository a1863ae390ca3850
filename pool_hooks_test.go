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

// hookLog sets hooks on p that log their arguments, and check them.
func hookLog(t *testing.T, p *Pool[int]) *[]string {
	log := new([]string)
	SetHooks(p, Hooks[int]{
		OnInsert: func(h Handle[int], v *int) {
			if p.Ptr(h) != v {
				t.Error("OnInsert is called before the value is in place")
			}
			*log = append(*log, fmt.Sprint("+", *v))
		},
		OnRemove: func(h Handle[int], v *int) {
			if p.Contains(h) || p.Delete(h) {
				t.Error("OnRemove: the handle still finds something")
			}
			*log = append(*log, fmt.Sprint("-", *v))
			*v = -100 // of a copy, so it has no effect
		},
	})
	return log
}

// Every insert and removal calls its hook once, also for values inserted before the hooks were set.
func TestPoolHooks(t *testing.T) {
	for truncate := range TruncateNever + 1 {
		p := NewPool[int](Config{Truncate: truncate})
		a := p.Insert(1)
		log := hookLog(t, p)
		b := p.InsertFunc(func(_ Handle[int], v *int) { *v = 2 })
		InsertSeq(p, slices.Values([]int{3, 4, 5, 6, 7, 8}))
		_, v := p.New()
		*v = 9
		if v, ok := p.Remove(a); v != 1 || !ok {
			t.Errorf("Remove = %d, %t", v, ok)
		}
		if !p.Delete(b) || p.Delete(b) {
			t.Error("Delete of a live handle = false")
		}
		RemoveFunc(p, func(_ Handle[int], v *int) bool { return *v == 4 })
		for range Drain(p) {
			break
		}
		p.Clear()
		want := "+2 +3 +4 +5 +6 +7 +8 +0 -1 -2 -4 -3 -5 -6 -7 -8 -9"
		if got := strings.Join(*log, " "); got != want || p.Len() != 0 {
			t.Errorf("%v: hooks saw %s, want %s; %d values are left", truncate, got, want, p.Len())
		}
		p.checkInvariants()
	}
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

// Hooks may use the Pool in any way, and a panic in one leaves it consistent.
func TestPoolHooksThatChange(t *testing.T) {
	for name, do := range map[string]func(p *Pool[int], h Handle[int]){
		"insert":     func(p *Pool[int], _ Handle[int]) { p.Insert(7) },
		"new":        func(p *Pool[int], _ Handle[int]) { p.New() },
		"insertFunc": func(p *Pool[int], _ Handle[int]) { p.InsertFunc(func(Handle[int], *int) {}) },
		"remove":     func(p *Pool[int], h Handle[int]) { p.Remove(h) },
		"clear":      func(p *Pool[int], _ Handle[int]) { p.Clear() },
		"clone":      func(p *Pool[int], _ Handle[int]) { p.Clone().checkInvariants() },
		"grow":       func(p *Pool[int], _ Handle[int]) { p.Grow(100); p.Clip() },
		"loop": func(p *Pool[int], _ Handle[int]) {
			for h := range p.All() {
				p.Remove(h)
				break
			}
		},
		"panic":  func(*Pool[int], Handle[int]) { panic("hook") },
		"goexit": func(*Pool[int], Handle[int]) { runtime.Goexit() },
	} {
		depth, calls := 0, 0
		p := NewPool[int](Config{Limit: 100})
		hook := func(h Handle[int], _ *int) {
			if calls++; depth == 0 && calls%3 == 0 && calls < 200 {
				depth++
				defer func() { depth-- }()
				do(p, h)
			}
		}
		SetHooks(p, Hooks[int]{hook, hook})
		try := func(f func()) {
			done := make(chan any)
			go func() {
				defer func() { done <- recover() }()
				f()
			}()
			if e := <-done; e != nil && name != "panic" {
				t.Errorf("%s: panic %v", name, e)
			}
		}
		r := rand.New(rand.NewPCG(5, 6))
		for i := range 60 {
			try(func() { p.Insert(i) })
			if p.Len() > 0 && i%2 == 0 {
				hs := slices.Collect(Handles(p))
				try(func() { p.Remove(hs[r.IntN(len(hs))]) })
			}
			p.checkInvariants()
		}
		try(func() { p.Clear() })
		p.checkInvariants()
		if Truncate(p.state.Truncate) != TruncateMemory || p.state.Rare.Clears != 0 {
			t.Errorf("%s: Clear continues", name)
		}
		for h, v := range p.All() {
			if w, ok := p.Get(h); !ok || w != *v {
				t.Errorf("%s: a live handle is lost", name)
			}
		}
	}
}

// If OnInsert panics, the handle is lost, so the value must be removed.
func TestPoolPanicInOnInsert(t *testing.T) {
	var p Pool[int]
	removed := 0
	bad := 0
	SetHooks(&p, Hooks[int]{
		OnInsert: func(_ Handle[int], v *int) {
			if *v == bad {
				panic("hook")
			}
		},
		OnRemove: func(Handle[int], *int) { removed++ },
	})
	p.Insert(1)
	wantPanic(t, "hook", func() { p.New() })
	bad = 13
	wantPanic(t, "hook", func() { p.Insert(13) })
	wantPanic(t, "hook", func() { _, _ = TryInsert(&p, 13) })
	wantPanic(t, "hook", func() { p.InsertFunc(func(_ Handle[int], v *int) { *v = 13 }) })
	if p.Len() != 1 || removed != 0 {
		t.Errorf("Len %d, OnRemove called %d times", p.Len(), removed)
	}
	p.checkInvariants()
}

// If OnInsert removes the value, New returns a stale handle and nil.
func TestPoolNewRemovedByHook(t *testing.T) {
	var p Pool[int]
	SetHooks(&p, Hooks[int]{OnInsert: func(h Handle[int], _ *int) { p.Delete(h) }})
	if h, v := p.New(); h.IsZero() || v != nil || p.Contains(h) {
		t.Errorf("New = %v, %v", h, v)
	}
	d := NewDense[int](DenseConfig{})
	DenseSetHooks(d, Hooks[int]{OnInsert: func(h Handle[int], _ *int) { d.Delete(h) }})
	if h, v := d.New(); h.IsZero() || v != nil || d.Contains(h) {
		t.Errorf("New = %v, %v", h, v)
	}
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
	for truncate := range TruncateNever + 1 {
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
		if Truncate(p.state.Truncate) != truncate || Truncate(clone.state.Truncate) != truncate || Truncate(loaded.state.Truncate) != truncate {
			t.Errorf("%v: the mode is %v, in the clone %v, loaded %v",
				truncate, p.state.Truncate, clone.state.Truncate, loaded.state.Truncate)
		}
		if (p.state.Spares == 0) != (truncate == TruncateNever) {
			t.Errorf("%v: Clear leaves %d spare chunks", truncate, p.state.Spares)
		}
		SetHooks(clone, Hooks[int]{})
		RemoveFunc(clone, func(Handle[int], *int) bool { return true })
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
			CopyFrom(&p, q)
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
		for truncate := range TruncateNever + 1 {
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
			if Truncate(p.state.Truncate) != truncate || calls == 0 {
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
			d.Remove(d.HandleAt(7))
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
			if d.state.Keeping != 0 || Truncate(d.state.Index.Truncate) != TruncateMemory {
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
	DenseRemoveFunc(clone, func(Handle[int], *int) bool { return true })
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

func TestDenseHooks(t *testing.T) {
	for _, m := range defragModes {
		var log []string
		var d *Dense[int]
		d = hookedDense(DenseConfig{Defrag: m}, Hooks[int]{
			OnInsert: func(h Handle[int], v *int) {
				if d.Ptr(h) != v {
					t.Error("OnInsert is called before the value is in place")
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
				*v = -100 // of a copy, so it has no effect
			},
		})
		a := d.Insert(1)
		b := d.InsertFunc(func(_ Handle[int], v *int) { *v = 2 })
		d.Insert(3)
		if v, ok := d.Remove(a); v != 1 || !ok {
			t.Errorf("Remove = %d, %t", v, ok)
		}
		DenseRemoveFunc(d, func(h Handle[int], _ *int) bool { return h == b })
		d.Insert(4)
		Each(d, func(_ Handle[int], v *int) Control { return LoopRemove * Control(*v/4) })
		d.Insert(5)
		for range Drain(d) {
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

// Hooks may use the Dense in any way, and a panic in one leaves it consistent.
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
			d = hookedDense(DenseConfig{Defrag: m}, Hooks[int]{OnInsert: hook, OnRemove: hook})
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
						t.Error("the handle of a removed value")
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

// If OnInsert panics, the handle is lost, so the value must be removed.
func TestDensePanicInOnInsert(t *testing.T) {
	removed := 0
	d := hookedDense(DenseConfig{}, Hooks[int]{
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

// Values that OnRemove inserts while Clear runs stay, and Clear ends.
func TestDenseClearWithInsertingHook(t *testing.T) {
	for _, m := range defragModes {
		var d *Dense[int]
		d = hookedDense(DenseConfig{Defrag: m}, Hooks[int]{OnRemove: func(_ Handle[int], v *int) { d.Insert(*v + 1000) }})
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
	for name, c := range map[string]interface {
		Insert(v box) Handle[box]
		Delete(h Handle[box]) bool
		InsertFunc(f func(Handle[box], *box)) Handle[box]
	}{"Pool": new(Pool[box]), "Dense": new(Dense[box])} {
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
