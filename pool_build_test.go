package berth

import (
	"errors"
	"iter"
	"runtime"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
)

// seqTakers returns a zero one and a limited one of each kind.
func seqTakers(limit int) map[string]store[int] {
	return map[string]store[int]{
		"Pool":  NewPool[int](Config{Limit: limit}),
		"Dense": NewDense[int](DenseConfig{Limit: limit}),
	}
}

func insertSeq(c store[int], seq iter.Seq[int]) int {
	if p, ok := c.(*Pool[int]); ok {
		return InsertSeq(p, seq)
	}
	return DenseInsertSeq(c.(*Dense[int]), seq)
}

// A sequence may use the container, loop over it, and panic.
func TestInsertSeqThatChanges(t *testing.T) {
	for name, c := range seqTakers(50) {
		c.Insert(1)
		insertSeq(c, func(yield func(int) bool) {
			for v := range c.Values() {
				if !yield(*v + 1) {
					return
				}
			}
		})
		if n := c.Len(); n < 2 || n > 50 {
			t.Errorf("%s: %d values after a loop over itself", name, n)
		}
		c.checkInvariants()
		c.Clear()
		got := insertSeq(c, func(yield func(int) bool) {
			for i := range 100 {
				if i%3 == 2 {
					c.Clear()
				}
				if !yield(i) {
					return
				}
			}
		})
		if got != 100 || c.Len() != 2 {
			t.Errorf("%s: InsertSeq = %d with %d left, while the sequence clears", name, got, c.Len())
		}
		c.Clear()
		wantPanic(t, "seq", func() {
			insertSeq(c, func(yield func(int) bool) { yield(1); yield(2); panic("seq") })
		})
		if c.Len() != 2 {
			t.Errorf("%s: %d values after a panic in the sequence", name, c.Len())
		}
		c.checkInvariants()
	}
}

// InsertFunc allocates no more than Insert, except for one object the first time, and when more
// than four calls are nested. Clip and Clone do not change that.
func TestPoolInsertFuncAllocates(t *testing.T) {
	nest := func(p *Pool[int], depth int) int {
		var f func(Handle[int], *int)
		f = func(Handle[int], *int) {
			if depth--; depth > 0 {
				p.InsertFunc(f)
			}
		}
		n, _ := mallocs(func() { p.InsertFunc(f) })
		return n
	}
	p := NewPool[int](Config{Capacity: 200})
	q := NewPool[int](Config{Capacity: 200})
	q.Insert(1)
	q.Clip()
	for name, p := range map[string]*Pool[int]{"new": p, "after Clip": q, "a clone": q.Clone()} {
		if n := nest(p, 1); n > 1 {
			t.Errorf("%s: the first call of InsertFunc allocates %d times", name, n)
		}
		for _, depth := range []int{1, 4} {
			if n := nest(p, depth); n != 0 {
				t.Errorf("%s: %d calls of InsertFunc allocate %d times", name, depth, n)
			}
		}
		if n := nest(p, 5); n != 1 {
			t.Errorf("%s: five nested calls allocate %d times, want once", name, n)
		}
	}
}

func TestPoolInsertFuncFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("x") }, "Goexit": runtime.Goexit} {
		var p Pool[*int]
		done := make(chan bool)
		var built Handle[*int]
		go func() {
			defer close(done)
			defer func() { _ = recover() }()
			p.InsertFunc(func(h Handle[*int], v **int) {
				built = h
				*v = new(int)
				p.Insert(nil)
				p.InsertFunc(func(Handle[*int], **int) { p.Clear(); p.Clip() })
				fail()
			})
		}()
		<-done
		p.checkInvariants()
		if p.Contains(built) || p.Len() != 1 {
			t.Errorf("%s: Contains %v, Len %d", name, p.Contains(built), p.Len())
		}
		h := p.Insert(nil)
		if h.id.Index != built.id.Index {
			t.Errorf("%s: the slot is not the lowest vacant one: %v, want that of %v", name, h, built)
		}
		if h == built || p.Contains(built) {
			t.Errorf("%s: the handle that the failed f was given, %v, finds another value", name, built)
		}
	}
}

// A failed construction costs a life, and the last one retires the slot.
func TestPoolRetiresFailedSlots(t *testing.T) {
	p := NewPool[int](Config{Capacity: 1})
	age(p, 1)
	slots := p.Cap()
	for range slots {
		mustPanic(t, "no", func() { p.InsertFunc(func(Handle[int], *int) { panic("no") }) })
	}
	p.checkInvariants()
	if s := p.Stats(); s.Retired != slots || s.Vacant != 0 {
		t.Errorf("Stats() = %+v, want %d retired", s, slots)
	}
}

// Each verb finds the last vacant slot of a block without values, whose other slots are under
// construction, and the next verb skips no block.
func TestLastSlotBesideBuilding(t *testing.T) {
	for name, insert := range map[string]func(p *Pool[int]) Handle[int]{
		"Insert": func(p *Pool[int]) Handle[int] { return p.Insert(1) },
		"New": func(p *Pool[int]) Handle[int] {
			h, _ := p.New()
			return h
		},
	} {
		p := NewPool[int](Config{Truncate: TruncateLength})
		var hs []Handle[int]
		for i := range 2*slots.BlockSlots - 1 {
			hs = append(hs, p.Insert(i))
		}
		for _, h := range hs[:slots.BlockSlots] {
			p.Delete(h)
		}
		var build func(n int)
		build = func(n int) {
			if n == 0 {
				if got := p.IndexOf(insert(p)); got != slots.BlockSlots-1 {
					t.Errorf("%s takes slot %d", name, got)
				}
				p.checkInvariants()
				return
			}
			p.InsertFunc(func(Handle[int], *int) { build(n - 1) })
		}
		build(slots.BlockSlots - 1)
		p.checkInvariants()
	}
}

// InsertErr inserts nothing if f fails: no hook is called, and the slot is as before.
func TestInsertErr(t *testing.T) {
	no := errors.New("no")
	for name, c := range map[string]any{
		"Pool": NewPool[int](Config{Limit: 3, Seed: 1}), "Dense": NewDense[int](DenseConfig{Limit: 3, Seed: 1}),
	} {
		insert := func(f func(Handle[int], *int) error) (h Handle[int], err error) {
			either(c, func(p *Pool[int]) int { h, err = InsertErr(p, f); return 0 },
				func(d *Dense[int]) int { h, err = DenseInsertErr(d, f); return 0 })
			return h, err
		}
		x := c.(store[int])
		events := 0
		SetHooksAny(c, Hooks[int]{
			OnInsert: func(Handle[int], *int) { events++ }, OnRemove: func(Handle[int], *int) { events++ },
		})
		var given Handle[int]
		for range 5 {
			h, err := insert(func(h Handle[int], v *int) error {
				if *v != 0 {
					t.Errorf("%s: f gets %d", name, *v)
				}
				given, *v = h, 7
				return no
			})
			if !errors.Is(err, no) || !h.IsZero() || x.Len() != 0 || events != 0 {
				t.Fatalf("%s: %v, %v; %d values, %d events", name, h, err, x.Len(), events)
			}
			x.checkInvariants()
		}
		h, err := insert(func(h Handle[int], v *int) error { *v = 8; return nil })
		if err != nil || h == given || x.Len() != 1 || events != 1 {
			t.Fatalf("%s: %v, %v after %v; %d values, %d events", name, h, err, given, x.Len(), events)
		}
		x.Insert(1)
		x.Insert(2)
		if h, err = insert(func(Handle[int], *int) error { t.Error("f is called"); return nil }); !errors.Is(err, ErrFull) || !h.IsZero() {
			t.Errorf("%s: at Limit: %v, %v", name, h, err)
		}
		x.Clear()
		mustPanic(t, "stop", func() { _, _ = insert(func(Handle[int], *int) error { panic("stop") }) })
		x.checkInvariants()
		if x.Len() != 0 {
			t.Errorf("%s: %d values after a panic", name, x.Len())
		}
	}
}
