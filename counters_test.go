package berth

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// counting plays random calls on c, and counts.
type counting struct {
	t                *testing.T
	rng              *rand.Rand
	c                store[int]
	hs               []Handle[int]
	inserts, removes uint64
}

func (m *counting) check(what string) {
	m.t.Helper()
	s := m.c.Stats()
	if s.Inserts != m.inserts || s.Removes != m.removes || s.Inserts != s.Removes+uint64(s.Live) {
		m.t.Fatalf("after %s: %+v, want %d inserts and %d removals", what, s, m.inserts, m.removes)
	}
	if s.Grown < uint64(s.Chunks) || s.Truncated > s.Grown {
		m.t.Fatalf("after %s: %+v, fewer chunks made than there are", what, s)
	}
}

// pick takes a handle out of hs.
func (m *counting) pick() Handle[int] {
	i := m.rng.IntN(len(m.hs))
	h := m.hs[i]
	m.hs[i] = m.hs[len(m.hs)-1]
	m.hs = m.hs[:len(m.hs)-1]
	return h
}

// caught calls f, which panics.
func (m *counting) caught(f func()) {
	defer func() { _ = recover() }()
	f()
}

func (m *counting) step() string {
	switch op := m.rng.IntN(40); {
	case op < 12 || len(m.hs) == 0:
		m.hs = append(m.hs, m.c.Insert(op))
		m.inserts++
		return "Insert"
	case op < 16:
		h, _ := m.c.New()
		m.hs = append(m.hs, h)
		m.inserts++
		return "New"
	case op < 22:
		m.c.Remove(m.pick())
		m.removes++
		return "Remove"
	case op < 28:
		m.c.Delete(m.pick())
		m.removes++
		return "Delete"
	case op < 30:
		m.hs = append(m.hs, m.c.InsertFunc(func(Handle[int], *int) {}))
		m.inserts++
		return "InsertFunc"
	case op < 31:
		m.caught(func() { m.c.InsertFunc(func(Handle[int], *int) { panic("no") }) })
		return "InsertFunc that panics"
	case op < 32:
		SetHooksAny(m.c, Hooks[int]{OnInsert: func(Handle[int], *int) { panic("no") }})
		m.caught(func() { m.c.Insert(op) })
		SetHooksAny(m.c, Hooks[int]{})
		m.inserts++
		m.removes++
		return "OnInsert that panics"
	case op < 33:
		h := m.pick()
		m.c.Remove(h)
		if err := InsertAtAny(m.c, h, 1); err != nil {
			m.t.Fatal(err)
		}
		m.hs = append(m.hs, h)
		m.inserts++
		m.removes++
		return "InsertAt"
	case op < 34 && m.rng.IntN(8) == 0:
		m.removes += uint64(RemoveFuncAny(m.c, func(Handle[int], *int) bool { return true }))
		m.hs = m.hs[:0]
		return "RemoveFunc"
	case op < 35 && m.rng.IntN(8) == 0:
		m.removes += uint64(m.c.Len())
		m.hs = m.hs[:0]
		if m.rng.IntN(2) == 0 {
			SetHooksAny(m.c, Hooks[int]{OnRemove: func(Handle[int], *int) {}})
		}
		m.c.Clear()
		SetHooksAny(m.c, Hooks[int]{})
		return "Clear"
	case op < 36:
		m.c.Clip()
		return "Clip"
	case op < 37:
		m.c.Grow(m.rng.IntN(300))
		return "Grow"
	}
	n := m.rng.IntN(300)
	for range n {
		m.hs = append(m.hs, m.c.Insert(1))
	}
	m.inserts += uint64(n)
	return "many inserts"
}

// TestCounters counts inserts and removals beside a Pool and a Dense.
func TestCounters(t *testing.T) {
	for seed := range uint64(12) {
		mode := TruncateMemory + Truncate(seed%3)
		for name, c := range map[string]store[int]{
			"Pool":  NewPool[int](Config{Seed: 1, Truncate: mode}),
			"Dense": NewDense[int](DenseConfig{Seed: 1, Defrag: Defrag(seed % 3)}),
		} {
			m := &counting{t: t, rng: rand.New(rand.NewPCG(seed, 5)), c: c}
			m.check("nothing")
			for range 300 {
				m.check(name + ": " + m.step())
			}
			data, err := c.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			s := c.Stats()
			if s.Inserts != uint64(s.Live) || s.Removes != 0 || s.Grown != uint64(s.Chunks) || s.Truncated != 0 {
				t.Fatalf("%s: loaded: %+v", name, s)
			}
			m.inserts, m.removes = uint64(m.c.Len()), 0
			for range 100 {
				m.check(name + ": " + m.step())
			}
		}
	}
}

// TestCountersOfCopies checks that Clone, CopyFrom and Rewind take the counters along, and that a
// load by any method starts them anew.
func TestCountersOfCopies(t *testing.T) {
	var p, r Pool[int]
	var d, e Dense[int]
	for i := range 1000 {
		p.Delete(p.Insert(i))
		d.Delete(d.Insert(i))
		p.Insert(i)
		d.Insert(i)
	}
	counters := func(s Stats) string {
		return fmt.Sprint(s.Live, s.Inserts, s.Removes, s.Grown, s.Truncated)
	}
	want, dense := counters(p.Stats()), counters(d.Stats())
	r.Insert(1)
	e.Insert(1)
	r.CopyFrom(&p)
	e.CopyFrom(&d)
	for got, want := range map[string]string{
		"Clone " + counters(p.Clone().Stats()):       "Clone " + want,
		"CopyFrom " + counters(r.Stats()):            "CopyFrom " + want,
		"Dense.Clone " + counters(d.Clone().Stats()): "Dense.Clone " + dense,
		"Dense.CopyFrom " + counters(e.Stats()):      "Dense.CopyFrom " + dense,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	ph, dh := NewHistory(&p, HistoryConfig{Frames: 2}), NewDenseHistory(&d, HistoryConfig{Frames: 2})
	pf, df := ph.Mark(), dh.Mark()
	p.Clear()
	d.Clear()
	for i := range 5000 {
		p.Insert(i)
		d.Insert(i)
	}
	p.Clear()
	p.Clip()
	d.Clear()
	d.Clip()
	if p.Stats().Inserts != 7000 || d.Stats().Inserts != 7000 || p.Stats().Truncated == 0 || d.Stats().Truncated == 0 {
		t.Fatalf("before Rewind: %+v, %+v", p.Stats(), d.Stats())
	}
	if err := ph.Rewind(pf); err != nil || counters(p.Stats()) != want {
		t.Errorf("Rewind: %v, %s, want %s", err, counters(p.Stats()), want)
	}
	if err := dh.Rewind(df); err != nil || counters(d.Stats()) != dense {
		t.Errorf("Rewind: %v, %s, want %s", err, counters(d.Stats()), dense)
	}
	text, err := p.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.UnmarshalJSON(text); err != nil || r.Stats().Inserts != 1000 || r.Stats().Removes != 0 {
		t.Errorf("loaded from JSON: %v, %+v", err, r.Stats())
	}
	if text, err = d.MarshalJSON(); err != nil {
		t.Fatal(err)
	}
	if err := e.UnmarshalJSON(text); err != nil || e.Stats().Inserts != 1000 || e.Stats().Removes != 0 ||
		e.Stats().Grown != uint64(e.Stats().Chunks) || e.Stats().Truncated != 0 {
		t.Errorf("loaded from JSON: %v, %+v", err, e.Stats())
	}
}

// Clip moves the values to new memory, also inside a loop, and counts both that and what they
// leave.
func TestCountersOfClipInLoop(t *testing.T) {
	d := newDense(DenseConfig{}, 1000)
	d.Remove(handleAt(d, 0))
	d.Clip()
	d.Remove(handleAt(d, 0))
	was := d.Stats()
	for range d.All() {
		d.Remove(handleAt(d, 0))
		d.Clip()
		break
	}
	if s := d.Stats(); s.Grown != was.Grown+1 || s.Truncated != was.Truncated+1 {
		t.Errorf("%+v after %+v, want one chunk more made, and one released", s, was)
	}
}

// TestStatsLimit checks the Limit of Stats, also while InsertFunc has lowered it for others.
func TestStatsLimit(t *testing.T) {
	var zero Pool[int]
	if l := zero.Stats().Limit; l != 0 {
		t.Errorf("Limit %d of the zero Pool", l)
	}
	if zero.Insert(1); zero.Stats().Limit != 0 {
		t.Errorf("Limit %d of the zero Pool", zero.Stats().Limit)
	}
	p, d := NewPool[int](Config{Limit: 3}), NewDense[int](DenseConfig{Limit: 4})
	in := func(Handle[int], *int) {
		if p.Stats().Limit != 3 || d.Stats().Limit != 4 {
			t.Errorf("Limit %d and %d, want 3 and 4", p.Stats().Limit, d.Stats().Limit)
		}
	}
	p.InsertFunc(in)
	d.InsertFunc(in)
	in(Handle[int]{}, nil)
}
