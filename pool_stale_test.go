//go:build berth_poison && !berth_invariants

package berth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/slots"
)

// stale is a value with memory of both kinds: with Go pointers and without.
type stale struct {
	n    int
	name string
	next *stale
}

// wantStale runs f, which must panic because of a write to the value of h, and only once.
func wantStale[T any](t *testing.T, what string, h Handle[T], f func()) {
	t.Helper()
	got := func() (e any) {
		defer func() { e = recover() }()
		f()
		return nil
	}()
	if want := "berth: write through a stale pointer to the value of " + h.String(); got != want {
		t.Errorf("%s: panic %v, want %s", what, got, want)
	}
}

// writes are ways to write to a value. Each must be detected.
var writes = map[string]func(v *stale){
	"number":  func(v *stale) { v.n = 0 },
	"string":  func(v *stale) { v.name = "x" },
	"pointer": func(v *stale) { v.next = v },
	"all":     func(v *stale) { *v = stale{} },
}

func TestPoolStalePointer(t *testing.T) {
	for name, use := range map[string]func(p *Pool[stale]){
		"Insert":     func(p *Pool[stale]) { p.Insert(stale{}) },
		"TryInsert":  func(p *Pool[stale]) { _, _ = p.TryInsert(stale{}) },
		"New":        func(p *Pool[stale]) { p.New() },
		"InsertFunc": func(p *Pool[stale]) { p.InsertFunc(func(Handle[stale], *stale) {}) },
		"Clip": func(p *Pool[stale]) {
			p.Clear()
			p.Clip()
		},
		"truncation": func(p *Pool[stale]) {
			for len(p.dir) < 500 {
				p.Insert(stale{n: 1})
			}
		},
		"hooked": func(p *Pool[stale]) {
			SetHooks(p, Hooks[stale]{OnInsert: func(Handle[stale], *stale) {}})
			p.Insert(stale{})
		},
	} {
		for how, write := range writes {
			for first := range 2 { // slot 0, whose block opens anew, or another one
				var p Pool[stale]
				var hs []Handle[stale]
				for i := range 10 {
					hs = append(hs, p.Insert(stale{n: i, name: "n"}))
				}
				h := hs[first]
				v := p.Ptr(h)
				if first == 0 {
					p.Clear()
				} else {
					p.Delete(h)
				}
				if v.name != "" || v.next != nil || uint32(v.n) != 0xDBDBDBDB {
					t.Errorf("a late read sees %+v", *v)
				}
				write(v)
				wantStale(t, fmt.Sprintf("%s after a write to %s, slot %d", name, how, first),
					h, func() { use(&p) })
				use(&p) // it panics only once
				SetHooks(&p, Hooks[stale]{})
			}
		}
	}
}

// Remove, Drain, RemoveFunc and a failed InsertFunc also leave poison, and a Clone keeps it.
func TestPoolStaleEverywhere(t *testing.T) {
	for name, end := range map[string]func(p *Pool[stale], h Handle[stale]){
		"Remove": func(p *Pool[stale], h Handle[stale]) { p.Remove(h) },
		"Delete": func(p *Pool[stale], h Handle[stale]) { p.Delete(h) },
		"Clear":  func(p *Pool[stale], _ Handle[stale]) { p.Clear() },
		"RemoveFunc": func(p *Pool[stale], _ Handle[stale]) {
			p.RemoveFunc(func(Handle[stale], *stale) bool { return true })
		},
		"Drain": func(p *Pool[stale], _ Handle[stale]) {
			for range Drain(p) {
			}
		},
	} {
		var p Pool[stale]
		h := p.Insert(stale{n: 1})
		v := p.Ptr(h)
		end(&p, h)
		v.n = 2
		c := p.Clone()
		wantStale(t, name, h, func() { p.Insert(stale{}) })
		wantStale(t, name+", Clone", h, func() { c.Insert(stale{}) })
	}
	var p Pool[stale]
	var h Handle[stale]
	var v *stale
	wantPanic(t, "f", func() {
		p.InsertFunc(func(g Handle[stale], x *stale) { h, v = g, x; panic("f") })
	})
	v.n = 2
	wantStale(t, "failed InsertFunc", h, func() { p.Insert(stale{}) })

	SetHooks(&p, Hooks[stale]{OnRemove: func(_ Handle[stale], x *stale) { v = x }})
	p.Delete(p.Insert(stale{}))
	v.n = 1
	wantPanic(t, "berth: write through a stale pointer from a hook or InsertFunc",
		func() { p.Delete(p.Insert(stale{})) })
}

// A write through a pointer to a value that has moved is detected at the place or in the array that
// was left.
func TestDenseStalePointer(t *testing.T) {
	type dense = Dense[stale]
	fill := func(d *dense, n int) (hs []Handle[stale]) {
		for i := range n {
			hs = append(hs, d.Insert(stale{n: i}))
		}
		return hs
	}
	for name, c := range map[string]struct {
		n, at int // number of values, and the place of the pointer
		mode  Defrag
		end   func(d *dense, h Handle[stale])
		use   func(d *dense)
	}{
		"hole filled": {10, 3, DefragDeferred,
			func(d *dense, h Handle[stale]) { d.Delete(h) },
			func(d *dense) { d.Insert(stale{}) }},
		"hole filled by New": {10, 3, DefragManual,
			func(d *dense, h Handle[stale]) { d.Remove(h) },
			func(d *dense) { d.New() }},
		"hole filled by InsertFunc": {10, 3, DefragManual,
			func(d *dense, h Handle[stale]) { d.Remove(h) },
			func(d *dense) { d.InsertFunc(func(Handle[stale], *stale) {}) }},
		"hole closed": {10, 3, DefragDeferred,
			func(d *dense, h Handle[stale]) { d.Delete(h) },
			func(d *dense) { d.Slice() }},
		"last removed": {10, 9, DefragDeferred,
			func(d *dense, h Handle[stale]) { d.Delete(h) },
			func(d *dense) { d.Insert(stale{}) }},
		"moved to a hole": {10, 9, DefragImmediate,
			func(d *dense, h Handle[stale]) { d.Delete(handleAt(d, 2)) },
			func(d *dense) { d.Insert(stale{}) }},
		"moved by Slice": {10, 9, DefragDeferred,
			func(d *dense, h Handle[stale]) { d.Delete(handleAt(d, 2)); d.Slice() },
			func(d *dense) { d.Insert(stale{}) }},
		"grown, then an insert": {16, 3, DefragDeferred,
			func(d *dense, _ Handle[stale]) { d.Insert(stale{}) },
			func(d *dense) { d.Insert(stale{}) }},
		"grown, then a removal": {16, 3, DefragDeferred,
			func(d *dense, _ Handle[stale]) { d.Grow(1000) },
			func(d *dense) { d.Delete(handleAt(d, 5)) }},
		"grown, then Clear": {16, 3, DefragDeferred,
			func(d *dense, _ Handle[stale]) { d.Grow(1000) },
			func(d *dense) { d.Clear() }},
		"grown inside a loop": {16, 3, DefragDeferred,
			func(d *dense, _ Handle[stale]) {
				for range d.Values() {
					d.Insert(stale{})
					break
				}
			},
			func(d *dense) { d.Insert(stale{}) }},
		"cleared": {10, 3, DefragDeferred,
			func(d *dense, _ Handle[stale]) { d.Clear() },
			func(d *dense) { fill(d, 10) }},
		"cleared, then Clip": {10, 3, DefragDeferred,
			func(d *dense, _ Handle[stale]) { d.Clear() },
			func(d *dense) { d.Clip() }},
		"clipped": {10, 3, DefragDeferred,
			func(d *dense, _ Handle[stale]) { d.Clip() },
			func(d *dense) { d.Insert(stale{}) }},
		"removed, then Clip in a loop": {10, 3, DefragManual,
			func(d *dense, h Handle[stale]) { d.Delete(h) },
			func(d *dense) {
				for range d.All() {
					d.Clip()
					break
				}
			}},
	} {
		for how, write := range writes {
			d := NewDense[stale](DenseConfig{Defrag: c.mode})
			hs := fill(d, c.n)
			h := hs[c.at]
			v := d.Ptr(h)
			c.end(d, h)
			write(v)
			wantStale(t, name+" after a write to "+how, h, func() { c.use(d) })
			clone := d.Clone()
			clone.Clear()
			clone.Clip()
		}
	}
}

// A span may be read after the Dense has left its array, so that is not poisoned.
func TestDenseSpanIsNotStale(t *testing.T) {
	var d Dense[stale]
	for i := range 16 {
		d.Insert(stale{n: i})
	}
	for _, s := range d.Spans() {
		d.Insert(stale{})
		for i := range s {
			if s[i].n != i {
				t.Errorf("element %d of the span is %+v", i, s[i])
			}
			s[i].n = 7
		}
		break
	}
	d.Insert(stale{})
}

// The panic comes before any change, so the container is consistent if the program recovers.
func TestStalePanicChangesNothing(t *testing.T) {
	stopped := func(f func()) (stale bool) {
		defer func() { stale = strings.Contains(fmt.Sprint(recover()), "stale pointer") }()
		f()
		return false
	}
	for name, use := range map[string]func(p *Pool[int]){
		"Insert":     func(p *Pool[int]) { p.Insert(1) },
		"New":        func(p *Pool[int]) { p.New() },
		"InsertFunc": func(p *Pool[int]) { p.InsertFunc(func(Handle[int], *int) {}) },
	} {
		var p Pool[int]
		for i := range 200 { // slot 3 becomes the last vacant one of its block
			p.Insert(i)
		}
		first := handleAt(&p, 3)
		p.Delete(handleAt(&p, 100))
		v := p.Ptr(first)
		p.Delete(first)
		*v = 1
		if !stopped(func() { use(&p) }) {
			t.Errorf("Pool, %s: no panic", name)
		}
		p.checkInvariants()
	}
	for name, use := range map[string]func(d *Dense[int]){
		"Insert":     func(d *Dense[int]) { d.Insert(1) },
		"New":        func(d *Dense[int]) { d.New() },
		"InsertFunc": func(d *Dense[int]) { d.InsertFunc(func(Handle[int], *int) {}) },
		"growth":     func(d *Dense[int]) { DenseInsertSeq(d, slices.Values(make([]int, 100))) },
		"Defrag":     func(d *Dense[int]) { d.Defrag() },
		"Slice":      func(d *Dense[int]) { d.Slice() },
		"Clip":       func(d *Dense[int]) { d.Clip() },
		"Sort":       func(d *Dense[int]) { d.Sort(func(a, b *int) int { return *b - *a }) },
		"Clear":      func(d *Dense[int]) { d.Clear(); d.Clip() },
		"loop": func(d *Dense[int]) {
			for range d.Values() {
				d.Clip()
			}
		},
	} {
		found := 0
		for at := range 16 {
			for _, m := range defragModes {
				d := NewDense[int](DenseConfig{Defrag: m})
				for i := range 16 {
					d.Insert(i)
				}
				v := &d.vals[at]
				for _, h := range []Handle[int]{handleAt(d, 15), handleAt(d, 5), handleAt(d, 2)} {
					d.Delete(h)
				}
				if slots.DenseOf(&d.state).IsVacantAt(at) {
					*v = 1
				}
				stale := stopped(func() { use(d) })
				if slots.DenseOf(&d.state).IsVacantAt(at) && !stale {
					poison.Fill(v) // undo the write, which was not reached
				}
				if d.checkInvariants(); stale {
					found++
				}
			}
		}
		if found == 0 {
			t.Errorf("Dense, %s: no panic", name)
		}
	}
}
