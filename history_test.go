package berth

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/journal"
	"github.com/seed505807e1/berth/internal/slots"
)

// Calls that a History refuses panic, and change nothing.
func TestHistoryPanics(t *testing.T) {
	p, d := new(Pool[int]), new(Dense[int])
	wantPanic(t, "berth: NewHistory: Frames must be at least 1 (got 0)", func() {
		NewHistory(p, HistoryConfig{})
	})
	wantPanic(t, "berth: NewDenseHistory: Frames must be at least 1 (got -1)", func() {
		NewDenseHistory(d, HistoryConfig{Frames: -1})
	})
	wantPanic(t, "berth: NewHistory: the Pool must not be nil", func() {
		NewHistory[int](nil, HistoryConfig{Frames: 1})
	})
	wantPanic(t, "berth: NewDenseHistory: the Dense must not be nil", func() {
		NewDenseHistory[int](nil, HistoryConfig{Frames: 1})
	})
	for _, s := range []*History[int]{
		NewHistory(p, HistoryConfig{Frames: 1}), NewDenseHistory(d, HistoryConfig{Frames: 1}),
	} {
		wantPanic(t, "berth: History.Changed: the frame must be from 1 to 1 (got 2)", func() { s.Changed(2) })
		seq, all, spans := s.Changed(1), s.EditAll(), s.EditSpans()
		s.Mark()
		wantPanic(t, "berth: History.Changed: the frame must be from 2 to 2 (got 1)", func() {
			for range seq {
			}
		})
		s.Close()
		s.Close()
		for range all {
			t.Error("EditAll of a closed History continues")
		}
		for range spans {
			t.Error("EditSpans of a closed History continues")
		}
		for fn, f := range map[string]func(){
			"Mark":      func() { s.Mark() },
			"Edit":      func() { s.Edit(p.Insert(1)) },
			"EditAll":   func() { s.EditAll() },
			"EditSpans": func() { s.EditSpans() },
			"Rewind":    func() { _ = s.Rewind(1) },
			"Now":       func() { s.Now() },
			"Oldest":    func() { s.Oldest() },
			"Changed":   func() { s.Changed(1) },
		} {
			wantPanic(t, "berth: History."+fn+": the History is closed", f)
		}
	}
	NewHistory(p, HistoryConfig{Frames: 1})
	NewDenseHistory(d, HistoryConfig{Frames: 1})
	wantPanic(t, "berth: NewHistory: the Pool must not have a History already", func() {
		NewHistory(p, HistoryConfig{Frames: 1})
	})
	wantPanic(t, "berth: NewDenseHistory: the Dense must not have a History already", func() {
		NewDenseHistory(d, HistoryConfig{Frames: 1})
	})
}

// Mark and Rewind refuse to run inside an InsertFunc, which then goes on.
func TestHistoryInsideInsertFunc(t *testing.T) {
	p, d := new(Pool[int]), new(Dense[int])
	ps, ds := NewHistory(p, HistoryConfig{Frames: 2}), NewDenseHistory(d, HistoryConfig{Frames: 2})
	try := func(s *History[int]) {
		for fn, f := range map[string]func(){
			"Mark": func() { s.Mark() }, "Rewind": func() { _ = s.Rewind(1) },
		} {
			mustPanic(t, "berth: History."+fn+": an InsertFunc of the container", f)
		}
	}
	p.InsertFunc(func(Handle[int], *int) { try(ps) })
	d.InsertFunc(func(Handle[int], *int) { try(ds) })
	p.InsertFunc(func(Handle[int], *int) {
		ps.Close()
		mustPanic(t, "berth: NewHistory: an InsertFunc", func() { NewHistory(p, HistoryConfig{Frames: 1}) })
	})
	p.checkInvariants()
	d.checkInvariants()
	if p.Len() != 2 || d.Len() != 1 {
		t.Errorf("%d and %d values", p.Len(), d.Len())
	}
}

// A frame that does not exist is an error that names it.
func TestHistoryForgotten(t *testing.T) {
	s := NewHistory(new(Pool[int]), HistoryConfig{Frames: 2})
	s.Mark()
	s.Mark()
	for _, f := range []Frame{0, 1, 4, 1 << 63} {
		err := s.Rewind(f)
		if !errors.Is(err, ErrForgotten) || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("frame %d ", f)) {
			t.Errorf("Rewind(%d) = %v", f, err)
		}
	}
}

// A value that no frame holds can be collected, also one that a shadow had.
func TestHistoryKeepsNothing(t *testing.T) {
	for _, c := range []HistoryConfig{{Frames: 2}, {Frames: 2, Compare: true}} {
		for _, many := range []bool{false, true} {
			p, d := new(Pool[pointing]), new(Dense[pointing])
			s, ds := NewHistory(p, c), NewDenseHistory(d, c)
			for range 40 {
				p.Insert(pointing{})
				d.Insert(pointing{})
			}
			x, y := new([100]int), new([100]int)
			wx, wy := weak.Make(x), weak.Make(y)
			h, k := p.Insert(pointing{p: &x[0]}), d.Insert(pointing{p: &y[0]})
			x, y = nil, nil
			_ = x
			_ = y
			next := func() { s.Mark(); ds.Mark() }
			next()
			s.Edit(h).p, ds.Edit(k).p = nil, nil
			if many {
				for range s.EditSpans() {
				}
				for range ds.EditSpans() {
				}
			}
			next()
			if runtime.GC(); wx.Value() == nil || wy.Value() == nil {
				t.Error("the last frame has lost its values")
			}
			next()
			if runtime.GC(); wx.Value() != nil || wy.Value() != nil {
				t.Errorf("%+v, many %t: a forgotten frame holds %v, %v", c, many, wx.Value() != nil, wy.Value() != nil)
			}
			runtime.KeepAlive(s)
			runtime.KeepAlive(ds)
		}
	}
}

// That also holds for values whose place has lost its memory.
func TestDenseHistoryKeepsNothing(t *testing.T) {
	for _, rewind := range []bool{false, true} {
		d := NewDense[pointing](DenseConfig{Seed: 1})
		s := NewDenseHistory(d, HistoryConfig{Frames: 2, Compare: true})
		for range 500 {
			d.Insert(pointing{})
		}
		x := new([100]int)
		w := weak.Make(x)
		d.Insert(pointing{p: &x[0]})
		x = nil
		_ = x
		s.Mark()
		d.Clear()
		d.Clip()
		if rewind && s.Rewind(1) != nil {
			t.Fatal("Rewind fails")
		}
		for range 2 {
			s.Mark()
		}
		if runtime.GC(); w.Value() != nil {
			t.Errorf("rewind %t: a forgotten frame holds a value", rewind)
		}
		runtime.KeepAlive(s)
	}
}

// A Clip that Memory refuses in a loop is no edit of the values, which stay where they are.
func TestDenseHistoryClipRefused(t *testing.T) {
	m := new(spoiler)
	d := NewDense[int](DenseConfig{Seed: 1, Memory: m})
	for i := range 100 {
		d.Insert(i)
	}
	s := NewDenseHistory(d, HistoryConfig{Frames: 2, Compare: true})
	for range d.All() {
		for i := range 10 {
			d.Delete(handleAt(d, i))
		}
		f := s.Mark()
		m.refuse = true
		if d.Clip(); d.Holes() != 10 {
			t.Fatalf("%d holes after a refused Clip", d.Holes())
		}
		for h, c := range s.Changed(f) {
			t.Fatalf("%v: %v", h, c)
		}
		break
	}
}

// After Clip, a History has the memory that its frames need: hardly any if all values are gone. It
// can still go back to each of them.
func TestHistoryClip(t *testing.T) {
	n := fewer(50_000, 5000)
	for _, compare := range []bool{false, true} {
		c := HistoryConfig{Frames: 3, Compare: compare}
		p, d := NewPool[int](Config{Seed: 1}), NewDense[int](DenseConfig{Seed: 1})
		ca, da := NewColumn[int](p), NewDenseColumn[int](d)
		s, ds := NewHistory(p, c), NewDenseHistory(d, c)
		before := heapBytes()
		for _, x := range []struct {
			name   string
			s      *History[int]
			insert func(v int) Handle[int]
			edit   func(h Handle[int]) *int // of a column
			clear  func()
			clip   func()
		}{
			{"Pool", s, p.Insert, func(h Handle[int]) *int { ca.Set(h, 1); return ca.Edit(h) }, p.Clear, p.Clip},
			{"Dense", ds, d.Insert, da.Edit, d.Clear, d.Clip},
		} {
			for range 3 {
				for i := range n {
					*x.edit(x.insert(i)) = i
				}
				x.s.Mark()
				for h, v := range x.s.EditAll() {
					*v, *x.edit(h) = *v+1, 2
				}
				for range x.s.Changed(x.s.Oldest()) {
				}
				x.s.Mark()
				x.clear()
				if x.s.Rewind(x.s.Mark()-1) != nil {
					t.Fatal("Rewind fails")
				}
				x.clear()
			}
			x.clip() // the frames need all of it
			if got := heapBytes() - before; got < 32*n {
				t.Errorf("%s, compare %t: frames of %d values take %d bytes", x.name, compare, n, got)
			}
			for range c.Frames + 1 { // the first may begin with images of what has changed before
				x.s.Mark()
			}
			x.clip()
			// Under berth_poison, a Dense keeps the array that its values have left until a change.
			x.clear()
			if got := heapBytes() - before; got > 200_000 { // berth_poison has tables of its own
				t.Errorf("%s, compare %t: %d bytes for empty frames", x.name, compare, got)
			}
			for range 10 {
				*x.edit(x.insert(1)) = 1
			}
			x.s.Mark()
			x.clear()
			for f := range Frame(c.Frames) {
				if f = x.s.Mark() - f; x.s.Rewind(f) != nil {
					t.Errorf("%s, compare %t: Rewind(%d) fails after Clip", x.name, compare, f)
				}
			}
			x.clear()
			x.clip()
		}
		p.checkInvariants()
		d.checkInvariants()
		ca.checkInvariants()
		da.checkInvariants()
		runtime.KeepAlive(s)
		runtime.KeepAlive(ds)
	}
}

// In a steady state, a frame of inserts, removals and edits and its Rewind allocate nothing.
func TestHistorySteady(t *testing.T) {
	if invariants.On {
		t.Skip("the checks allocate")
	}
	p, d := new(Pool[int]), new(Dense[int])
	s, ds := NewHistory(p, HistoryConfig{Frames: 8}), NewDenseHistory(d, HistoryConfig{Frames: 8})
	hs := make([]Handle[int], 1000)
	ks := make([]Handle[int], len(hs))
	for i := range hs {
		hs[i], ks[i] = p.Insert(i), d.Insert(i)
	}
	n := 0
	frame := func() {
		for range 20 {
			n++
			i := n * 7 % len(hs)
			p.Delete(hs[i])
			hs[i] = p.Insert(n)
			d.Delete(ks[i])
			ks[i] = d.Insert(n)
			*s.Edit(hs[n*3%len(hs)])++
			*ds.Edit(ks[n*3%len(hs)])++
		}
	}
	play := func() {
		f, g := s.Mark(), ds.Mark()
		for range 5 {
			frame()
			s.Mark()
			ds.Mark()
		}

		if s.Rewind(f) != nil || ds.Rewind(g) != nil {
			t.Fatal("Rewind fails")
		}
		i := 0
		for h := range p.All() {
			hs[i] = h
			i++
		}
		i = 0
		for h := range d.All() {
			ks[i] = h
			i++
		}
	}
	for range 20 {
		play()
	}
	if n := testing.AllocsPerRun(20, play); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// With the tag berth_invariants, a write through a pointer that is not from Edit is found.
func TestHistoryUnrecorded(t *testing.T) {
	if !invariants.On {
		t.Skip("needs the tag berth_invariants")
	}
	p, d := new(Pool[int]), new(Dense[int])
	h, k := p.Insert(1), d.Insert(1)
	s, ds := NewHistory(p, HistoryConfig{Frames: 2}), NewDenseHistory(d, HistoryConfig{Frames: 2})
	*s.Edit(h), *ds.Edit(k) = 2, 2
	s.Mark()
	ds.Mark()
	*p.Ptr(h), *d.Ptr(k) = 3, 3
	mustPanic(t, h.String(), func() { s.Mark() })
	mustPanic(t, k.String(), func() { ds.Mark() })
	*p.Ptr(h), *d.Ptr(k) = 2, 2
	s.Mark()
	ds.Mark()
}

// A loop over EditAll or EditSpans may close the History, go back, or begin a frame.
func TestHistoryLoops(t *testing.T) {
	for action := range 4 {
		for loop := range 2 {
			p := new(Pool[int])
			for i := range 300 {
				p.Insert(i)
			}
			s := NewHistory(p, HistoryConfig{Frames: 2})
			for i := range 300 {
				p.Insert(i)
			}
			n := 0
			body := func() {
				if n++; n != 3 {
					return
				}
				switch action {
				case 0:
					s.Close()
				case 1:
					_ = s.Rewind(1)
				case 2:
					s.Mark()
				case 3:
					p.CopyFrom(p.Clone())
				}
			}
			if loop == 0 {
				for range s.EditAll() {
					body()
				}
			} else {
				for range s.EditSpans() {
					body()
				}
			}
			p.checkInvariants()
			if n < 4 {
				t.Errorf("action %d, loop %d: %d steps", action, loop, n)
			}
		}
	}
}

// Generations end under a History as without.
func TestHistoryExhausted(t *testing.T) {
	p := new(Pool[small])
	p.AgeForTest(300, 3)
	newPoolEras(t, 5, p, HistoryConfig{Frames: 5}, func(n int) small { return small(n) }).run(400)
	d := new(Dense[small])
	d.AgeForTest(300, 3)
	newDenseEras(t, 5, d, HistoryConfig{Frames: 5}, func(n int) small { return small(n) }).run(400)
}

// A slot whose only life, or whose last, came after the beginning of a frame is vacant again after
// Rewind: noted by itself, or with its block.
func TestHistoryRewindLastLife(t *testing.T) {
	for _, n := range []int{1, journal.Few, journal.Few + 1, slots.BlockSlots} {
		p := NewPool[int](Config{Seed: 1})
		h := p.Insert(0)
		p.Delete(h)
		p.Insert(0)
		s, q := NewHistory(p, HistoryConfig{Frames: 1}), p.Clone()
		last := h
		for i := range n {
			last.id.Index, last.id.Gen = h.id.Index+uint32(i)+1, p.state.Base-1
			if err := InsertAt(p, last, 1); i < slots.BlockSlots-1 && err != nil {
				t.Fatal(err)
			}
			p.Delete(last)
		}
		if err := s.Rewind(1); err != nil {
			t.Fatal(err)
		}
		p.checkInvariants()
		for i := range 2 * slots.BlockSlots {
			if g, h := p.Insert(i), q.Insert(i); g != h {
				t.Fatalf("%d last lives: insert %d issues %v, want %v", n, i, g, h)
			}
		}
	}
}

// A value that was removed in a frame, and put back with InsertAt, counts as edited.
func TestDenseHistoryPutBack(t *testing.T) {
	d := newDense(DenseConfig{}, 5)
	s := NewDenseHistory(d, HistoryConfig{Frames: 2})
	f, h := s.Mark(), handleAt(d, 1)
	d.Remove(h)
	if err := DenseInsertAt(d, h, 9); err != nil {
		t.Fatal(err)
	}
	n := 0
	for got, c := range s.Changed(f) {
		if n++; got != h || c != ChangeEdited {
			t.Errorf("%v is %v, want %v, Edited", got, c, h)
		}
	}
	if n != 1 {
		t.Errorf("%d changes, want 1", n)
	}
}
