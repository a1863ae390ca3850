package berth

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/poison"
)

// sixPieces is a Memory that refuses the seventh piece.
type sixPieces struct{ n int }

func (m *sixPieces) Alloc(size, _ int) ([]byte, error) {
	if m.n++; m.n > 6 {
		return nil, errors.New("spent")
	}
	return make([]byte, size), nil
}

func (m *sixPieces) Free([]byte) {}

// twin is a container whose values are inserted one by one, or many at once.
type twin struct {
	c         any // a *Pool[int] or a *Dense[int]
	many      bool
	events    []string // of hooks
	hs        []Handle[int]
	mark      func()
	rewind    func() error
	check     func()
	column    *Column[int, int]
	sides     *DenseColumn[int, int]
	insert    func(v int) Handle[int]
	insertNew func() (Handle[int], *int)
	remove    func(Handle[int])
	ptr       func(Handle[int]) *int
}

func newTwin(dense, many bool, mode string) *twin {
	x := &twin{many: many}
	limit := 0
	if mode == "limit" {
		limit = 300
	}
	var memory Memory
	if mode == "memory" {
		memory = &sixPieces{}
	}
	if dense {
		d := NewDense[int](DenseConfig{Seed: 3, Limit: limit, Memory: memory})
		if mode == "age" {
			d.AgeForTest(100, 2)
		}
		if mode == "history" {
			h := NewDenseHistory(d, HistoryConfig{Frames: 8})
			x.mark, x.rewind = func() { h.Mark() }, func() error { return h.Rewind(1) }
		}
		if mode == "columns" {
			x.sides = NewDenseColumn[int](d)
		}
		x.c, x.check, x.insert, x.insertNew, x.ptr = d, d.checkInvariants, d.Insert, d.New, d.Ptr
		x.remove = func(h Handle[int]) { d.Remove(h) }
	} else {
		p := NewPool[int](Config{Seed: 3, Limit: limit, Memory: memory})
		if mode == "age" {
			p.AgeForTest(100, 2)
		}
		if mode == "history" {
			h := NewHistory(p, HistoryConfig{Frames: 8})
			x.mark, x.rewind = func() { h.Mark() }, func() error { return h.Rewind(1) }
		}
		if mode == "columns" {
			x.column = NewColumn[int](p)
		}
		x.c, x.check, x.insert, x.insertNew, x.ptr = p, p.checkInvariants, p.Insert, p.New, p.Ptr
		x.remove = func(h Handle[int]) { p.Remove(h) }
	}
	if mode == "hooks" {
		SetHooksAny(x.c, Hooks[int]{
			OnInsert: func(h Handle[int], v *int) {
				x.events = append(x.events, fmt.Sprint("in ", h, *v))
				if len(x.events)%7 == 0 {
					x.remove(h)
				}
			},
			OnRemove: func(h Handle[int], v *int) { x.events = append(x.events, fmt.Sprint("out ", h, *v)) },
		})
	}
	return x
}

// insertAll inserts vs, and stores their handles in hs.
func (x *twin) insertAll(vs []int, hs []Handle[int]) int {
	if x.many {
		return either(x.c, func(p *Pool[int]) int { return InsertAll(p, vs, hs) },
			func(d *Dense[int]) int { return DenseInsertAll(d, vs, hs) })
	}
	for i, v := range vs {
		h := x.insert(v)
		if h.IsZero() {
			return i
		}
		if hs != nil {
			hs[i] = h
		}
	}
	return len(vs)
}

// newN makes n values from v on, and returns the handles of those that the caller can fill.
func (x *twin) newN(n, v int) (made int, hs []Handle[int]) {
	if !x.many {
		for made < n {
			h, at := x.insertNew()
			if h.IsZero() {
				break
			}
			if made++; at != nil {
				*at = v + made
				hs = append(hs, h)
			}
		}
		return made, hs
	}
	seen := 0
	fill := func(slot int, at func(int) (Handle[int], *int), span []int) {
		for i := range span {
			h, x := at(slot + i)
			if x != &span[i] || *x != 0 {
				panic("a span is not that of its slots, or not zero")
			}
			hs = append(hs, h)
		}
		seen += len(span)
	}
	made = either(x.c,
		func(p *Pool[int]) int {
			return NewN(p, n, func(h Handle[int], span []int) { fill(p.IndexOf(h), p.At, span) })
		}, func(d *Dense[int]) int {
			return DenseNewN(d, n, func(h Handle[int], span []int) { fill(d.PlaceOf(h), d.At, span) })
		})
	if seen == made { // else OnInsert has removed some
		for i, h := range hs {
			*x.ptr(h) = v + i + 1
		}
	}
	return made, hs
}

// TestInsertMany compares values that are inserted many at once with the same values one by one:
// the handles, what is saved, the events, and what is there after a Rewind are the same.
func TestInsertMany(t *testing.T) {
	for _, dense := range []bool{false, true} {
		for _, mode := range []string{"plain", "limit", "memory", "age", "history", "columns", "hooks"} {
			t.Run(fmt.Sprintf("dense=%t/%s", dense, mode), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				one, all := newTwin(dense, false, mode), newTwin(dense, true, mode)
				both := []*twin{one, all}
				same := func(what string) {
					t.Helper()
					all.check()
					a, err := AppendBinaryAny[int](one.c, nil)
					b, err2 := AppendBinaryAny[int](all.c, nil)
					if !bytes.Equal(a, b) || err != nil || err2 != nil {
						t.Fatalf("%s: saved %d and %d bytes that differ, %v, %v", what, len(a), len(b), err, err2)
					}
					if !slices.Equal(one.events, all.events) {
						t.Fatalf("%s: events %v, want %v", what, all.events, one.events)
					}
				}
				for step, n := range []int{0, 1, 63, 64, 65, 200, 2, 0, 1000, 30, 128, 5, 129, 700} {
					vs := make([]int, n)
					for i := range vs {
						vs[i] = step<<16 | i
					}
					hs := make([][]Handle[int], 2)
					ns := make([]int, 2)
					for i, x := range both {
						if x.mark != nil {
							x.mark()
						}
						hs[i] = make([]Handle[int], n)
						if step%2 == 0 {
							ns[i] = x.insertAll(vs, hs[i])
						} else if mode == "hooks" {
							ns[i], hs[i] = x.newN(n, 0)
							for _, h := range hs[i] {
								*x.ptr(h) = step
							}
						} else {
							ns[i], hs[i] = x.newN(n, step<<16)
						}
						x.hs = append(x.hs, hs[i]...)
					}
					if ns[0] != ns[1] || !slices.Equal(hs[0], hs[1]) {
						t.Fatalf("%d values: %d, %v, want %d, %v", n, ns[1], hs[1], ns[0], hs[0])
					}
					same(fmt.Sprint(n, " values"))
					if step%5 == 4 && one.rewind != nil {
						if a, b := one.rewind(), all.rewind(); a != nil || b != nil {
							t.Fatal(a, b)
						}
						same("Rewind")
					}
					rng.Shuffle(len(one.hs), func(i, j int) {
						one.hs[i], one.hs[j] = one.hs[j], one.hs[i]
						all.hs[i], all.hs[j] = all.hs[j], all.hs[i]
					})
					share := len(one.hs) * (step % 4) / 3 // from none to all
					for _, x := range both {
						for _, h := range x.hs[:share] {
							x.remove(h)
						}
						x.hs = x.hs[share:]
					}
					same("Remove")
					for _, h := range all.hs {
						if all.column != nil && all.column.Contains(h) {
							t.Fatal("a new value has a V")
						}
						if all.sides != nil && all.ptr(h) != nil && *all.sides.Ptr(h) != 0 {
							t.Fatal("a new value has a V")
						}
						if all.column != nil {
							all.column.Set(h, 1)
						}
						if all.sides != nil && all.ptr(h) != nil {
							*all.sides.Ptr(h) = 1
						}
					}
					if all.column != nil || all.sides != nil {
						for _, x := range both {
							for _, h := range x.hs {
								x.remove(h)
							}
							x.hs = nil
						}
					}
				}
			})
		}
	}
}

// f may do with the container what it likes, and a panic leaves it whole.
func TestNewNCallback(t *testing.T) {
	run, runs := 64, 1
	if poison.On {
		run, runs = 1, 100
	}
	var p Pool[int]
	var other Handle[int]
	left := 0
	if n := NewN(&p, 100, func(first Handle[int], span []int) {
		at := p.IndexOf(first)
		for i := range span {
			if i%2 == 0 {
				h, _ := p.At(at + i)
				p.Delete(h)
			} else {
				left++
			}
		}
		other = p.Insert(-1)
		left++
	}); n != 100 || p.Len() != left || !p.Contains(other) {
		t.Errorf("%d made, %d left, the other %v", n, p.Len(), other)
	}
	p.checkInvariants()
	mustPanic(t, "stop", func() { NewN(&p, 1000, func(_ Handle[int], span []int) { panic("stop") }) })
	p.checkInvariants()
	p.Clear()
	mustPanic(t, "stop", func() { NewN(&p, 1000, func(_ Handle[int], span []int) { panic("stop") }) })
	if p.Len() != run {
		t.Errorf("%d values after a panic at the first run", p.Len())
	}

	var d Dense[int]
	calls := 0
	if n := DenseNewN(&d, 100, func(first Handle[int], span []int) {
		calls++
		d.Delete(first)
		d.Insert(1)
	}); n != 100 || calls != runs || d.Len() != 100 {
		t.Errorf("%d made in %d calls, %d left", n, calls, d.Len())
	}
	d.checkInvariants()
	if d.Clear(); DenseNewN(&d, 7, nil) != 7 || NewN(&p, 7, nil) != 7 || d.Len() != 7 || p.Len() != 7+run {
		t.Errorf("%d and %d values", d.Len(), p.Len())
	}
	small := NewDense[int](DenseConfig{Limit: 10})
	if n := DenseNewN(small, 1<<20, nil); n != 10 || small.Stats().Bytes > 1<<14 {
		t.Errorf("%d made within a limit of 10, %+v", n, small.Stats())
	}
	// Each insert removes the first value, so that the new one moves there.
	moving := NewDense[int](DenseConfig{Defrag: DefragImmediate})
	DenseSetHooks(moving, Hooks[int]{OnInsert: func(h Handle[int], _ *int) {
		if first, _ := moving.At(0); first != h {
			moving.Delete(first)
		}
	}})
	if n := DenseNewN(moving, 3, func(h Handle[int], span []int) {
		if &span[0] != moving.Ptr(h) {
			t.Errorf("the span of %v is elsewhere", h)
		}
	}); n != 3 || moving.Len() != 1 {
		t.Errorf("%d made, %d left", n, moving.Len())
	}
	mustPanic(t, "berth: NewN: n must not be negative (got -1)", func() { NewN(&p, -1, nil) })
	mustPanic(t, "berth: DenseNewN: n must not be negative (got -1)", func() { DenseNewN(&d, -1, nil) })
	hs := make([]Handle[int], 1)
	mustPanic(t, "berth: InsertAll: hs must be nil or as long as vs (got 1)",
		func() { InsertAll(&p, []int{1, 2}, hs) })
	mustPanic(t, "berth: DenseInsertAll: hs must be nil or as long as vs (got 1)",
		func() { DenseInsertAll(&d, []int{1, 2}, hs) })
	mustPanic(t, "berth: NewN: more than ", func() { NewN(&p, math.MaxInt, nil) })
	mustPanic(t, "berth: DenseNewN: more than ",
		func() { DenseNewN(&d, math.MaxInt, nil) })
	if n := InsertAll(&p, []int{1, 2}, nil) + DenseInsertAll(&d, nil, nil); n != 2 {
		t.Errorf("%d inserted", n)
	}
}
