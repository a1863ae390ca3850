package berth

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// living is a live value of a stage.
type living struct {
	h     Handle[int]
	since int // number of the event by which it became live
}

// moment is a Pool, and its values by their number. A number is never given twice.
type moment struct {
	p  *Pool[int]
	at map[int]living
}

// stage runs loops over a Pool with a History and two Columns, whose bodies and hooks change it in
// every way. Each value that a loop yields must be live, and its pointer be that of its handle.
type stage struct {
	t      *testing.T
	rng    *rand.Rand
	p      *Pool[int]
	s      *History[int]
	a, b   *Column[int, int]
	at     map[int]living
	saves  []moment
	frames map[Frame]map[int]living
	name   string // of the loop
	next   int    // value to insert, and number of the next event
	depth  int    // of loops and hooks
	hooked bool
	left   int // changes still to make in the present loop
}

func newStage(t *testing.T, seed uint64) *stage {
	w := &stage{t: t, rng: rand.New(rand.NewPCG(seed, 11)), next: 1}
	c := Config{Seed: 1, Truncate: TruncateMemory + Truncate(seed/2%3)}
	if seed%3 == 2 {
		c.Memory = newParked(t)
	}
	w.p = NewPool[int](c)
	if seed%4 == 3 {
		w.p.AgeForTest(200, 2)
	}
	w.at, w.frames = map[int]living{}, map[Frame]map[int]living{}
	w.a, w.b = NewColumn[int](w.p), NewColumn[int](w.p)
	w.s = NewHistory(w.p, HistoryConfig{Frames: 3, Compare: seed%5 == 0})
	w.frames[1] = maps.Clone(w.at)
	for i, n := range []int{0, 40, 150, 700} { // of another seed, and in chunks of other sizes
		q := moment{NewPool[int](Config{Seed: 1 + uint32(i)%2}), map[int]living{}}
		for range n {
			q.at[w.next] = living{h: q.p.Insert(w.next)}
			w.next++
		}
		w.saves = append(w.saves, q)
	}
	if w.hooked = seed%2 == 1; w.hooked {
		SetHooks(w.p, Hooks[int]{OnInsert: w.inserted, OnRemove: w.removed})
	}
	return w
}

func (w *stage) inserted(h Handle[int], v *int) {
	w.next++
	w.at[*v] = living{h, w.next}
	w.inHook()
}

func (w *stage) removed(_ Handle[int], v *int) {
	delete(w.at, *v)
	w.inHook()
}

func (w *stage) inHook() {
	if w.depth < 3 && w.rng.IntN(60) == 0 {
		w.depth++
		w.change()
		w.depth--
	}
}

func (w *stage) insert(n int) {
	for range n {
		v := w.next
		w.next++
		if h := w.p.Insert(v); !w.hooked {
			w.at[v] = living{h, w.next}
		}
	}
}

// delete deletes h, and knows of it.
func (w *stage) delete(h Handle[int]) bool {
	v, ok := w.p.Get(h)
	if ok && !w.hooked {
		delete(w.at, v)
	}
	return w.p.Delete(h) || ok
}

// some returns a live handle, or the zero one.
func (w *stage) some() Handle[int] { return w.oneOf(w.sorted()) }

// sorted returns the values.
func (w *stage) sorted() []int { return slices.Sorted(maps.Keys(w.at)) }

// oneOf returns the handle of one of vs, or the zero one if there is none.
func (w *stage) oneOf(vs []int) Handle[int] {
	if len(vs) == 0 {
		return Handle[int]{}
	}
	return w.at[vs[w.rng.IntN(len(vs))]].h
}

// change makes a change that a loop must cope with.
func (w *stage) change() {
	switch w.rng.IntN(12) {
	case 0:
		w.insert(w.rng.IntN(80))
	case 1:
		for range w.rng.IntN(20) {
			w.delete(w.some())
		}
	case 2:
		w.p.Clear()
		if !w.hooked {
			clear(w.at)
		}
	case 3:
		w.p.Clip()
	case 4:
		w.saves = append(w.saves[:4], moment{w.p.Clone(), maps.Clone(w.at)})
		SetHooks(w.saves[4].p, Hooks[int]{})
	case 5, 6, 7, 8:
		w.load(w.saves[w.rng.IntN(len(w.saves))])
	case 9:
		w.frames[w.s.Mark()] = maps.Clone(w.at)
	default:
		w.rewind()
	}
	vs := w.sorted()
	for range w.rng.IntN(3) * 20 {
		if v, h := 0, w.oneOf(vs); w.p.Contains(h) {
			v, _ = w.p.Get(h)
			w.a.Set(h, v)
			if w.rng.IntN(2) == 0 {
				w.b.Set(h, v)
			}
		}
	}
}

// load replaces the contents of the Pool by those of q.
func (w *stage) load(q moment) {
	var b []byte
	var err error
	switch w.rng.IntN(5) {
	case 0:
		w.p.CopyFrom(q.p)
	case 1:
		b, _ = q.p.MarshalBinary()
		err = w.p.UnmarshalBinary(b)
	case 2:
		b, _ = q.p.MarshalBinary()
		err = Decode(w.p, bytes.NewReader(b), nil)
	case 3:
		b, _ = q.p.MarshalJSON()
		err = w.p.UnmarshalJSON(b)
	case 4:
		var to bytes.Buffer
		_ = Encode(q.p, &to, func(b []byte, v *int) ([]byte, error) {
			return binary.LittleEndian.AppendUint64(b, uint64(*v)), nil
		})
		err = Decode(w.p, &to, func(b []byte, v *int) error {
			*v = int(binary.LittleEndian.Uint64(b))
			return nil
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.next++
	w.at = map[int]living{}
	for v, l := range q.at {
		w.at[v] = living{l.h, w.next}
	}
	clear(w.frames)
	w.frames[w.s.Oldest()] = maps.Clone(w.at)
}

// rewind goes back to a random frame. A value that is live both before and after the Rewind counts
// as live throughout.
func (w *stage) rewind() {
	f := w.s.Oldest()
	for w.frames[f+1] != nil && w.rng.IntN(2) == 0 {
		f++
	}
	if err := w.s.Rewind(f); err != nil {
		w.t.Fatal(err)
	}
	w.next++
	was := w.at
	w.at = maps.Clone(w.frames[f])
	for v, l := range w.at {
		if now, ok := was[v]; ok && now.h == l.h {
			w.at[v] = now
		} else {
			w.at[v] = living{l.h, w.next}
		}
	}
	for g := f + 1; w.frames[g] != nil; g++ {
		delete(w.frames, g)
	}
}

// live fails unless x points to the live value of h, or of any handle if h is zero.
func (w *stage) live(h Handle[int], x *int) {
	w.t.Helper()
	l, ok := w.at[*x]
	if !ok || w.p.Ptr(l.h) != x || !h.IsZero() && h != l.h {
		w.t.Fatalf("%s: %d of %v is yielded, want one of %v (live: %v)", w.name, *x, h, l.h, ok)
	}
}

// in fails unless x points to the V of a live value.
func (w *stage) in(c *Column[int, int], h Handle[int], x *int) {
	w.t.Helper()
	l, ok := w.at[*x]
	if !ok || c.Ptr(l.h) != x || !h.IsZero() && h != l.h {
		w.t.Fatalf("%s: V %d of %v is yielded, want one of %v (live: %v)", w.name, *x, h, l.h, ok)
	}
}

// turn is the body of every loop.
func (w *stage) turn() {
	if w.left == 0 || w.rng.IntN(12) != 0 {
		return
	}
	w.left--
	w.depth++
	w.change()
	if w.depth < 3 && w.rng.IntN(8) == 0 {
		was := w.name
		w.loop()
		w.name = was
	}
	w.depth--
}

// span checks a span of n values, before and after the turn. Afterwards, each element is vacant, or
// the value that is live in its slot.
func (w *stage) span(span []int, check func(x *int)) {
	for i := range span {
		check(&span[i])
	}
	w.turn()
	for i, v := range span {
		if _, ok := w.at[v]; !ok && v != Vacant[int]() {
			w.t.Fatalf("%s: element %d of a span is %d, which is not live", w.name, i, v)
		}
	}
}

// loops over the values, by name. Those that visit each value once call once with it.
func (w *stage) loops(once func(x *int)) map[string]func() {
	p := w.p
	one := func(h Handle[int], x *int) { w.live(h, x); once(x); w.turn() }
	pair := func(x, y *int) { w.live(Handle[int]{}, x); w.live(Handle[int]{}, y); w.turn() }
	return map[string]func(){
		"All": func() {
			for h, x := range p.All() {
				one(h, x)
			}
		},
		"Values": func() {
			for x := range p.Values() {
				one(Handle[int]{}, x)
			}
		},
		"Handles": func() {
			for h := range p.All() {
				one(h, p.Ptr(h))
			}
		},
		"Backward": func() {
			for h, x := range Backward(p) {
				one(h, x)
			}
		},
		"Spans": func() {
			for h, span := range p.Spans() {
				w.live(h, &span[0])
				w.span(span, func(x *int) { w.live(Handle[int]{}, x); once(x) })
			}
		},
		"RemoveFunc": func() {
			p.RemoveFunc(func(h Handle[int], x *int) bool {
				v := *x
				one(h, x)
				if l, ok := w.at[v]; !ok || l.h != h || w.rng.IntN(4) != 0 {
					return false
				}
				if !w.hooked {
					delete(w.at, v)
				}
				return true
			})
		},
		"Drain": func() {
			for h, v := range Drain(p) {
				if l, ok := w.at[v]; !w.hooked && (!ok || l.h != h) {
					w.t.Fatalf("Drain: %d of %v, want %v", v, h, l.h)
				}
				if !w.hooked { // else it is forgotten already
					once(&v)
					delete(w.at, v)
				}
				w.turn()
			}
		},
		"Traverse": func() {
			for e, others := range Traverse(p) {
				one(e.Handle, e.Value)
				for h, x := range others.All() {
					if w.live(h, x); w.rng.IntN(8) == 0 {
						w.turn()
					}
				}
			}
		},
		"Others.Values": func() {
			for x := range (Others[int]{p, w.some()}).Values() {
				w.live(Handle[int]{}, x)
				w.turn()
			}
		},
		"Others.Spans": func() {
			for h, span := range (Others[int]{p, w.some()}).Spans() {
				w.live(h, &span[0])
				w.span(span, func(x *int) { w.live(Handle[int]{}, x) })
			}
		},
		"Pairs": func() {
			for x, y := range Pairs(p) {
				if pair(x, y); w.rng.IntN(2000) == 0 {
					break
				}
			}
		},
		"EditAll": func() {
			for h, x := range w.s.EditAll() {
				one(h, x)
			}
		},
		"EditSpans": func() {
			for h, span := range w.s.EditSpans() {
				w.live(h, &span[0])
				w.span(span, func(x *int) { w.live(Handle[int]{}, x); once(x) })
			}
		},
	}
}

// columnLoops are the loops over the Columns, by name.
func (w *stage) columnLoops() map[string]func() {
	none := Handle[int]{}
	return map[string]func(){
		"Column.All": func() {
			for h, x := range w.a.All() {
				w.in(w.a, h, x)
				w.turn()
			}
		},
		"Column.Values": func() {
			for x := range w.a.Values() {
				w.in(w.a, none, x)
				w.turn()
			}
		},
		"Join": func() {
			for x, y := range w.a.Join() {
				w.live(none, x)
				w.in(w.a, w.at[*x].h, y)
				w.turn()
			}
		},
		"JoinSpans": func() {
			for xs, ys := range w.a.JoinSpans() {
				for i := range xs {
					w.in(w.a, w.at[xs[i]].h, &ys[i])
				}
				w.span(xs, func(x *int) { w.live(none, x) })
			}
		},
		"Join2": func() {
			if w.next&1 == 0 { // Join3 visits the same
				for v, xy := range Join3(w.a, w.b) {
					w.live(none, v)
					w.in(w.a, w.at[*v].h, xy.A)
					w.in(w.b, w.at[*v].h, xy.B)
					w.turn()
				}
				return
			}
			for x, y := range Join2(w.a, w.b) {
				w.in(w.a, none, x)
				w.in(w.b, w.at[*x].h, y)
				w.turn()
			}
		},
		"Without": func() {
			for h, x := range Without(w.a, w.b) {
				w.in(w.a, h, x)
				w.turn()
			}
		},
	}
}

// loop runs a loop. Each value live throughout is visited, and none twice in the same life.
func (w *stage) loop() {
	w.next++
	begin, seen := w.next, map[living]bool{}
	all := w.loops(func(x *int) {
		l := w.at[*x]
		if seen[l] && l.since < begin {
			w.t.Fatalf("%s visits %d twice", w.name, *x)
		}
		seen[l] = true
	})
	maps.Copy(all, w.columnLoops())
	names := slices.Sorted(maps.Keys(all))
	w.name = names[w.rng.IntN(len(names))]
	name := w.name
	all[name]()
	switch name {
	case "Others.Values", "Others.Spans", "Pairs", "Join", "JoinSpans", "Join2", "Without",
		"Column.All", "Column.Values":
		return
	case "Drain":
		if w.hooked {
			return
		}
	}
	for v, l := range w.at {
		if l.since < begin && !seen[l] {
			w.t.Fatalf("%s misses %d, live throughout", name, v)
		}
	}
}

// A loop yields only what is live at that step, also if its body or a hook loads another state,
// copies one or goes back to one: with other slots, another seed, or chunks of another size.
func TestPoolLoopsModel(t *testing.T) {
	for seed := range uint64(fewer(24, 8)) {
		w := newStage(t, seed)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w.t = t
			for range fewer(60, 20) {
				w.insert(w.rng.IntN(150))
				w.left = 4
				w.loop()
				w.p.checkInvariants()
				w.a.checkInvariants()
				if len(w.at) != w.p.Len() {
					t.Fatalf("%s: %d values, want %d", w.name, w.p.Len(), len(w.at))
				}
				if len(w.at) > 600 {
					for _, l := range w.at {
						w.delete(l.h)
					}
				}
			}
		})
	}
}

// A loop yields the handles of the new seed once a load has changed it.
func TestColumnLoopsOfAnotherSeed(t *testing.T) {
	for name, loop := range map[string]func(a *Column[int, int], body func(Handle[int], *int)){
		"All": func(a *Column[int, int], body func(Handle[int], *int)) {
			for h, x := range a.All() {
				body(h, x)
			}
		},
		"Without": func(a *Column[int, int], body func(Handle[int], *int)) {
			for h, x := range Without(a, new(Column[int, int])) {
				body(h, x)
			}
		},
	} {
		p, q := NewPool[int](Config{Seed: 1}), NewPool[int](Config{Seed: 2})
		a := NewColumn[int](p)
		set := func() {
			for h := range p.All() {
				a.Set(h, 1)
			}
		}
		for i := range 10 {
			p.Insert(i)
			q.Insert(i)
		}
		set()
		n := 0
		loop(a, func(h Handle[int], x *int) {
			if a.Ptr(h) != x {
				t.Errorf("%s: %v is yielded with another V", name, h)
			}
			if n++; n == 1 {
				p.CopyFrom(q)
				set()
			}
		})
		if n < 2 {
			t.Errorf("%s: %d steps", name, n)
		}
	}
}
