package berth

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"
)

// denseColumnModel plays the same calls on a Dense with two DenseColumns and on a map.
type denseColumnModel struct {
	t    testing.TB
	d    *Dense[int]
	a    *DenseColumn[string, int]
	b    *DenseColumn[[2]int, int]
	rows map[Handle[int]]denseColumnRow
	hs   []Handle[int]
	step int
}

type denseColumnRow struct {
	v int
	a string
	b [2]int
}

func newDenseColumnModel(t testing.TB, kind byte) *denseColumnModel {
	m := &denseColumnModel{t: t, rows: map[Handle[int]]denseColumnRow{}}
	c := DenseConfig{Defrag: Defrag(kind % 3), Seed: 1, ShrinkAbove: int(kind / 3 % 2 * 8)}
	if kind&64 != 0 {
		c.Memory = heapMemory{}
	}
	m.d = NewDense[int](c)
	if kind&32 != 0 {
		DenseSetHooks(m.d, Hooks[int]{OnRemove: func(h Handle[int], _ *int) {
			if m.d.Contains(h) || m.a.Ptr(h) != nil {
				t.Error("OnRemove finds the value or its V")
			}
		}})
	}
	m.a, m.b = NewDenseColumn[string](m.d), NewDenseColumn[[2]int](m.d)
	return m
}

func (m *denseColumnModel) pick(x byte) Handle[int] {
	if len(m.hs) == 0 {
		return Handle[int]{}
	}
	return m.hs[(int(x)*257+m.step)%len(m.hs)]
}

func (m *denseColumnModel) insert() {
	h := m.d.Insert(m.step)
	m.hs, m.rows[h] = append(m.hs, h), denseColumnRow{v: m.step}
}

func (m *denseColumnModel) play(op, x byte) {
	m.step++
	switch op % 14 {
	case 0, 1, 2:
		m.insert()
	case 3, 4:
		h := m.pick(x)
		if m.d.Delete(h) {
			delete(m.rows, h)
		}
	case 5, 6:
		h := m.pick(x)
		row, live := m.rows[h]
		if v := m.a.Ptr(h); v != nil {
			*v = fmt.Sprint(m.step)
			row.a = *v
			m.rows[h] = row
		} else if live {
			m.t.Fatal("Ptr of a live handle is nil")
		}
	case 7:
		h := m.pick(x)
		if i := m.d.PlaceOf(h); i >= 0 {
			row := m.rows[h]
			m.b.EditAt(i)[1] = m.step
			if v := m.b.PtrAt(i); v != m.b.Ptr(h) || v[1] != m.step {
				m.t.Fatalf("PtrAt(%d) is %p, want %p", i, v, m.b.Ptr(h))
			}
			row.b[1] = m.step
			m.rows[h] = row
		}
	case 8:
		for range int(x) {
			m.insert()
		}
	case 9:
		m.d.RemoveFunc(func(h Handle[int], v *int) bool {
			if (*v+int(h.Uint64()))%(int(x)%9+2) == 0 {
				return false
			}
			delete(m.rows, h)
			return true
		})
	case 10:
		m.sort(x)
	case 11:
		m.playRarely(x)
	case 12: // removals inside a loop, and Clip
		n := 0
		for h := range m.d.All() {
			if x = x*5 + 3; x&4 != 0 {
				m.d.Delete(h)
				delete(m.rows, h)
			}
			if n++; n == 20 && x&8 != 0 {
				m.d.Clip()
			}
		}
	case 13:
		if Defrag(m.d.state.Defrag) == DefragManual && m.d.state.Holes > 0 {
			break
		}
		s := m.a.Slice()
		for i := range m.d.state.Owner {
			h := handleAt(m.d, i)
			s[i] += "x"
			row := m.rows[h]
			row.a += "x"
			m.rows[h] = row
		}
	}
}

// sort orders the values by themselves or by their Vs.
func (m *denseColumnModel) sort(x byte) {
	if x&1 != 0 {
		m.d.Sort(func(a, b *int) int { return *b%17 - *a%17 })
		return
	}
	m.d.Defrag()
	b := m.b.Slice()
	m.d.SortPlaces(func(i, k int) int { return b[i][1]%7 - b[k][1]%7 })
	for i, v := range m.b.Slice() {
		if i > 0 && m.b.PtrAt(i - 1)[1]%7 > v[1]%7 {
			m.t.Fatalf("step %d: places %d and %d are not in order", m.step, i-1, i)
		}
	}
}

func (m *denseColumnModel) playRarely(x byte) {
	switch x % 8 {
	case 0:
		m.d.Clear()
		clear(m.rows)
	case 1:
		m.d.Clip()
	case 2:
		m.d.Defrag()
	case 3:
		q := m.d.Clone()
		a, b := NewDenseColumn[string](q), NewDenseColumn[[2]int](q)
		a.CopyFrom(m.a)
		b.CopyFrom(m.b)
		q.Sort(func(a, b *int) int { return *a - *b })
		(&denseColumnModel{t: m.t, d: q, a: a, b: b, rows: m.rows, step: m.step}).check()
		m.a.CopyFrom(a)
	case 4:
		m.a.Close()
		m.a.checkInvariants()
		m.a = NewDenseColumn[string](m.d)
		for h, row := range m.rows {
			row.a = ""
			m.rows[h] = row
		}
	case 5:
		q := m.d.Clone()
		q.Insert(1)
		q.CopyFrom(m.d)
		m.d.CopyFrom(q)
		for h, row := range m.rows {
			m.rows[h] = denseColumnRow{v: row.v}
		}
	case 6:
		m.d.Grow(100)
	case 7:
		h := m.d.InsertFunc(func(h Handle[int], v *int) {
			if *v = m.step; m.a.Ptr(h) != nil {
				m.t.Fatal("a value under construction has a V")
			}
		})
		m.hs, m.rows[h] = append(m.hs, h), denseColumnRow{v: m.step}
	}
}

func (m *denseColumnModel) check() {
	m.t.Helper()
	m.a.checkInvariants()
	m.b.checkInvariants()
	if m.d.Len() != len(m.rows) {
		m.t.Fatalf("step %d: %d values, want %d", m.step, m.d.Len(), len(m.rows))
	}
	for i := range m.d.state.Owner { // without making any V
		h := handleAt(m.d, i)
		if h.IsZero() {
			continue
		}
		row, ok := m.rows[h]
		var a string
		var b [2]int
		if i < len(m.a.vals) {
			a = m.a.vals[i]
		}
		if i < len(m.b.vals) {
			b = m.b.vals[i]
		}
		if !ok || m.d.vals[i] != row.v || a != row.a || b != row.b {
			m.t.Fatalf("step %d: place %d has %d %q %v, want %+v", m.step, i, m.d.vals[i], a, b, row)
		}
	}
	for _, h := range m.hs[max(0, len(m.hs)-20):] {
		if _, live := m.rows[h]; !live && m.a.Ptr(h) != nil {
			m.t.Fatalf("step %d: the stale %v has a V", m.step, h)
		}
	}
}

func playDenseColumns(t testing.TB, data []byte) {
	if len(data) == 0 {
		return
	}
	m := newDenseColumnModel(t, data[0])
	for data = data[1:]; len(data) >= 2; data = data[2:] {
		m.play(data[0], data[1])
		m.check()
	}
}

func TestDenseColumnModel(t *testing.T) {
	for seed := range 12 {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		data := make([]byte, 601)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		data[0] = byte(seed % 6)
		data[0] |= byte(seed/6) << 5
		playDenseColumns(t, data)
		data[0] |= 64
		playDenseColumns(t, data)
	}
}

// A place that does not exist is a mistake of the caller, also beyond the places in memory.
func TestDenseColumnAt(t *testing.T) {
	d := NewDense[int](DenseConfig{Capacity: 100})
	c := NewDenseColumn[string](d)
	const rule = ": i must be a place, below "
	for i := range 2 {
		d.Insert(i)
		wantPanic(t, fmt.Sprint("berth: DenseColumn.PtrAt", rule, i+1, " (got 7)"),
			func() { c.PtrAt(7) })
		wantPanic(t, fmt.Sprint("berth: DenseColumn.EditAt", rule, i+1, " (got ", i+1, ")"),
			func() { c.EditAt(i + 1) })
	}
	for _, at := range []func(int) *string{c.PtrAt, c.EditAt, new(DenseColumn[string, int]).PtrAt} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("place -1 is no panic")
				}
			}()
			at(-1)
		}()
	}
	c.Close()
	wantPanic(t, "berth: DenseColumn.EditAt"+rule+"0 (got 0)", func() { c.EditAt(0) })
}

func FuzzDenseColumn(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		playDenseColumns(t, data[:min(len(data), 400)])
	})
}

func TestDenseColumnClosed(t *testing.T) {
	var d Dense[int]
	h := d.Insert(1)
	closed := NewDenseColumn[string](&d)
	*closed.Ptr(h) = "a"
	closed.Close()
	closed.Close()
	if d.state.Index.Calm != d.state.Index.Max || d.state.Index.Rare.Told {
		t.Error("removals stay slow after Close")
	}
	for name, c := range map[string]*DenseColumn[string, int]{
		"closed": closed, "zero": new(DenseColumn[string, int]),
	} {
		if c.Slice() != nil || c.Ptr(h) != nil {
			t.Errorf("%s: it holds something", name)
		}
		c.CopyFrom(NewDenseColumn[string](&d))
		live := NewDenseColumn[string](&d)
		*live.Ptr(h) = "b"
		if live.CopyFrom(c); *live.Ptr(h) != "" {
			t.Errorf("%s: CopyFrom copies something", name)
		}
		c.checkInvariants()
	}
	wantPanic(t, "berth: NewDenseColumn: the Dense must not be nil",
		func() { NewDenseColumn[int]((*Dense[int])(nil)) })
}

// An insert with a DenseColumn takes the fast path, and makes no V.
func TestDenseColumnInsertPaysNothing(t *testing.T) {
	d := NewDense[int](DenseConfig{Capacity: 100, Limit: 100})
	c := NewDenseColumn[[2]int](d)
	if d.state.Index.Quick != d.state.Index.Max || d.state.Index.Calm != 0 {
		t.Errorf("quick %d, calm %d", d.state.Index.Quick, d.state.Index.Calm)
	}
	if n, _ := mallocs(func() {
		for i := range 100 {
			d.Insert(i)
		}
	}); n != 0 || len(c.vals) != 0 {
		t.Errorf("%d allocations for inserts, %d Vs", n, len(c.vals))
	}
	if n, _ := mallocs(func() { c.Slice() }); n != 1 || len(c.Slice()) != 100 {
		t.Errorf("%d allocations for the Vs", n)
	}
	if n := testing.AllocsPerRun(10, func() {
		h := handleAt(d, 3)
		d.Delete(h)
		c.Ptr(d.Insert(1))[0] = 5
		c.Slice()
	}); n != 0 {
		t.Errorf("%v allocations in a steady state", n)
	}
}

// A V goes with its value, in every mode.
func TestDenseColumnKeepsNothingAlive(t *testing.T) {
	eachMode(t, 5, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		c := NewDenseColumn[*[64]int](d)
		for name, end := range map[string]func(h Handle[int]){
			"Remove": func(h Handle[int]) { d.Remove(h) },
			"Delete": func(h Handle[int]) { d.Delete(h) },
			"first":  func(Handle[int]) { d.Delete(handleAt(d, 0)); d.Clear() },
			"Clear":  func(Handle[int]) { d.Clear() },
			"Close":  func(Handle[int]) { c.Close() },
		} {
			if c.d == nil {
				c = NewDenseColumn[*[64]int](d)
			}
			d.Defrag()
			d.Insert(7)
			h := d.Insert(8)
			d.Insert(9)
			x := new([64]int)
			w := weak.Make(x)
			*c.Ptr(h) = x
			d.Sort(func(a, b *int) int { return *b - *a })
			if runtime.GC(); w.Value() == nil {
				t.Errorf("%s: a V is collected", name)
			}
			end(h)
			if runtime.GC(); w.Value() != nil {
				t.Errorf("%s: what the V pointed to is kept", name)
			}
			runtime.KeepAlive(c)
		}
	})
}

// The memory of a DenseColumn follows that of its Dense.
func TestDenseColumnMemory(t *testing.T) {
	const n = 50_000
	d := NewDense[int](DenseConfig{})
	c := NewDenseColumn[[2]int](d)
	for i := range n {
		d.Insert(i)
	}
	c.Slice()
	if cap(c.vals) != cap(d.vals) {
		t.Errorf("room for %d, the Dense for %d", cap(c.vals), cap(d.vals))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for d.Len() > 10 {
		for h := range d.All() {
			if r.IntN(3) > 0 {
				d.Delete(h)
			}
		}
	}
	d.Defrag()
	if cap(c.vals) > 3000 {
		t.Errorf("room for %d Vs of %d values", cap(c.vals), d.Len())
	}
	d.Clip()
	if cap(c.vals) > d.Len() {
		t.Errorf("after Clip, room for %d Vs of %d values", cap(c.vals), d.Len())
	}
	c.checkInvariants()
}

// Slices of a Dense and its DenseColumn are parallel, and a forward loop over them may remove the
// current value.
func TestDenseColumnSlice(t *testing.T) {
	d := NewDense[int](DenseConfig{Seed: 1})
	c := NewDenseColumn[int](d)
	for i := range 100 {
		*c.Ptr(d.Insert(i)) = i
	}
	vs := c.Slice()
	for i, v := range d.Slice() {
		if vs[i] != v {
			t.Fatalf("element %d has %d", i, vs[i])
		}
		if v%3 == 0 {
			if d.Delete(handleAt(d, i)); vs[i] != 0 && i < 99 {
				t.Fatalf("element %d is still %d", i, vs[i])
			}
		}
	}
	vs = c.Slice()
	for i, v := range d.Slice() {
		if vs[i] != v || v%3 == 0 {
			t.Fatalf("element %d has %d, not %d", i, vs[i], v)
		}
	}
	if len(vs) != cap(vs) || len(vs) != d.Len() {
		t.Errorf("%d of %d for %d values", len(vs), cap(vs), d.Len())
	}
	m := newDense(DenseConfig{Defrag: DefragManual}, 3)
	mc := NewDenseColumn[int](m)
	m.Delete(handleAt(m, 0))
	mustPanic(t, "DefragManual", func() { mc.Slice() })
}

// Loads make all Vs zero.
func TestDenseColumnLoads(t *testing.T) {
	q := newDense(DenseConfig{Seed: 5}, 50)
	bin, _ := q.MarshalBinary()
	js, _ := q.MarshalJSON()
	for name, load := range map[string]func(d *Dense[int]) error{
		"UnmarshalBinary": func(d *Dense[int]) error { return d.UnmarshalBinary(bin) },
		"UnmarshalJSON":   func(d *Dense[int]) error { return d.UnmarshalJSON(js) },
		"CopyFrom":        func(d *Dense[int]) error { d.CopyFrom(q); return nil },
	} {
		d := newDense(DenseConfig{}, 300)
		c := NewDenseColumn[*[64]int](d)
		for i := range c.Slice() {
			c.Slice()[i] = new([64]int)
		}
		if err := load(d); err != nil {
			t.Fatal(name, err)
		}
		if len(c.Slice()) != 50 {
			t.Errorf("%s: %d Vs", name, len(c.Slice()))
		}
		for i, v := range c.Slice() {
			if v != nil {
				t.Fatalf("%s: V %d is not zero", name, i)
			}
		}
		c.checkInvariants()
	}
}
