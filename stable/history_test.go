package stable

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/invariants"
)

type (
	pair    struct{ a, b int32 }
	listKey = ListKey[pair]
)

// eras plays random calls on a list with a History, keeps a Clone for each frame, and compares the
// two after each Rewind. It reads nothing but rng.
type eras struct {
	t      *testing.T
	rng    *rand.Rand
	l      *List[pair]
	s      *ListHistory[pair]
	c      berth.HistoryConfig
	n      int32
	ks     []listKey
	clones map[berth.Frame]*List[pair]
	edited map[berth.Frame]map[listKey]bool
	now    berth.Frame
}

func newEras(t *testing.T, seed uint64, l *List[pair], c berth.HistoryConfig) *eras {
	e := &eras{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), l: l, s: NewHistory(l, c), c: c,
		clones: map[berth.Frame]*List[pair]{}, edited: map[berth.Frame]map[listKey]bool{},
	}
	e.begin(1)
	return e
}

// begin keeps a clone for the frame that has just begun.
func (e *eras) begin(f berth.Frame) {
	e.now = f
	e.clones[f] = e.l.Clone()
	e.edited[f] = map[listKey]bool{}
	for g := range e.clones {
		if g+berth.Frame(e.c.Frames) <= f || g > f {
			delete(e.clones, g)
			delete(e.edited, g)
		}
	}
	if got, want := e.s.Oldest(), f-berth.Frame(len(e.clones))+1; got != want {
		e.t.Fatalf("Oldest %d in frame %d, want %d", got, f, want)
	}
}

func (e *eras) next() pair { e.n++; return pair{e.n, -e.n} }

// some returns a key that was issued, live or not.
func (e *eras) some() listKey {
	if len(e.ks) == 0 {
		return listKey{}
	}
	if e.rng.IntN(2) == 0 {
		return e.ks[max(0, len(e.ks)-1-e.rng.IntN(100))]
	}
	return e.ks[e.rng.IntN(len(e.ks))]
}

func (e *eras) write(k listKey, v *pair) {
	*v = e.next()
	e.edited[e.now][k] = true
}

// step makes a random call.
func (e *eras) step() {
	switch p := e.rng.IntN(100); {
	case p < 20:
		for range e.rng.IntN(150) {
			e.ks = append(e.ks, e.l.Insert(e.next()))
		}
	case p < 35:
		for range e.rng.IntN(100) {
			if e.rng.IntN(2) == 0 {
				e.l.Remove(e.some())
			} else {
				e.l.Delete(e.some())
			}
		}
	case p < 38:
		keep := e.rng.IntN(10)
		e.l.RemoveFunc(func(listKey, *pair) bool { return e.rng.IntN(10) >= keep })
	case p < 40:
		e.l.Clear()
	case p < 42:
		e.l.Clip()
	case p < 44:
		e.l.Grow(e.rng.IntN(300))
	case p < 55:
		for range e.rng.IntN(40) {
			k := e.some()
			if v := e.s.Edit(k); v != nil {
				e.write(k, v)
			}
		}
	case p < 57:
		most := e.rng.IntN(300)
		for k, v := range e.s.EditAll() {
			if e.write(k, v); most < 0 {
				break
			}
			most--
		}
	case p < 59:
		for k, span := range e.s.EditSpans() {
			for i := range span {
				e.write(e.l.KeyAt(k.Index()+uint32(i)), &span[i])
			}
			if e.rng.IntN(5) == 0 {
				break
			}
		}
	case p < 62 && e.c.Compare:
		for range e.rng.IntN(20) {
			k := e.some()
			if v := e.l.Ptr(k); v != nil {
				e.write(k, v)
			}
		}
	case p < 65:
		e.hook()
	case p < 68:
		for range e.rng.IntN(10) {
			k := e.some()
			k.index += uint32(e.rng.IntN(100))
			if e.l.InsertAt(k, e.next()) == nil {
				e.ks = append(e.ks, k)
				e.edited[e.now][k] = true // if the key was live when the frame began
			}
		}
	case p < 69:
		switch q := e.clones[e.now]; e.rng.IntN(3) {
		case 0:
			e.l.CopyFrom(q)
		case 1:
			data, _ := q.MarshalBinary()
			if err := e.l.UnmarshalBinary(data); err != nil {
				e.t.Fatal(err)
			}
		case 2:
			var buf bytes.Buffer
			_, _ = q.WriteTo(&buf)
			if _, err := e.l.ReadFrom(&buf); err != nil {
				e.t.Fatal(err)
			}
		}
		clear(e.clones)
		clear(e.edited)
		e.begin(e.now + 1)
	case p < 85:
		if f := e.s.Mark(); f != e.now+1 {
			e.t.Fatalf("Mark = %d, want %d", f, e.now+1)
		}
		e.begin(e.now + 1)
	case p < 90:
		e.changed()
	case p < 92:
		for _, f := range []berth.Frame{e.s.Oldest() - 1, e.now + 1} {
			if err := e.s.Rewind(f); !errors.Is(err, ErrForgotten) {
				e.t.Fatalf("Rewind(%d) = %v", f, err)
			}
		}
	default:
		e.rewind()
	}
	listCheckInvariants(e.l)
}

// hook changes the list from its hooks, and ends them.
func (e *eras) hook() {
	e.l.SetHooks(ListHooks[pair]{
		OnInsert: func(k listKey, _ *pair) {
			switch e.rng.IntN(4) {
			case 0:
				e.l.Delete(k)
			case 1:
				panic("boom")
			}
		},
		OnRemove: func(listKey, *pair) {
			if e.rng.IntN(8) == 0 {
				e.ks = append(e.ks, e.l.Insert(e.next()))
			}
		},
	})
	func() {
		defer func() { _ = recover() }()
		for range 10 {
			e.l.Remove(e.some())
			e.ks = append(e.ks, e.l.Insert(e.next()))
		}
		if e.rng.IntN(3) == 0 {
			e.l.Clear()
		}
	}()
	e.l.SetHooks(ListHooks[pair]{})
}

// rewind goes back to a random frame, and compares with the Clone.
func (e *eras) rewind() {
	f := e.s.Oldest() + berth.Frame(e.rng.IntN(int(e.now-e.s.Oldest())+1))
	if err := e.s.Rewind(f); err != nil {
		e.t.Fatal(err)
	}
	listCheckInvariants(e.l)
	p, q := e.l.Clone(), e.clones[f].Clone()
	ps, qs := p.Stats(), q.Stats()
	if ps.Bytes, qs.Bytes = 0, 0; ps != qs || p.Cap() != q.Cap() || p.Touched() != q.Touched() {
		e.t.Fatalf("%v %+v, want %v %+v", p, p.Stats(), q, q.Stats())
	}
	list := func(l *List[pair]) (s string) {
		for k, v := range l.All() {
			s += fmt.Sprint(k, *v)
		}
		return s
	}
	if a, b := list(p), list(q); a != b {
		e.t.Fatalf("Rewind(%d): %s, want %s", f, a, b)
	}
	for round := range 2 {
		for i := range 200 {
			g, h := p.Insert(pair{}), q.Insert(pair{})
			if g != h {
				e.t.Fatalf("insert %d issues %v, want %v", i, g, h)
			}
			if i%3 == round {
				p.Delete(g)
				q.Delete(h)
			}
		}
		for k := range q.All() {
			q.Delete(k)
			if !p.Delete(k) {
				e.t.Fatalf("%v is not live", k)
			}
		}
	}
	listCheckInvariants(p)
	e.begin(f)
}

// changed compares Changed with the difference to the clone.
func (e *eras) changed() {
	f := e.s.Oldest() + berth.Frame(e.rng.IntN(int(e.now-e.s.Oldest())+1))
	q := e.clones[f]
	edited := func(k listKey) bool {
		for g := f; g <= e.now; g++ {
			if e.edited[g][k] {
				return true
			}
		}
		return false
	}
	var got, want []string
	for i := range uint32(max(q.Touched(), e.l.Touched())) {
		was, is := q.KeyAt(i), e.l.KeyAt(i)
		if was != is && !was.IsZero() {
			want = append(want, fmt.Sprint(was, berth.Removed))
		}
		if was != is && !is.IsZero() {
			want = append(want, fmt.Sprint(is, berth.Inserted))
		}
		if was == is && !is.IsZero() && edited(is) {
			want = append(want, fmt.Sprint(is, berth.Edited))
		}
	}
	for k, c := range e.s.Changed(f) {
		got = append(got, fmt.Sprint(k, c))
	}
	if !slices.Equal(got, want) {
		e.t.Fatalf("Changed(%d) in frame %d: %d changes, want %d", f, e.now, len(got), len(want))
	}
}

// A Rewind equals the Clone that was taken when the frame began, under every placement.
func TestHistoryModel(t *testing.T) {
	for seed := range uint64(60) {
		for _, frames := range []int{1, 3, 9} {
			c := Config{
				Placement: Placement(seed % 5), Truncate: Truncate(seed / 5 % 3), Seed: uint32(seed) + 1,
			}
			if seed%4 == 3 {
				c.Capacity = 300
			}
			h := berth.HistoryConfig{Frames: frames, Compare: seed%3 == 0}
			t.Run(fmt.Sprint(seed, c.Placement, c.Truncate, frames), func(t *testing.T) {
				l := New[pair](c)
				if seed%12 == 11 { // the identifiers end
					l.AgeForTest(1000, 500)
				}
				e := newEras(t, seed, l, h)
				for range 150 {
					e.step()
				}
			})
		}
	}
}

func TestHistoryPanics(t *testing.T) {
	wants := func(want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); got != want {
				t.Errorf("panic %q, want %q", got, want)
			}
		}()
		f()
	}
	var l List[int]
	one := berth.HistoryConfig{Frames: 1}
	wants("stable: NewHistory: the list must not be nil", func() { NewHistory((*List[int])(nil), one) })
	wants("stable: NewHistory: Frames must be at least 1 (got 0)",
		func() { NewHistory(&l, berth.HistoryConfig{}) })
	s := NewHistory(&l, one)
	wants("stable: NewHistory: the list must not have a History already", func() { NewHistory(&l, one) })
	wants("stable: History.Changed: the frame must be from 1 to 1 (got 2)", func() { s.Changed(2) })
	if listRecorder(l.Clone()) != nil {
		t.Error("the clone has a History")
	}
	k := l.Insert(1)
	s.Close()
	s.Close()
	if l.hooks != nil || l.Insert(2).IsZero() || l.quick == 0 {
		t.Error("Close has left something")
	}
	for name, f := range map[string]func(){
		"Mark": func() { s.Mark() }, "Edit": func() { s.Edit(k) }, "EditAll": func() { s.EditAll() },
		"EditSpans": func() { s.EditSpans() }, "Rewind": func() { _ = s.Rewind(1) },
		"Oldest": func() { s.Oldest() }, "Changed": func() { s.Changed(1) },
	} {
		wants("stable: History."+name+": the History is closed", f)
	}
}

// With the tag berth_invariants, a write through Ptr is found.
func TestHistoryFindsWrites(t *testing.T) {
	var l List[int]
	s := NewHistory(&l, berth.HistoryConfig{Frames: 2})
	k := l.Insert(1)
	s.Mark()
	*l.Ptr(k) = 2
	defer func() {
		if found := recover() != nil; found != invariants.On {
			t.Errorf("found: %t", found)
		}
	}()
	s.Mark()
}

// In a steady state, frames allocate nothing.
func TestHistorySteadyState(t *testing.T) {
	for place := range Placement(5) {
		l := New[pair](Config{Seed: 1, Placement: place, Truncate: TruncateLength})
		s := NewHistory(l, berth.HistoryConfig{Frames: 4})
		var ks []listKey
		for i := range int32(1000) {
			ks = append(ks, l.Insert(pair{i, i}))
		}
		turn := 0
		frame := func() {
			for i := range 50 {
				at := (turn*50 + i*7) % len(ks)
				l.Delete(ks[at])
				ks[at] = l.Insert(pair{})
				s.Edit(ks[(at+500)%len(ks)]).a++
			}
			turn++
			f := s.Mark()
			if turn%8 == 0 {
				for _, v := range s.EditAll() {
					v.b++
				}
				if s.Rewind(f) != nil {
					t.Error("frame", f)
				}
			}
		}
		for range 50 {
			frame()
		}
		if n := testing.AllocsPerRun(50, frame); n != 0 {
			t.Errorf("%v: %v allocations a frame", place, n)
		}
	}
}

// After Clip, a History has the memory that its frames need: hardly any if all values are gone.
func TestHistoryClip(t *testing.T) {
	const n = 10_000
	heap := func() int {
		var s runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int(s.HeapAlloc)
	}
	for place := range Placement(5) {
		l := New[pair](Config{Seed: 1, Placement: place})
		s := NewHistory(l, berth.HistoryConfig{Frames: 3, Compare: place%2 == 0})
		before := heap()
		for range 3 {
			for i := range int32(n) {
				l.Insert(pair{i, i})
			}
			s.Mark()
			for range s.EditAll() {
			}
			for range s.Changed(s.Oldest()) {
			}
			s.Mark()
			l.Clear()
			if s.Rewind(s.Mark()-1) != nil {
				t.Fatal("Rewind fails")
			}
			l.RemoveFunc(func(_ listKey, v *pair) bool { return v.a%2 == 0 })
			s.Mark() // which saves a record of many vacant slots
			l.Clear()
		}
		l.Clip() // the frames need all of it
		if got := heap() - before; got < 16*n {
			t.Errorf("%v: frames of %d values take %d bytes", place, n, got)
		}
		for range 3 {
			s.Mark()
		}
		l.Clip()
		if got := heap() - before; got > 50_000 {
			t.Errorf("%v: %d bytes for empty frames", place, got)
		}
		runtime.KeepAlive(s)
	}
}

// A loop over spans goes on with the values that a Rewind inside it brings back.
func TestHistoryRewindInSpans(t *testing.T) {
	l := New[pair](Config{Seed: 1})
	s := NewHistory(l, berth.HistoryConfig{Frames: 2})
	var ks []listKey
	for range 3 {
		ks = append(ks, l.Insert(pair{}))
	}
	f := s.Mark()
	for range 7 {
		l.Insert(pair{})
	}
	l.Delete(ks[1])
	var lens []int
	for _, span := range l.Spans() {
		if lens = append(lens, len(span)); len(lens) == 1 && s.Rewind(f) != nil {
			t.Fatal("Rewind fails")
		}
	}
	if !slices.Equal(lens, []int{1, 2}) {
		t.Errorf("spans of %d values, want 1 and 2", lens)
	}
}
