package berth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/long"
)

// columnRow is what the model of a Pool with two Columns knows of a value.
type columnRow struct {
	v int
	a *string
	b *[2]int
}

// columnModel plays the same calls on a Pool with two Columns and on a map.
type columnModel struct {
	t    testing.TB
	p    *Pool[int]
	a    *Column[string, int]
	b    *Column[[2]int, int]
	rows map[Handle[int]]columnRow
	hs   []Handle[int] // live and stale
	step int
}

func newColumnModel(t testing.TB, kind byte) *columnModel {
	m := &columnModel{t: t, rows: map[Handle[int]]columnRow{}}
	m.p = NewPool[int](Config{Seed: uint32(kind)%5 + 1, Truncate: TruncateMemory + Truncate(kind/8%3)})
	if kind&4 != 0 {
		SetHooks(m.p, Hooks[int]{OnRemove: func(h Handle[int], _ *int) {
			if m.a.Contains(h) || m.b.Ptr(h) != nil || m.a.Set(h, "x") {
				t.Error("OnRemove finds a V of the removed value")
			}
		}})
	}
	m.a, m.b = NewColumn[string](m.p), NewColumn[[2]int](m.p)
	return m
}

// pick returns a handle that was issued, stale or not.
func (m *columnModel) pick(x byte) Handle[int] {
	if len(m.hs) == 0 {
		return Handle[int]{}
	}
	return m.hs[(int(x)*257+m.step)%len(m.hs)]
}

func (m *columnModel) insert(v int) Handle[int] {
	h := m.p.Insert(v)
	m.hs = append(m.hs, h)
	m.rows[h] = columnRow{v: v}
	return h
}

func (m *columnModel) setA(h Handle[int], v string) {
	row, live := m.rows[h]
	if m.a.Set(h, v) != live {
		m.t.Fatalf("step %d: Set of %v is not %v", m.step, h, live)
	}
	if live {
		row.a = &v
		m.rows[h] = row
	}
}

func (m *columnModel) setB(h Handle[int], v [2]int) {
	row, live := m.rows[h]
	if m.b.Set(h, v) != live {
		m.t.Fatalf("step %d: Set of %v is not %v", m.step, h, live)
	}
	if live {
		row.b = &v
		m.rows[h] = row
	}
}

func (m *columnModel) deleteA(h Handle[int]) {
	row := m.rows[h]
	v, has := m.a.Get(h)
	if ok := m.a.Delete(h); ok != has || ok != (row.a != nil) || ok && v != *row.a {
		m.t.Fatalf("step %d: Get = %q, %v, Delete = %v", m.step, v, has, ok)
	}
	if row.a != nil {
		row.a = nil
		m.rows[h] = row
	}
}

func (m *columnModel) remove(h Handle[int]) {
	if m.p.Delete(h) {
		delete(m.rows, h)
	}
}

// play does what the byte op says, with the argument x.
func (m *columnModel) play(op, x byte) {
	m.step++
	switch op % 20 {
	case 0, 1, 2:
		m.insert(m.step)
	case 3:
		m.remove(m.pick(x))
	case 4:
		h := m.pick(x)
		if _, ok := m.p.Remove(h); ok {
			delete(m.rows, h)
		}
	case 5, 6, 7:
		m.setA(m.pick(x), fmt.Sprint("a", m.step))
	case 8, 9:
		m.setB(m.pick(x), [2]int{m.step, 1})
	case 10:
		m.deleteA(m.pick(x))
	case 11:
		if h := m.pick(x); m.b.Ptr(h) != nil {
			m.b.Ptr(h)[1] = m.step
			row := m.rows[h]
			row.b = &[2]int{row.b[0], m.step}
			m.rows[h] = row
		}
	case 12: // a spike
		for range int(x) * 2 {
			h := m.insert(m.step)
			if x&1 != 0 {
				m.setA(h, "spike")
			}
			if x&2 != 0 {
				m.setB(h, [2]int{})
			}
		}
	case 13: // and its end
		m.p.RemoveFunc(func(h Handle[int], v *int) bool {
			if (*v+int(h.Uint64()))%(int(x)+2) == 0 {
				return false
			}
			delete(m.rows, h)
			return true
		})
	case 14:
		m.playRarely(x)
	case 15:
		m.playLoop(x)
	case 16:
		built := m.p.InsertFunc(func(h Handle[int], v *int) {
			*v = m.step
			if m.a.Set(h, "pending") || m.a.Contains(h) {
				m.t.Fatal("Set finds a value under construction")
			}
		})
		m.hs, m.rows[built] = append(m.hs, built), columnRow{v: m.step}
	case 17: // Vs that come and go, far apart
		for range 5 {
			h := m.pick(x)
			m.setA(h, "soon gone")
			m.deleteA(h)
		}
	case 18:
		for h := range Drain(m.p) {
			delete(m.rows, h)
			if x--; x%8 == 0 {
				break
			}
		}
	case 19:
		for h := range m.a.All() {
			m.deleteA(h)
		}
	}
}

func (m *columnModel) playRarely(x byte) {
	switch x % 8 {
	case 0:
		m.p.Clear()
		clear(m.rows)
	case 1:
		m.p.Clip()
	case 2:
		m.a.Clear()
		for h, row := range m.rows {
			row.a = nil
			m.rows[h] = row
		}
	case 3: // a clone has all, and no more
		q := m.p.Clone()
		a, b := m.a.CloneTo(q), m.b.CloneTo(q)
		(&columnModel{t: m.t, p: q, a: a, b: b, rows: m.rows, step: m.step}).check()
		for h := range m.rows {
			m.p.Delete(h)
			delete(m.rows, h)
			break
		}
		m.a.CopyFrom(a) // all but the value just removed
		m.b.CopyFrom(b)
	case 4:
		m.a.Close()
		m.a.checkInvariants()
		m.a = NewColumn[string](m.p)
		for h, row := range m.rows {
			row.a = nil
			m.rows[h] = row
		}
	case 5:
		q := m.p.Clone()
		q.Insert(1)
		q.CopyFrom(m.p)
		m.p.CopyFrom(q)
		if m.a.Len()+m.b.Len() != 0 {
			m.t.Fatal("CopyFrom leaves a V in a Column of the receiver")
		}
		for h, row := range m.rows {
			m.rows[h] = columnRow{v: row.v}
		}
	case 6:
		m.p.Grow(200)
	case 7: // all but the value under construction get a V
		m.p.InsertFunc(func(h Handle[int], v *int) {
			*v = m.step
			SetAll(m.a, "all")
			for h, row := range m.rows {
				if row.a == nil {
					all := "all"
					row.a = &all
					m.rows[h] = row
				}
			}
			m.hs, m.rows[h] = append(m.hs, h), columnRow{v: m.step}
		})
	}
}

// playLoop changes everything inside a join.
func (m *columnModel) playLoop(x byte) {
	seen := map[*string]bool{}
	steps := 0
	for v, a := range m.a.Join() {
		if seen[a] && *a != "inside" {
			m.t.Fatal("Join visits a V twice")
		}
		seen[a] = true
		var self Handle[int]
		for h, b := range m.a.All() {
			if b == a {
				self = h
			}
		}
		if m.p.Ptr(self) != v || m.rows[self].a == nil || *m.rows[self].a != *a {
			m.t.Fatalf("Join visits %v, with %q", self, *a)
		}
		x = x*5 + 3
		switch x % 8 {
		case 0:
			m.deleteA(self)
		case 1:
			m.remove(self)
		case 2:
			m.remove(m.pick(x))
			m.setA(m.insert(m.step), "inside")
		case 3: // all that is left of the block goes, and another block takes its memory
			for h := range m.a.All() {
				m.deleteA(h)
			}
			m.setA(m.pick(x), "inside")
		case 4:
			m.setA(m.insert(m.step), "inside")
		}
		if steps++; steps > 40 {
			break
		}
	}
}

// check compares all of both.
func (m *columnModel) check() {
	m.t.Helper()
	m.a.checkInvariants()
	m.b.checkInvariants()
	var na, nb, both, only int
	for h, row := range m.rows {
		a, okA := m.a.Get(h)
		b, okB := m.b.Get(h)
		if okA != (row.a != nil) || okA && a != *row.a || okB != (row.b != nil) || okB && b != *row.b {
			m.t.Fatalf("step %d: %v has %q %v, %v %v, want %+v", m.step, h, a, okA, b, okB, row)
		}
		if okA {
			na++
		}
		if okB {
			nb++
		}
		if okA && okB {
			both++
		}
		if okA && !okB {
			only++
		}
	}
	if m.a.Len() != na || m.b.Len() != nb || m.a.Stats().Live != na {
		m.t.Fatalf("step %d: %d and %d Vs, want %d and %d", m.step, m.a.Len(), m.b.Len(), na, nb)
	}
	for _, h := range m.hs[max(0, len(m.hs)-50):] {
		if _, live := m.rows[h]; !live && (m.a.Ptr(h) != nil || m.b.Contains(h)) {
			m.t.Fatalf("step %d: the stale %v has a V", m.step, h)
		}
	}
	m.checkLoops(na, both, only)
}

// checkLoops compares every loop with All of the Pool filtered by Ptr.
func (m *columnModel) checkLoops(n, both, only int) {
	m.t.Helper()
	var handles []Handle[int]
	var values []*int
	var as []*string
	for h, v := range m.p.All() {
		if a := m.a.Ptr(h); a != nil {
			handles, values, as = append(handles, h), append(values, v), append(as, a)
		}
	}
	i := 0
	for h, a := range m.a.All() {
		if h != handles[i] || a != as[i] {
			m.t.Fatalf("All: %v at %d, want %v", h, i, handles[i])
		}
		i++
	}
	if got := slices.Collect(m.a.Values()); i != n || !slices.Equal(got, as) {
		m.t.Fatalf("All visits %d and Values %d of %d", i, len(got), n)
	}
	i = 0
	for v, a := range m.a.Join() {
		if v != values[i] || a != as[i] {
			m.t.Fatalf("Join: %d is wrong", i)
		}
		i++
	}
	if i != n {
		m.t.Fatalf("Join visits %d of %d", i, n)
	}
	i = 0
	for vs, s := range m.a.JoinSpans() {
		if len(vs) != len(s) || len(s) == 0 || cap(s) != len(s) || cap(vs) != len(vs) {
			m.t.Fatalf("JoinSpans: %d and %d", len(vs), len(s))
		}
		for j := range s {
			if &vs[j] != values[i] || &s[j] != as[i] {
				m.t.Fatalf("JoinSpans: %d is wrong", i)
			}
			i++
		}
	}
	if i != n {
		m.t.Fatalf("JoinSpans visits %d of %d", i, n)
	}
	i, all := 0, both
	for a, b := range Join2(m.a, m.b) {
		for i < n && as[i] != a { // in the same order
			i++
		}
		if i == n || m.b.Ptr(handles[i]) != b {
			m.t.Fatal("Join2 yields a wrong pair")
		}
		both--
	}
	three := 0
	i = 0
	for v, ab := range Join3(m.a, m.b) {
		for i < n && as[i] != ab.A {
			i++
		}
		if i == n || values[i] != v || m.b.Ptr(handles[i]) != ab.B {
			m.t.Fatal("Join3 yields a wrong triple")
		}
		three++
	}
	if three != all {
		m.t.Fatalf("Join3 visits %d of %d", three, all)
	}
	last := -1
	for h, a := range Without(m.a, m.b) {
		at := slices.Index(handles, h)
		if at <= last || as[at] != a || m.b.Contains(h) {
			m.t.Fatalf("Without yields %v", h)
		}
		last = at
		only--
	}
	if both != 0 || only != 0 {
		m.t.Fatalf("Join2 and Without lack %d and %d", both, only)
	}
}

// playColumns plays the bytes, two at a time.
func playColumns(t testing.TB, data []byte) {
	if len(data) == 0 {
		return
	}
	m := newColumnModel(t, data[0])
	for data = data[1:]; len(data) >= 2; data = data[2:] {
		m.play(data[0], data[1])
		m.check()
	}
}

func TestColumnModel(t *testing.T) {
	seeds := 8
	if long.On {
		seeds = 64
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		data := make([]byte, 601)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		data[0] = byte(seed)
		playColumns(t, data)
	}
}

func FuzzColumn(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		playColumns(t, data[:min(len(data), 400)])
	})
}
