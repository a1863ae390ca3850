package berth

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/invariants"
)

// recorded is a Pool or a Dense.
type recorded[T, C any] interface {
	store[T]
	Clone() C
}

// eras plays random calls on a container with a History, keeps a Clone for each frame, and compares
// the two after each Rewind. It reads nothing but rng.
type eras[T comparable, C recorded[T, C]] struct {
	t      *testing.T
	rng    *rand.Rand
	p      C
	s      *History[T]
	c      HistoryConfig
	value  func(n int) T
	salt   uint32
	inSpan func(h Handle[T], i int) Handle[T] // handle of element i of a span
	equal  func(p, q C)                       // compares all that only that container has
	more   func()                             // a call that only that container has
	n      int
	hs     []Handle[T]                  // all handles issued
	clones map[Frame]C                  // by frame that can be gone back to
	edited map[Frame]map[Handle[T]]bool // handles edited in a frame
	now    Frame
}

func newEras[T comparable, C recorded[T, C]](
	t *testing.T, seed uint64, p C, s *History[T], c HistoryConfig, value func(n int) T,
) *eras[T, C] {
	e := &eras[T, C]{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), p: p, s: s, c: c, value: value, now: 1,
		clones: map[Frame]C{}, edited: map[Frame]map[Handle[T]]bool{}, more: func() {},
	}
	e.begin(1)
	return e
}

func newPoolEras[T comparable](
	t *testing.T, seed uint64, p *Pool[T], c HistoryConfig, value func(n int) T,
) *eras[T, *Pool[T]] {
	e := newEras(t, seed, p, NewHistory(p, c), c, value)
	e.salt = p.state.Salt
	e.inSpan = func(h Handle[T], i int) Handle[T] { return handleAt(p, p.IndexOf(h)+i) }
	e.equal = func(p, q *Pool[T]) {
		ps, qs := p.Stats(), q.Stats()
		if ps.Bytes, qs.Bytes = 0, 0; ps != qs || p.state.Reserve != q.state.Reserve || len(p.dir) != len(q.dir) {
			t.Fatalf("Stats %+v, want %+v; reserve %d, want %d; dir %d, want %d",
				ps, qs, p.state.Reserve, q.state.Reserve, len(p.dir), len(q.dir))
		}
	}
	e.more = func() {
		for range e.rng.IntN(20) {
			switch e.rng.IntN(3) {
			case 0:
				if h := Reserve(p); !h.IsZero() {
					e.hs = append(e.hs, h)
				}
			case 1:
				Cancel(p, e.some())
			default:
				if h := e.some(); Fill(p, h, e.next()) != p.Contains(h) && !p.Contains(h) {
					t.Fatalf("Fill(%v) is true, and it is not live", h)
				}
			}
		}
	}
	return e
}

func newDenseEras[T comparable](
	t *testing.T, seed uint64, d *Dense[T], c HistoryConfig, value func(n int) T,
) *eras[T, *Dense[T]] {
	e := newEras(t, seed, d, NewDenseHistory(d, c), c, value)
	e.salt = d.state.Index.Salt
	e.inSpan = func(h Handle[T], i int) Handle[T] { return handleAt(d, d.PlaceOf(h)+i) }
	e.equal = func(p, q *Dense[T]) {
		if p.Len() != q.Len() || p.state.Hole != q.state.Hole || !slices.Equal(p.state.Owner, q.state.Owner) || p.state.Reserve != q.state.Reserve ||
			p.state.Index.Look().Places() != q.state.Index.Look().Places() {
			t.Fatalf("%d values, %d holes, want %d, %d, or other owners", p.Len(), p.state.Holes, q.Len(), q.state.Holes)
		}
	}
	e.more = func() {
		switch e.rng.IntN(4) {
		case 0:
			d.Defrag()
		case 1:
			up := e.rng.IntN(2)*2 - 1
			d.Sort(func(a, b *T) int { return up * strings.Compare(fmt.Sprint(*a), fmt.Sprint(*b)) })
		case 2:
			for range d.All() {
				d.Delete(e.some())
				if e.rng.IntN(10) == 0 {
					d.Clip()
				}
			}
		case 3:
			n := e.rng.IntN(20)
			for range d.All() {
				if n--; n < 0 {
					e.rewind()
				}
			}
			if n < -1 {
				t.Fatal("a loop has continued after Rewind")
			}
		}
	}
	return e
}

// begin keeps a clone for the frame that has just begun.
func (e *eras[T, C]) begin(f Frame) {
	e.now = f
	e.clones[f] = e.p.Clone()
	e.edited[f] = map[Handle[T]]bool{}
	for g := range e.clones {
		if g+Frame(e.c.Frames) <= f || g > f {
			delete(e.clones, g)
			delete(e.edited, g)
		}
	}
	if got, want := e.s.Oldest(), f-Frame(len(e.clones))+1; got != want || e.s.Now() != f {
		e.t.Fatalf("Oldest %d in frame %d, want %d in %d", got, e.s.Now(), want, f)
	}
}

func (e *eras[T, C]) next() T {
	e.n++
	return e.value(e.n)
}

// some returns a handle that was issued, live or not.
func (e *eras[T, C]) some() Handle[T] {
	if len(e.hs) == 0 {
		return Handle[T]{}
	}
	if e.rng.IntN(2) == 0 {
		return e.hs[max(0, len(e.hs)-1-e.rng.IntN(100))]
	}
	return e.hs[e.rng.IntN(len(e.hs))]
}

func (e *eras[T, C]) write(h Handle[T], v *T) {
	*v = e.next()
	e.edited[e.now][h] = true
}

// step makes a random call.
func (e *eras[T, C]) step() {
	switch p := e.rng.IntN(100); {
	case p < 12:
		for range e.rng.IntN(150) {
			e.hs = append(e.hs, e.p.Insert(e.next()))
		}
	case p < 16:
		h, v := e.p.New()
		if v != nil {
			*v = e.next()
			e.hs = append(e.hs, h)
		}
	case p < 20:
		func() {
			defer func() { _ = recover() }()
			e.p.InsertFunc(func(h Handle[T], v *T) {
				*v = e.next()
				e.hs = append(e.hs, h)
				switch e.rng.IntN(4) {
				case 0:
					e.p.Delete(e.some())
				case 1:
					e.hs = append(e.hs, e.p.Insert(e.next()))
				case 2:
					panic("boom")
				}
			})
		}()
	case p < 35:
		for range e.rng.IntN(80) {
			e.p.Remove(e.some())
		}
	case p < 38:
		keep := e.rng.IntN(10)
		RemoveFuncAny(e.p, func(Handle[T], *T) bool { return e.rng.IntN(10) >= keep })
	case p < 40:
		e.p.Clear()
	case p < 43:
		e.p.Clip()
	case p < 45:
		e.p.Grow(e.rng.IntN(300))
	case p < 57:
		for range e.rng.IntN(40) {
			h := e.some()
			if v := e.s.Edit(h); v != nil {
				e.write(h, v)
			}
		}
	case p < 59:
		most := e.rng.IntN(300)
		for h, v := range e.s.EditAll() {
			e.write(h, v)
			if most--; most < 0 {
				break
			}
		}
	case p < 61:
		for h, span := range e.s.EditSpans() {
			for i := range span {
				e.write(e.inSpan(h, i), &span[i])
			}
			if e.rng.IntN(5) == 0 {
				break
			}
		}
	case p < 65 && e.c.Compare:
		for range e.rng.IntN(20) {
			h := e.some()
			if v := e.p.Ptr(h); v != nil {
				e.write(h, v)
			}
		}
	case p < 67:
		e.hook()
	case p < 71:
		h := e.some()
		for range e.rng.IntN(20) {
			h.id.Index += uint32(e.rng.IntN(200))
			if InsertAtAny(e.p, h, e.next()) == nil {
				e.hs = append(e.hs, h)
				e.edited[e.now][h] = true // if the handle was live when the frame began
			}
		}
	case p < 72:
		e.load()
	case p < 75:
		e.more()
	case p < 85:
		if f := e.s.Mark(); f != e.now+1 {
			e.t.Fatalf("Mark = %d, want %d", f, e.now+1)
		}
		e.begin(e.now + 1)
	case p < 90:
		e.changed()
	case p < 92:
		for _, f := range []Frame{e.s.Oldest() - 1, e.now + 1} {
			if err := e.s.Rewind(f); !errors.Is(err, ErrForgotten) {
				e.t.Fatalf("Rewind(%d) = %v", f, err)
			}
		}
	default:
		e.rewind()
	}
	e.p.checkInvariants()
}

// hook changes the Pool from its hooks, and ends them.
func (e *eras[T, C]) hook() {
	SetHooksAny(e.p, Hooks[T]{
		OnInsert: func(h Handle[T], v *T) {
			switch e.rng.IntN(4) {
			case 0:
				e.p.Delete(h)
			case 1:
				panic("boom")
			}
		},
		OnRemove: func(Handle[T], *T) {
			if e.rng.IntN(8) == 0 {
				e.hs = append(e.hs, e.p.Insert(e.next()))
			}
		},
	})
	func() {
		defer func() { _ = recover() }()
		for range 10 {
			e.p.Remove(e.some())
			e.hs = append(e.hs, e.p.Insert(e.next()))
		}
		if e.rng.IntN(3) == 0 {
			e.p.Clear()
		}
	}()
	SetHooksAny(e.p, Hooks[T]{})
}

// load replaces the contents as a whole, which begins a new frame and forgets all others.
func (e *eras[T, C]) load() {
	q := e.clones[e.now]
	if e.rng.IntN(2) == 0 {
		CopyFromAny[T](e.p, q)
	} else {
		var buf bytes.Buffer
		var vals []T
		_ = EncodeAny(q, &buf, func(b []byte, v *T) ([]byte, error) { vals = append(vals, *v); return b, nil })
		if err := DecodeAny(e.p, &buf, func(_ []byte, v *T) error {
			*v = vals[0]
			vals = vals[1:]
			return nil
		}); err != nil {
			e.t.Fatal(err)
		}
	}
	clear(e.clones)
	clear(e.edited)
	e.begin(e.now + 1)
}

// rewind goes back to a random frame.
func (e *eras[T, C]) rewind() {
	f := e.s.Oldest() + Frame(e.rng.IntN(int(e.now-e.s.Oldest())+1))
	if err := e.s.Rewind(f); err != nil {
		e.t.Fatal(err)
	}
	e.p.checkInvariants()
	e.same(e.p, e.clones[f])
	e.begin(f)
}

// same fails unless p and q hold the same values and issue the same handles.
func (e *eras[T, C]) same(p, q C) {
	t := e.t
	t.Helper()
	p, q = p.Clone(), q.Clone()
	SetHooksAny(p, Hooks[T]{})
	SetHooksAny(q, Hooks[T]{})
	e.equal(p, q)
	e.sameValues(p, q)
	var zero T
	for i := range 200 {
		if g, h := p.Insert(zero), q.Insert(zero); g != h {
			t.Fatalf("insert %d issues %v, want %v", i, g, h)
		}
	}
	p.checkInvariants()
	var hs []Handle[T]
	for h := range q.All() {
		hs = append(hs, h)
	}
	for _, h := range hs {
		q.Delete(h)
		if !p.Delete(h) {
			t.Fatalf("%v is not live", h)
		}
	}
	for i := range 200 {
		if g, h := p.Insert(zero), q.Insert(zero); g != h {
			t.Fatalf("insert %d into the empty Pool issues %v, want %v", i, g, h)
		}
	}
}

func (e *eras[T, C]) sameValues(p, q C) {
	t := e.t
	t.Helper()
	type pair struct {
		h Handle[T]
		v T
	}
	list := func(p C) (all []pair) {
		for h, v := range p.All() {
			all = append(all, pair{h, *v})
		}
		return all
	}
	if a, b := list(p), list(q); !slices.Equal(a, b) {
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("value %d is %v, want %v (%d values, want %d)", i, a[i], b[i], len(a), len(b))
			}
		}
		t.Fatalf("%d values, want %d", len(a), len(b))
	}
}

// changed compares Changed with the difference to the clone.
func (e *eras[T, C]) changed() {
	f := e.s.Oldest() + Frame(e.rng.IntN(int(e.now-e.s.Oldest())+1))
	var want []string
	q := e.clones[f].Clone() // whose loops may move values
	edited := map[Handle[T]]bool{}
	for g := f; g <= e.now; g++ {
		for h := range e.edited[g] {
			edited[h] = true
		}
	}
	all := map[Handle[T]]bool{}
	for h := range q.All() {
		all[h] = true
	}
	for h := range e.p.All() {
		all[h] = true
	}
	hs := make([]Handle[T], 0, len(all))
	for h := range all {
		hs = append(hs, h)
	}
	slices.SortFunc(hs, func(a, b Handle[T]) int {
		if i, k := a.id.Index-e.salt, b.id.Index-e.salt; i != k {
			return int(int64(i) - int64(k))
		}
		if q.Contains(a) {
			return -1
		}
		return 1
	})
	for _, h := range hs {
		switch was, is := q.Contains(h), e.p.Contains(h); {
		case was && !is:
			want = append(want, fmt.Sprint(h, ChangeRemoved))
		case is && !was:
			want = append(want, fmt.Sprint(h, ChangeInserted))
		case edited[h]:
			want = append(want, fmt.Sprint(h, ChangeEdited))
		}
	}
	var got []string
	for h, c := range e.s.Changed(f) {
		got = append(got, fmt.Sprint(h, c))
	}
	if !slices.Equal(got, want) {
		e.t.Fatalf("Changed(%d) in frame %d = %v, want %v", f, e.now, got, want)
	}
}

type small int

type pointing struct {
	s string
	p *int
	n int
}

func wide(n int) (v [40]int) {
	v[0], v[39] = n, n
	return v
}

// A Rewind equals the Clone that was taken when the frame began.
func TestHistoryModel(t *testing.T) {
	plain := func(n int) small { return small(n) }
	pointers := func(n int) pointing { return pointing{fmt.Sprint(n), new(int), n} }
	for seed := range uint64(24) {
		for _, frames := range framesOf(seed) {
			c := HistoryConfig{Frames: frames, Compare: seed%3 == 0}
			conf := Config{Seed: uint32(seed) + 1, Truncate: TruncateMemory + Truncate(seed/2%3)}
			if seed%5 == 4 {
				conf.Limit = 150
			}
			if seed%7 == 6 {
				conf.Capacity = 500
			}
			of := func(m Memory) Config { conf.Memory = m; return conf }
			run := func(name string, f func(t *testing.T)) {
				t.Run(fmt.Sprintf("%d/%d/%s", seed, frames, name), f)
			}
			memory := func(t *testing.T) Memory {
				if seed%4 != 3 {
					return nil
				}
				return newParked(t)
			}
			run("pool", func(t *testing.T) {
				m := memory(t)
				e := newPoolEras(t, seed, NewPool[small](of(m)), c, plain)
				e.run(150)
				if m, ok := m.(*parkedMemory); ok {
					m.closed(e)
				}
			})
			run("pool of pointers", func(t *testing.T) {
				newPoolEras(t, seed, NewPool[pointing](of(nil)), c, pointers).run(150)
			})
			run("pool of wide", func(t *testing.T) {
				newPoolEras(t, seed, NewPool[[40]int](of(nil)), c, wide).run(100)
			})
			run("dense", func(t *testing.T) {
				d := NewDense[small](denseConfigOf(of(memory(t)), seed))
				newDenseEras(t, seed, d, c, plain).run(150)
			})
			run("dense of pointers", func(t *testing.T) {
				d := NewDense[pointing](denseConfigOf(of(nil), seed))
				newDenseEras(t, seed, d, c, pointers).run(150)
			})
		}
	}
}

// denseConfigOf returns the configuration of a Dense to try with seed.
func denseConfigOf(c Config, seed uint64) DenseConfig {
	return DenseConfig{
		Seed: c.Seed, Limit: c.Limit, Capacity: c.Capacity, Memory: c.Memory,
		Defrag: Defrag(seed / 2 % 3), ShrinkAbove: int(seed % 2 * 10),
	}
}

// framesOf returns the lengths of the rings to try with seed. Containers that check themselves after
// each change take fifty times as long, so they try one for every second seed.
func framesOf(seed uint64) []int {
	all := []int{1, 3, 9}
	switch {
	case !invariants.On:
		return all
	case seed%2 == 0:
		return nil
	}
	n := seed / 2 % 3
	return all[n : n+1]
}

func (e *eras[T, C]) run(steps int) {
	for range steps {
		e.step()
	}
	e.rewind()
}

// parkedMemory is a Memory that knows its pieces.
type parkedMemory struct {
	t      *testing.T
	pieces map[*byte]bool
}

func newParked(t *testing.T) *parkedMemory {
	return &parkedMemory{t, map[*byte]bool{}}
}

func (m *parkedMemory) Alloc(size, _ int) ([]byte, error) {
	b := make([]byte, size)
	m.pieces[&b[0]] = true
	return b, nil
}

func (m *parkedMemory) Free(b []byte) {
	if !m.pieces[&b[0]] {
		m.t.Error("a piece is freed twice")
	}
	delete(m.pieces, &b[0])
}

// closed fails unless Close leaves no piece but those of the Pool and of its clones.
func (m *parkedMemory) closed(e *eras[small, *Pool[small]]) {
	e.s.Close()
	for _, b := range e.p.state.Supply.Pieces {
		if b != nil && !m.pieces[&b[0]] {
			m.t.Error("a piece of the Pool has been freed")
		}
	}
}
