package berth

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/slots"
)

// A closed Column and the zero Column hold nothing and take nothing.
func TestColumnClosed(t *testing.T) {
	var p Pool[int]
	h := p.Insert(1)
	closed := NewColumn[string](&p)
	other := NewColumn[int](&p)
	closed.Set(h, "a")
	other.Set(h, 2)
	closed.Close()
	closed.Close()
	if p.state.Calm != 0 {
		t.Error("a Pool with a Column left does not tell it")
	}
	for name, c := range map[string]*Column[string, int]{"closed": closed, "zero": new(Column[string, int])} {
		if c.Set(h, "b") || c.Ptr(h) != nil || c.Contains(h) || c.Len() != 0 || c.Ptr(Handle[int]{}) != nil {
			t.Errorf("%s: it holds something", name)
		}
		if _, ok := c.Get(h); ok {
			t.Errorf("%s: Get finds something", name)
		}
		if c.Delete(h) {
			t.Errorf("%s: Delete finds something", name)
		}
		for range c.All() {
			t.Errorf("%s: All visits something", name)
		}
		for range c.Values() {
			t.Errorf("%s: Values visits something", name)
		}
		for range c.Join() {
			t.Errorf("%s: Join visits something", name)
		}
		for range c.JoinSpans() {
			t.Errorf("%s: JoinSpans visits something", name)
		}
		for range Join2(c, other) {
			t.Errorf("%s: Join2 visits something", name)
		}
		for range Join2(other, c) {
			t.Errorf("%s: Join2 visits something", name)
		}
		for range Join3(c, other) {
			t.Errorf("%s: Join3 visits something", name)
		}
		for range Join3(other, c) {
			t.Errorf("%s: Join3 visits something", name)
		}
		for range Without(c, other) {
			t.Errorf("%s: Without visits something", name)
		}
		n := 0
		for range Without(other, c) {
			n++
		}
		if n != 1 {
			t.Errorf("%s: Without it visits %d values", name, n)
		}
		c.Clear()
		SetAll(c, "all")
		c.CopyFrom(NewColumn[string](&p))
		if d := c.CloneTo(&p); d.Len() != 0 {
			t.Errorf("%s: a clone has %d Vs", name, d.Len())
		}
		c.checkInvariants()
		_ = c.String()
	}
	if s := other.String(); s != "berth.Column[int, int](1 of 1 values)" {
		t.Error(s)
	}
}

// A handle with the generation of a vacant slot finds nothing there.
func TestColumnForged(t *testing.T) {
	var p Pool[int]
	c := NewColumn[int](&p)
	stays, h := p.Insert(1), p.Insert(2)
	c.Set(stays, 1)
	c.Set(h, 2)
	p.Remove(h)
	for _, h := range []Handle[int]{
		HandleFromUint64[int](h.Uint64() + 1<<32),
		HandleFromUint64[int](h.Uint64() &^ (1 << 32)),
		HandleFromUint64[int](stays.Uint64() + 1<<32),
		HandleFromUint64[int](uint64(uint32(h.Uint64() + 1))), // a slot that had no value
	} {
		if _, got := c.Get(h); got || c.Ptr(h) != nil || c.Contains(h) || c.Edit(h) != nil {
			t.Errorf("%v finds a V", h)
		}
		if c.Delete(h) || c.Set(h, 3) {
			t.Errorf("%v changes something", h)
		}
	}
	if c.Len() != 1 {
		t.Errorf("%d Vs", c.Len())
	}
	c.checkInvariants()
}

// Without Columns, a Pool is as it was.
func TestColumnCloseMakesPoolQuick(t *testing.T) {
	var p Pool[int]
	c := NewColumn[int](&p)
	if p.state.Calm != 0 || p.state.Quick != p.state.Max {
		t.Errorf("with a Column: quick %d, calm %d", p.state.Quick, p.state.Calm)
	}
	SetHooks(&p, Hooks[int]{OnRemove: func(Handle[int], *int) {}})
	c.Close()
	if p.state.Calm != 0 {
		t.Error("with hooks, removals are calm")
	}
	SetHooks(&p, Hooks[int]{})
	if p.state.Calm != p.state.Max || p.state.Quick != p.state.Max || p.state.Rare.Tables() != nil {
		t.Errorf("without: quick %d, calm %d of %d", p.state.Quick, p.state.Calm, p.state.Max)
	}
	p.checkInvariants()
}

func TestColumnMisuse(t *testing.T) {
	var p, q Pool[int]
	a, b := NewColumn[int](&p), NewColumn[string](&q)
	wantPanic(t, "berth: NewColumn: the Pool must not be nil", func() { NewColumn[int]((*Pool[int])(nil)) })
	wantPanic(t, "berth: Column.CloneTo: the Pool must not be nil", func() { a.CloneTo(nil) })
	wantPanic(t, "berth: Join2: columns of different Pools", func() { Join2(a, b) })
	wantPanic(t, "berth: Join3: columns of different Pools", func() { Join3(a, b) })
	wantPanic(t, "berth: Without: columns of different Pools", func() { Without(a, b) })
	h, g := p.Insert(1), q.Insert(2)
	if a.Set(g, 1) || a.Set(Handle[int]{}, 1) || b.Set(h, "") || !a.Set(h, 1) || a.Contains(g) {
		t.Error("a Column takes a handle of another Pool")
	}
	for i := range 10_000 {
		bad := HandleFromUint64[int](uint64(i) * 0x9E3779B97F4A7C15)
		if a.Set(bad, 1) != p.Contains(bad) || a.Contains(bad) != p.Contains(bad) {
			t.Fatalf("%v", bad)
		}
	}
}

// The zero Pool issues the same handles with and without a Column.
func TestColumnOfZeroPool(t *testing.T) {
	p, q := NewPool[int](Config{Seed: 9}), NewPool[int](Config{Seed: 9})
	c := NewColumn[bool](p)
	for i := range 500 {
		h := p.Insert(i)
		if h != q.Insert(i) {
			t.Fatal("handles differ")
		}
		c.Set(h, true)
		if i%3 == 0 {
			p.Remove(h)
			q.Remove(h)
		}
	}
}

// A V goes when its value does: what it pointed to can be collected.
func TestColumnKeepsNothingAlive(t *testing.T) {
	for name, end := range map[string]func(p *Pool[int], c *Column[*[64]int, int], h Handle[int]){
		"Remove": func(p *Pool[int], _ *Column[*[64]int, int], h Handle[int]) { p.Remove(h) },
		"Delete": func(p *Pool[int], _ *Column[*[64]int, int], h Handle[int]) { p.Delete(h) },
		"RemoveFunc": func(p *Pool[int], _ *Column[*[64]int, int], _ Handle[int]) {
			p.RemoveFunc(func(_ Handle[int], v *int) bool { return *v == 1 })
		},
		"Drain": func(p *Pool[int], _ *Column[*[64]int, int], _ Handle[int]) {
			for range Drain(p) {
				break
			}
		},
		"Clear":         func(p *Pool[int], _ *Column[*[64]int, int], _ Handle[int]) { p.Clear() },
		"Column.Clear":  func(_ *Pool[int], c *Column[*[64]int, int], _ Handle[int]) { c.Clear() },
		"Column.Delete": func(_ *Pool[int], c *Column[*[64]int, int], h Handle[int]) { c.Delete(h) },
		"Set":           func(_ *Pool[int], c *Column[*[64]int, int], h Handle[int]) { c.Set(h, nil) },
		"Close":         func(_ *Pool[int], c *Column[*[64]int, int], _ Handle[int]) { c.Close() },
		"CopyFrom":      func(p *Pool[int], _ *Column[*[64]int, int], _ Handle[int]) { p.CopyFrom(new(Pool[int])) },
		"OnInsert": func(p *Pool[int], c *Column[*[64]int, int], h Handle[int]) {
			x, _ := c.Get(h)
			c.Delete(h)
			SetHooks(p, Hooks[int]{OnInsert: func(h Handle[int], _ *int) {
				c.Set(h, x)
				panic("no")
			}})
			defer func() {
				_ = recover()
				SetHooks(p, Hooks[int]{})
			}()
			p.Insert(3)
		},
	} {
		var p Pool[int]
		c := NewColumn[*[64]int](&p)
		h := p.Insert(1)
		c.Set(p.Insert(2), new([64]int))
		x := new([64]int)
		w := weak.Make(x)
		c.Set(h, x)
		if runtime.GC(); w.Value() == nil {
			t.Errorf("%s: a V that is set is collected", name)
		}
		end(&p, c, h)
		runtime.GC()
		if w.Value() != nil {
			t.Errorf("%s: what the V pointed to is kept", name)
		}
		p.checkInvariants()
		runtime.KeepAlive(c)
	}
}

// The memory of a Column follows its members, and is kept by Clear.
func TestColumnMemory(t *testing.T) {
	const n = 30_000
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[[2]int](p)
	if b := c.Stats().Bytes; b != int(unsafe.Sizeof(*c)) {
		t.Errorf("an empty Column takes %d bytes", b)
	}
	hs := make([]Handle[int], n)
	fill := func() {
		for i := range hs {
			hs[i] = p.Insert(i)
			c.Set(hs[i], [2]int{i})
		}
	}
	fill()
	full := c.Stats()
	if full.Live != n || full.Chunks != (n+255)/256*4 || full.Bytes > n*(16+4+2) {
		t.Errorf("full: %+v", full)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, i := range r.Perm(n) {
		if i != n/2 {
			c.Delete(hs[i])
		}
	}
	if s := c.Stats(); s.Live != 1 || s.Chunks > 12 || s.Bytes > full.Bytes/20 ||
		s.Vacant != s.Chunks*slots.BlockSlots-1 {
		t.Errorf("one is left in %+v, of %+v", s, full)
	}
	p.Clear()
	fill()
	p.Clear()
	if s := c.Stats(); s.Chunks != full.Chunks || s.Live != 0 {
		t.Errorf("after Clear: %+v", s)
	}
	if a, _ := mallocs(fill); a != 0 {
		t.Errorf("%d allocations after Clear", a)
	}
	p.Clear()
	p.Clip()
	if s := c.Stats(); s.Bytes != int(unsafe.Sizeof(*c)) {
		t.Errorf("after Clip: %+v", s)
	}
	c.checkInvariants()
	// A Pool that shrinks takes the Column's directory along.
	fill()
	for _, i := range r.Perm(n) {
		if i != 5 {
			p.Delete(hs[i])
		}
	}
	if s := c.Stats(); s.Live != 1 || s.Bytes > 40_000 || len(c.dir) > len(p.dir) ||
		cap(c.dir) > 4*len(c.dir) {
		t.Errorf("one value is left: %+v", s)
	}
	c.checkInvariants()
	// Clear keeps spare blocks as well, unless the Pool gives its memory back.
	for mode, kept := range map[Truncate]bool{TruncateNever: true, TruncateMemory: false} {
		p := NewPool[int](Config{Seed: 1, Truncate: mode})
		c := NewColumn[int](p)
		for i := range 20 * slots.BlockSlots {
			hs[i] = p.Insert(i)
			c.Set(hs[i], i)
		}
		for i := range 8 * slots.BlockSlots {
			c.Delete(hs[i])
		}
		if p.Clear(); c.memory != 20 && kept || c.memory != 12 && !kept {
			t.Errorf("%v: %d blocks after Clear", mode, c.memory)
		}
		if !kept {
			c.Set(p.Insert(1), 1)
			p.Clear() // the spares go
		}
		for _, chunk := range c.spares[len(c.spares):cap(c.spares)] {
			if chunk != nil {
				t.Errorf("%v: a chunk that was released is kept", mode)
			}
		}
	}
}

// Vs that come and go on random values allocate nothing.
func TestColumnSteadyState(t *testing.T) {
	const n = 20_000
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[int](p)
	hs := make([]Handle[int], n)
	for i := range hs {
		hs[i] = p.Insert(i)
	}
	at := uint32(1)
	next := func() Handle[int] {
		at = at*1664525 + 1013904223
		return hs[at>>8%n]
	}
	ring := make([]Handle[int], 300)
	churn := func() {
		for i := range ring {
			c.Delete(ring[i])
			ring[i] = next()
			c.Set(ring[i], i)
		}
	}
	churn()
	if a := testing.AllocsPerRun(100, churn); a > 20 {
		t.Errorf("%v allocations for 300 changes", a)
	}
	c.checkInvariants()
	if a := testing.AllocsPerRun(10, func() {
		h := p.Insert(1)
		c.Set(h, 1)
		p.Remove(h)
	}); a != 0 {
		t.Errorf("%v allocations for an insert, a Set and a removal", a)
	}
}

// Columns agree with a Pool whose slots wear out.
func TestColumnGenerations(t *testing.T) {
	p := NewPool[int](Config{Seed: 3})
	c := NewColumn[int](p)
	p.AgeForTest(64, 2)
	var old []Handle[int]
	for round := range 4 {
		for i := range 64 {
			h := p.Insert(i)
			c.Set(h, round)
			old = append(old, h)
		}
		c.checkInvariants()
		for h := range p.All() {
			p.Delete(h)
		}
		for _, h := range old {
			if c.Contains(h) || c.Set(h, 1) {
				t.Fatalf("the stale %v has a V", h)
			}
		}
		c.checkInvariants()
	}
	if p.Stats().Retired == 0 {
		t.Error("no slot is used up")
	}
}

// CopyFrom copies no V to a value that has another handle, in either direction, or in a Pool with
// another Seed.
func TestColumnCopyFromStale(t *testing.T) {
	p := NewPool[int](Config{Seed: 3})
	c := NewColumn[string](p)
	kept, replaced := p.Insert(1), p.Insert(2)
	c.Set(kept, "kept")
	c.Set(replaced, "old")
	q, other := p.Clone(), NewPool[int](Config{Seed: 4})
	for range 2 {
		other.Insert(0)
	}
	q.Remove(replaced)
	newer := q.Insert(3)
	d := c.CloneTo(q)
	if v, ok := d.Get(kept); !ok || v != "kept" || d.Len() != 1 || d.Contains(newer) {
		t.Errorf("the copy has %d Vs, and that of a newer value: %t", d.Len(), d.Contains(newer))
	}
	d.Set(newer, "new")
	c.CopyFrom(d)
	if c.Len() != 1 || !c.Contains(kept) || c.Contains(replaced) {
		t.Errorf("copied back: %d Vs, and that of an older value: %t", c.Len(), c.Contains(replaced))
	}
	other.dir[0].Gens[0] = p.dir[0].Gens[0] // as after a great many values
	if e := c.CloneTo(other); e.Len() != 0 {
		t.Errorf("a Pool with another Seed has got %d Vs", e.Len())
	}
	for beyond := (Handle[int]{}); p.IndexOf(beyond) < len(q.dir)*slots.BlockSlots; {
		beyond = p.Insert(4) // the last is in the first block that q does not have
		c.Set(beyond, "beyond the other Pool")
	}
	if d.CopyFrom(c); d.Len() != 1 || !d.Contains(kept) {
		t.Errorf("copied from a larger Pool: %d Vs", d.Len())
	}
	c.checkInvariants()
	d.checkInvariants()
	if d.CopyFrom(d); d.Len() != 1 {
		t.Errorf("a copy of itself has %d Vs", d.Len())
	}
}

// With the tag berth_poison, a write through a V's pointer that was kept too long is found when the
// slot is used again.
func TestColumnStale(t *testing.T) {
	if !poison.On {
		t.Skip("without the tag berth_poison")
	}
	for _, before := range []int{0, 256} { // in a small chunk, in a large one
		testColumnStale(t, before)
	}
}

func testColumnStale(t *testing.T, before int) {
	p := NewPool[int](Config{Seed: 1})
	c := NewColumn[int](p)
	for i := range before {
		p.Insert(i)
	}
	a, b := p.Insert(1), p.Insert(2)
	last := b
	for range slots.BlockSlots {
		last = p.Insert(3)
	}
	want := "berth: write through a stale pointer to the value of " + a.String()
	c.Set(b, 2)
	c.Set(last, 3)
	for _, empty := range []func(){ // in a block, in a block without a V, in a chunk without
		func() {}, func() { c.Delete(b) }, func() { c.Delete(last) },
	} {
		c.Set(a, 1)
		x := c.Ptr(a)
		c.Delete(a)
		empty()
		*x = 3 //nolint:berthends // what is tested
		mustPanic(t, want, func() { c.Set(a, 1) })
		c.checkInvariants()
	}
}

// Clear releases the memory that an earlier one has kept, also while the Pool is cleared.
func TestColumnClearInsideClear(t *testing.T) {
	var p Pool[int]
	c := NewColumn[int](&p)
	var last Handle[int]
	for i := range 1000 {
		last = p.Insert(i)
		c.Set(last, i)
	}
	c.Clear()
	c.Set(last, 1)
	SetHooks(&p, Hooks[int]{OnRemove: func(Handle[int], *int) {
		if c.Clear(); c.Stats().Chunks != 4 {
			t.Fatalf("%+v, want the memory of the last value", c.Stats())
		}
	}})
	p.Clear()
	c.checkInvariants()
}
