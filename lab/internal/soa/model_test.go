package soa

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
)

// generated is what soagen generates for a struct V whose handles are H.
type generated[V any, H comparable] interface {
	Insert(V) H
	Get(H) (V, bool)
	Set(H, V) bool
	Remove(H) (V, bool)
	Delete(H) bool
	Contains(H) bool
	Len() int
	Cap() int
	String() string
	PlaceOf(H) int
	HandleAt(int) H
	All() iter.Seq2[H, V]
	Handles() iter.Seq[H]
	RemoveFunc(func(int) bool) int
	Sort(func(i, k int) int)
	Defrag() int
	Grow(int)
	Clip()
	Clear()
}

// kit is a generated container for the model below.
type kit[C generated[V, H], V comparable, H comparable] struct {
	fresh    func(config) C // nil makes the zero container
	clone    func(C) C
	copyFrom func(C, C)
	columns  func(C) ([]V, []int) // the rows that the columns make, and the lengths of all columns
	write    func(C, int, int)    // writes a number to one column at an index
	number   func(V) int          // that number
	value    func(int) V          // a value of its own for each number
	holed    func(C) bool         // whether Cols would panic
}

// config is the part of the generated configurations that the model uses.
type config struct {
	capacity, limit int
	defrag          berth.Defrag
}

// model plays calls on a container and on a map. After each call, all columns have the same length,
// and each handle finds the same row in all of them.
type model[C generated[V, H], V comparable, H comparable] struct {
	t     testing.TB
	kit   kit[C, V, H]
	c     C
	rows  map[H]V
	hs    []H // all that were issued
	limit int
	step  int
}

func (m *model[C, V, H]) pick(x byte) (h H) {
	if len(m.hs) == 0 {
		return h
	}
	return m.hs[(int(x)*257+m.step)%len(m.hs)]
}

func (m *model[C, V, H]) insert() {
	v := m.kit.value(m.step)
	h := m.c.Insert(v)
	var zero H
	if full := m.limit > 0 && len(m.rows) == m.limit; full != (h == zero) {
		m.t.Fatalf("step %d: Insert returned %v with %d of %d", m.step, h, len(m.rows), m.limit)
	}
	if h == zero {
		return
	}
	if got, ok := m.c.Get(h); got != v || !ok {
		m.t.Fatalf("step %d: Get(Insert(%v)) = %v, %t", m.step, v, got, ok)
	}
	m.rows[h] = v
	m.hs = append(m.hs, h)
}

func (m *model[C, V, H]) remove(h H, whole bool) {
	want, live := m.rows[h]
	if whole {
		if v, ok := m.c.Remove(h); v != want || ok != live {
			m.t.Fatalf("step %d: Remove = %v, %t, want %v, %t", m.step, v, ok, want, live)
		}
	} else if ok := m.c.Delete(h); ok != live {
		m.t.Fatalf("step %d: Delete = %t, want %t", m.step, ok, live)
	}
	delete(m.rows, h)
}

// play plays one call.
func (m *model[C, V, H]) play(op, x byte) {
	m.step++
	h := m.pick(x)
	_, live := m.rows[h]
	switch op % 12 {
	case 0, 1, 2:
		m.insert()
	case 3, 4:
		m.remove(h, x&1 != 0)
	case 5:
		v := m.kit.value(m.step)
		if ok := m.c.Set(h, v); ok != live {
			m.t.Fatalf("step %d: Set = %t, want %t", m.step, ok, live)
		}
		if live {
			m.rows[h] = v
		}
	case 6:
		for range int(x) {
			m.insert()
		}
	case 7:
		m.removeFunc(int(x)%5 + 2)
	case 8:
		m.sort(int(x)%9 + 1)
	case 9:
		m.rarely(x)
	case 10: // removals and inserts inside a loop
		for h := range m.c.Handles() {
			if x = x*5 + 3; x&4 != 0 {
				m.remove(h, x&8 != 0)
			}
			if x&48 == 48 {
				m.insert()
			}
		}
	case 11:
		m.c.Defrag()
		m.writeColumn()
	}
}

// removeFunc keeps each n-th value, and writes to a column meanwhile.
func (m *model[C, V, H]) removeFunc(n int) {
	before, next, want := m.c.Len(), 0, 0
	got := m.c.RemoveFunc(func(i int) bool {
		if i != next || m.c.Len() != before {
			m.t.Fatalf("step %d: index %d of %d, want %d of %d", m.step, i, m.c.Len(), next, before)
		}
		next++
		h := m.c.HandleAt(i)
		if i%n == 0 {
			m.kit.write(m.c, i, m.step)
			m.rows[h], _ = m.c.Get(h)
			return false
		}
		delete(m.rows, h)
		want++
		return true
	})
	if got != want || next != before {
		m.t.Fatalf("step %d: RemoveFunc removed %d and visited %d, want %d and %d",
			m.step, got, next, want, before)
	}
}

// sort sorts by the numbers in one column, which are equal for many values.
func (m *model[C, V, H]) sort(n int) {
	m.c.Defrag()
	rows, _ := m.kit.columns(m.c)
	want := slices.Clone(rows)
	by := func(a, b V) int { return cmp.Compare(m.kit.number(a)%n, m.kit.number(b)%n) }
	slices.SortStableFunc(want, by)
	m.c.Sort(func(i, k int) int { return by(rows[i], rows[k]) })
	if got, _ := m.kit.columns(m.c); !slices.Equal(got, want) {
		m.t.Fatalf("step %d: Sort made %v of %v", m.step, got, rows)
	}
}

// writeColumn writes through the slices of one column.
func (m *model[C, V, H]) writeColumn() {
	for i := range m.c.Len() {
		m.kit.write(m.c, i, m.step+i)
		h := m.c.HandleAt(i)
		v, _ := m.c.Get(h)
		if m.kit.number(v) != m.step+i {
			m.t.Fatalf("step %d: a write through Cols at %d is lost: %v", m.step, i, v)
		}
		m.rows[h] = v
	}
}

func (m *model[C, V, H]) rarely(x byte) {
	switch x % 7 {
	case 0:
		m.c.Clear()
		clear(m.rows)
	case 1:
		m.c.Clip()
	case 2:
		m.c.Defrag()
		if m.kit.holed(m.c) {
			m.t.Fatalf("step %d: Defrag left holes", m.step)
		}
	case 3:
		m.c.Grow(int(x))
		if n := m.c.Cap(); n < m.c.Len()+int(x) && m.limit == 0 {
			m.t.Fatalf("step %d: after Grow(%d), there is room for %d of %d", m.step, x, n, m.c.Len())
		}
	case 4: // go on with the clone, which must not change when the original does
		q := m.kit.clone(m.c)
		for h := range m.c.Handles() {
			m.c.Set(h, m.kit.value(-1))
		}
		m.c.Insert(m.kit.value(-2))
		m.c = q
	case 5: // what is overwritten does not come back
		q := m.kit.clone(m.c)
		for i := range int(x) % 50 {
			q.Insert(m.kit.value(-i))
		}
		m.kit.copyFrom(q, m.c)
		m.kit.copyFrom(q, q)
		m.kit.copyFrom(m.c, q)
	case 6:
		var zero C
		zero = m.kit.clone(m.kit.fresh(config{}))
		zero.Insert(m.kit.value(-1))
		m.kit.copyFrom(zero, m.kit.fresh(config{}))
		if n := zero.Len(); n != 0 {
			m.t.Fatalf("step %d: a copy of nothing has %d values", m.step, n)
		}
	}
}

// check compares all of the container with the map.
func (m *model[C, V, H]) check() {
	m.t.Helper()
	if m.c.Len() != len(m.rows) {
		m.t.Fatalf("step %d: %d values, want %d", m.step, m.c.Len(), len(m.rows))
	}
	n := 0
	for h, v := range m.c.All() {
		if want, ok := m.rows[h]; v != want || !ok {
			m.t.Fatalf("step %d: All has %v, want %v, %t", m.step, v, want, ok)
		}
		n++
	}
	if n != len(m.rows) {
		m.t.Fatalf("step %d: All visited %d of %d", m.step, n, len(m.rows))
	}
	for _, h := range m.hs[max(0, len(m.hs)-30):] {
		want, live := m.rows[h]
		if v, ok := m.c.Get(h); ok != live || v != want || m.c.Contains(h) != live ||
			m.c.PlaceOf(h) >= 0 != live {
			m.t.Fatalf("step %d: Get = %v, %t, want %v, %t", m.step, v, ok, want, live)
		}
	}
	if m.kit.holed(m.c) {
		return // DefragManual
	}
	m.checkColumns()
}

func (m *model[C, V, H]) checkColumns() {
	rows, lens := m.kit.columns(m.c)
	for _, n := range lens {
		if n != len(m.rows) {
			m.t.Fatalf("step %d: the columns have lengths %v, want %d", m.step, lens, len(m.rows))
		}
	}
	for i, v := range rows {
		h := m.c.HandleAt(i)
		if want, ok := m.rows[h]; v != want || !ok || m.c.PlaceOf(h) != i {
			m.t.Fatalf("step %d: row %d is %v, want %v, %t; its place is %d",
				m.step, i, v, want, ok, m.c.PlaceOf(h))
		}
	}
}

// playModel plays the calls that data describes. Its first byte is the configuration.
func playModel[C generated[V, H], V comparable, H comparable](
	t testing.TB, k kit[C, V, H], data []byte,
) {
	if len(data) == 0 {
		return
	}
	c := config{defrag: berth.Defrag(data[0] % 3)}
	if data[0]&32 != 0 {
		c.limit, c.capacity = 100, int(data[0])
	}
	m := &model[C, V, H]{t: t, kit: k, rows: map[H]V{}, limit: c.limit, c: k.fresh(c)}
	for data = data[1:]; len(data) >= 2; data = data[2:] {
		m.play(data[0], data[1])
		m.check()
	}
	if want := fmt.Sprintf("(%d values)", len(m.rows)); m.c.String()[len(m.c.String())-len(want):] != want {
		t.Errorf("String is %q, want ...%s", m.c, want)
	}
}

func TestModel(t *testing.T) {
	for seed := range 12 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		data := make([]byte, 301)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		data[0] = byte(seed % 3)
		if seed >= 6 {
			data[0] += 33 // with a limit
		}
		playModel(t, particles, data)
		playModel(t, odds, data)
	}
}

func FuzzModel(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		playModel(t, odds, data[:min(len(data), 400)])
	})
}
