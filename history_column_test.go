package berth

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/slots"
)

// columnFrame is what a Pool and its Columns, or a Dense and its DenseColumns, were when a frame
// began.
type columnFrame struct {
	old, young map[string]string // the Vs by handle
	values     int
}

// columnWorld is a Pool or a Dense with two columns, of which the second comes and goes.
type columnWorld struct {
	insert func() string // returns the handle
	remove func(h string)
	set    func(which int, h, v string)
	drop   func(which int, h string)
	rarely func(x int)
	state  func() columnFrame
	renew  func() // closes the second column, and makes another
	mark   func() Frame
	rewind func(f Frame) error
	oldest func() Frame
}

// playFrames plays random calls, and compares each Rewind with the state that it goes back to.
func playFrames(t *testing.T, w columnWorld, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	now := Frame(1)
	frames := map[Frame]columnFrame{1: w.state()}
	var hs []string
	pick := func() string {
		if len(hs) == 0 {
			return ""
		}
		return hs[r.IntN(len(hs))]
	}
	born := Frame(1) // of the second column
	for step := range 600 {
		switch x := r.IntN(20); {
		case x < 4:
			for range r.IntN(12) {
				hs = append(hs, w.insert())
			}
		case x < 8:
			for range r.IntN(12) {
				w.remove(pick())
			}
		case x < 13:
			for range r.IntN(20) {
				w.set(r.IntN(2), pick(), fmt.Sprint("v", step))
			}
		case x < 15:
			w.drop(r.IntN(2), pick())
		case x < 16:
			w.rarely(r.IntN(100))
		case x == 16 && step%5 == 0:
			w.renew()
			born = now
			for f, s := range frames {
				frames[f] = columnFrame{s.old, map[string]string{}, s.values}
			}
		case x < 19:
			now = w.mark()
			frames[now] = w.state()
		default:
			f := w.oldest() + Frame(r.IntN(int(now-w.oldest())+1))
			if err := w.rewind(f); err != nil {
				t.Fatal(err)
			}
			now = f
			if got, want := w.state(), frames[f]; got.values != want.values ||
				!maps.Equal(got.old, want.old) || !maps.Equal(got.young, want.young) {
				t.Fatalf("step %d, back to frame %d (the second column is of %d):\n%v\nwant\n%v",
					step, f, born, got, want)
			}
			if err := w.rewind(now + 1); !errors.Is(err, ErrForgotten) {
				t.Fatal(err)
			}
			born = min(born, now)
		}
		w.state()
	}
}

func TestColumnHistory(t *testing.T) {
	for seed := range uint64(12) {
		p := NewPool[int](Config{Seed: 1, Truncate: TruncateMemory + Truncate(seed%3)})
		compare := seed%2 != 0
		a, b := NewColumn[string](p), NewColumn[string](p)
		cs := []*Column[string, int]{a, b}
		s := NewHistory(p, HistoryConfig{Frames: 1 + int(seed%5), Compare: compare})
		handle := func(x string) (h Handle[int]) {
			_ = h.UnmarshalText([]byte(x))
			return h
		}
		all := func(c *Column[string, int]) map[string]string {
			c.checkInvariants()
			m := map[string]string{}
			for h, v := range c.All() {
				m[h.String()] = *v
			}
			return m
		}
		playFrames(t, columnWorld{
			insert: func() string { return p.Insert(1).String() },
			remove: func(h string) { p.Delete(handle(h)) },
			set: func(i int, x, v string) {
				h := handle(x)
				switch e := cs[i].Ptr(h); {
				case e == nil || len(v)%2 == 0:
					cs[i].Set(h, v)
				case compare:
					*e = v
				default:
					*cs[i].Edit(h) = v
				}
			},
			drop: func(i int, h string) { cs[i].Delete(handle(h)) },
			rarely: func(x int) {
				switch x % 5 {
				case 0:
					p.Clear()
				case 1:
					p.Clip()
				case 2:
					cs[0].Clear()
				case 3:
					cs[1].CopyFrom(cs[0])
				}
			},
			state: func() columnFrame { return columnFrame{all(cs[0]), all(cs[1]), p.Len()} },
			renew: func() {
				cs[1].Close()
				cs[1] = NewColumn[string](p)
			},
			mark: s.Mark, rewind: s.Rewind, oldest: s.Oldest,
		}, seed)
		s.Close()
		if a.log != nil || a.Edit(Handle[int]{}) != nil {
			t.Error("a Column keeps its log after Close")
		}
	}
}

func TestDenseColumnHistory(t *testing.T) {
	for seed := range uint64(12) {
		d := NewDense[int](DenseConfig{Seed: 1, Defrag: Defrag(seed % 3), ShrinkAbove: 8})
		compare := seed%2 != 0
		cs := []*DenseColumn[string, int]{NewDenseColumn[string](d), NewDenseColumn[string](d)}
		s := NewDenseHistory(d, HistoryConfig{Frames: 1 + int(seed%5), Compare: compare})
		handle := func(x string) (h Handle[int]) {
			_ = h.UnmarshalText([]byte(x))
			return h
		}
		all := func(c *DenseColumn[string, int]) map[string]string {
			c.checkInvariants()
			m := map[string]string{}
			for i, v := range c.vals {
				if v != "" {
					m[slots.TextOf(d.state.Owner[i])] = v
				}
			}
			return m
		}
		r := rand.New(rand.NewPCG(seed, 7))
		set := func(i int, x, v string) {
			switch e := cs[i].Ptr(handle(x)); {
			case e == nil:
			case compare:
				*e = v
			case i == 0:
				*cs[i].Edit(handle(x)) = v
			default:
				*cs[i].EditAt(d.PlaceOf(handle(x))) = v
			}
		}
		playFrames(t, columnWorld{
			insert: func() string { return d.Insert(r.IntN(1000)).String() },
			remove: func(h string) { d.Delete(handle(h)) },
			set:    set,
			drop:   func(i int, h string) { set(i, h, "") },
			rarely: func(x int) {
				switch x % 6 {
				case 0:
					d.Clear()
				case 1:
					d.Clip()
				case 2:
					turn := r.IntN(1000)
					d.Sort(func(a, b *int) int { return (*a+turn)%1000 - (*b+turn)%1000 })
				case 3:
					cs[1].CopyFrom(cs[0])
				case 4:
					d.Defrag()
				case 5:
					for h := range d.All() {
						if x++; x%3 == 0 {
							d.Delete(h)
						}
						if x%50 == 0 {
							d.Clip()
						}
					}
				}
			},
			state: func() columnFrame { return columnFrame{all(cs[0]), all(cs[1]), d.Len()} },
			renew: func() {
				cs[1].Close()
				cs[1] = NewDenseColumn[string](d)
			},
			mark: s.Mark, rewind: s.Rewind, oldest: s.Oldest,
		}, seed)
		s.Close()
		cs[0].checkInvariants()
	}
}

// A write without Edit is found by Compare, and by the tag berth_invariants.
func TestColumnHistoryUnrecorded(t *testing.T) {
	for _, compare := range []bool{false, true} {
		p, d := NewPool[int](Config{Seed: 1}), NewDense[int](DenseConfig{Seed: 1})
		h, g := p.Insert(1), d.Insert(1)
		c, dc := NewColumn[int](p), NewDenseColumn[int](d)
		c.Set(h, 1)
		*dc.Ptr(g) = 1
		s := NewHistory(p, HistoryConfig{Frames: 3, Compare: compare})
		ds := NewDenseHistory(d, HistoryConfig{Frames: 3, Compare: compare})
		*c.Ptr(h), dc.Slice()[0] = 2, 2
		mark := func(mark func() Frame) {
			defer func() {
				r := recover()
				if bad := invariants.On && !compare; (r != nil) != bad ||
					bad && !strings.Contains(fmt.Sprint(r), h.String()) {
					t.Errorf("compare %v: Mark panics with %v", compare, r)
				}
			}()
			mark()
		}
		mark(s.Mark)
		mark(ds.Mark)
		if !compare {
			continue
		}
		if s.Rewind(1) != nil || ds.Rewind(1) != nil || *c.Ptr(h) != 1 || *dc.Ptr(g) != 1 {
			t.Errorf("after Rewind: %d and %d", *c.Ptr(h), *dc.Ptr(g))
		}
	}
}

// After Rewind, a new value has no V of one that Rewind has removed, recorded or not.
func TestDenseColumnHistoryNew(t *testing.T) {
	if invariants.On {
		t.Skip("berth_invariants makes an unrecorded write a panic")
	}
	d := NewDense[int](DenseConfig{Seed: 1})
	c := NewDenseColumn[int](d)
	s := NewDenseHistory(d, HistoryConfig{Frames: 3})
	c.Slice()
	for range 100 {
		*c.Ptr(d.Insert(1)) = 5
	}
	if err := s.Rewind(1); err != nil {
		t.Fatal(err)
	}
	if v := *c.Ptr(d.Insert(2)); v != 0 {
		t.Errorf("a new value has the V %d", v)
	}
}

// A load forgets the frames of the Columns too.
func TestColumnHistoryLoads(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[int](p)
	s := NewHistory(p, HistoryConfig{Frames: 3})
	h := p.Insert(1)
	c.Set(h, 1)
	q := p.Clone()
	s.Mark()
	p.CopyFrom(q)
	f := s.Oldest()
	if c.Len() != 0 || !c.Set(h, 2) {
		t.Error("CopyFrom leaves a V")
	}
	if s.Mark(); s.Rewind(f) != nil || c.Len() != 0 || !p.Contains(h) {
		t.Errorf("after Rewind: %d Vs", c.Len())
	}
	c.checkInvariants()

	d := NewDense[int](DenseConfig{Seed: 1})
	for i := range 100 {
		d.Insert(i)
	}
	dc := NewDenseColumn[int](d)
	dc.Slice()[0] = 5
	ds := NewDenseHistory(d, HistoryConfig{Frames: 3, Compare: true})
	d.CopyFrom(d.Clone())
	f = ds.Oldest()
	if dc.Slice()[0] != 0 {
		t.Error("CopyFrom leaves a V")
	}
	dc.Slice()[0] = 7
	if ds.Mark(); ds.Rewind(f) != nil || dc.Slice()[0] != 0 {
		t.Error("after Rewind:", dc.Slice()[0])
	}
	dc.checkInvariants()
}

// A steady state with a History allocates nothing.
func TestColumnHistorySteadyState(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[int](p)
	var hs []Handle[int]
	for i := range 1000 {
		hs = append(hs, p.Insert(i))
		c.Set(hs[i], i)
	}
	s := NewHistory(p, HistoryConfig{Frames: 4})
	frame := func() {
		for i := range 50 {
			*c.Edit(hs[i*7]) = i
			c.Delete(hs[i*3+400])
			c.Set(hs[i*3+400], i)
		}
		s.Mark()
	}
	for range 10 {
		frame()
	}
	if n := testing.AllocsPerRun(20, frame); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// A V that was deleted, or whose value was removed, can be collected once its frame is forgotten, also if it was in a
// shadow and its block has no V left.
func TestColumnHistoryKeepsNothing(t *testing.T) {
	type pool = Pool[int]
	type column = Column[*[64]int, int]
	for name, end := range map[string]func(p *pool, c *column, s *History[int], h Handle[int]){
		"Column.Delete": func(_ *pool, c *column, _ *History[int], h Handle[int]) { c.Delete(h) },
		"Delete":        func(p *pool, _ *column, _ *History[int], h Handle[int]) { p.Delete(h) },
		"Clear":         func(p *pool, _ *column, _ *History[int], _ Handle[int]) { p.Clear() },
		"Clip":          func(p *pool, _ *column, _ *History[int], _ Handle[int]) { p.Clear(); p.Clip() },
		"Rewind":        func(_ *pool, _ *column, s *History[int], _ Handle[int]) { _ = s.Rewind(1) },
		"Column.Delete and Rewind": func(_ *pool, c *column, s *History[int], h Handle[int]) {
			c.Delete(h)
			_ = s.Rewind(1)
		},
	} {
		for _, compare := range []bool{false, true} {
			p := NewPool[int](Config{Seed: 1})
			c := NewColumn[*[64]int](p)
			h := p.Insert(1)
			s := NewHistory(p, HistoryConfig{Frames: 2, Compare: compare})
			x := new([64]int)
			w := weak.Make(x)
			c.Set(h, x)
			x = nil
			_ = x
			s.Mark()
			end(p, c, s, h)
			for range 2 {
				s.Mark()
			}
			if runtime.GC(); w.Value() != nil {
				t.Errorf("%s, compare %t: a forgotten frame holds a V", name, compare)
			}
			c.checkInvariants()
			runtime.KeepAlive(s)
		}
	}
}

// Clip releases the shadow of each block without a V, and of each without a value.
func TestColumnHistoryClip(t *testing.T) {
	const n = 30_000
	p := NewPool[int](Config{Seed: 1})
	var hs []Handle[int]
	for i := range n {
		hs = append(hs, p.Insert(i))
	}
	s := NewHistory(p, HistoryConfig{Frames: 2, Compare: true})
	p.Clip()
	before := heapBytes()
	c := NewColumn[int](p)
	for _, h := range hs {
		c.Set(h, 1)
	}
	s.Mark()
	for _, h := range hs[:n-1] {
		c.Delete(h)
	}
	for range 3 { // the first may begin with images
		s.Mark()
	}
	p.Clip()
	if got := heapBytes() - before; got > 2*n+5000 {
		t.Errorf("a Column with one V for %d values takes %d bytes", n, got)
	}
	for _, h := range hs[:5] { // blocks come back
		c.Set(h, 2)
	}
	f := s.Mark()
	*c.Ptr(hs[0]) = 3
	if s.Rewind(f) != nil || *c.Ptr(hs[0]) != 2 || s.Rewind(f-1) != nil || c.Len() != 1 {
		t.Errorf("after Rewind: %d Vs", c.Len())
	}
	for _, h := range hs[:n-1] {
		p.Delete(h)
	}
	for range 2 {
		s.Mark()
	}
	p.Clip()
	const size = bits.UintSize / 8 // of a value, and of its shadow; 4 more bytes are its generation
	if got := heapBytes() - before; got > -(2*size+2)*n {
		t.Errorf("a Pool of one value instead of %d takes %d bytes more", n, got)
	}
	c.checkInvariants()
	runtime.KeepAlive(hs)
}

// A Column that is made in a later frame takes part in all frames from the one on that a Rewind
// goes back to, also if that is the last one before.
func TestColumnMadeInLaterFrame(t *testing.T) {
	for back := range Frame(3) {
		var p Pool[int]
		h := p.Insert(1)
		s := NewHistory(&p, HistoryConfig{Frames: 20})
		s.Mark()
		now := s.Mark()
		c := NewColumn[int](&p)
		c.Set(h, 1)
		for _, marks := range []int{0, 10} {
			for range marks {
				s.Mark()
			}
			if err := s.Rewind(now - back); err != nil || c.Contains(h) {
				t.Errorf("%d frames back, after %d marks: %v, %v", back, marks, c, err)
			}
			c.Set(h, 2)
		}
		c.checkInvariants()
	}
}
