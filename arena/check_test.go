package arena

import (
	"fmt"
	"strings"
	"testing"
)

// fires checks that check panics with a message that contains want.
func fires(t *testing.T, what, want string, check func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
			t.Errorf("%s: panic %q, want %q in it", what, got, want)
		}
	}()
	check()
}

// spoiled is a way to break a value, and the invariant that it breaks.
type spoiled[T any] struct {
	want  string
	spoil func(v T)
}

// each makes a value for each way to break it, checks that the value is whole at first, and that
// breaking it makes the check panic.
func each[T interface{ checkInvariants() }](t *testing.T, make func() T, all []spoiled[T]) {
	t.Helper()
	for i, s := range all {
		v := make()
		v.checkInvariants()
		s.spoil(v)
		fires(t, fmt.Sprintf("%T, way %d", v, i), s.want, v.checkInvariants)
	}
}

// Each check of an invariant detects a violation.
func TestArenaInvariantsFire(t *testing.T) {
	each(t, func() *Arena { return NewChunked(100) }, []spoiled[*Arena]{
		{"Arena invariant 1", func(a *Arena) { a.off = 1 }},
		{"Arena invariant 1", func(a *Arena) { a.start = 1 }},
		{"Arena invariant 1", func(a *Arena) { a.buf = make([]byte, 1) }},
	})
	var v, w *Vec[byte]
	full := func() *Arena {
		a := NewChunked(100)
		v, w = NewVec[byte](a), NewVec[byte](a)
		a.Mark()
		v.Append(1, 2)
		w.Append(3, 4)
		v.Reserve(100)
		b, _ := a.Alloc(64, 8)
		b[0] = 1
		m := a.Mark()
		a.Scope(func(a *Arena) {
			b, _ := a.Alloc(5, 1)
			clear(b)
		})
		New[int](a)
		a.Mark()
		a.Rewind(m)
		return a
	}
	each(t, full, []spoiled[*Arena]{
		{"Arena invariant 1", func(a *Arena) { a.buf = make([]byte, len(a.buf)) }},
		{"Arena invariant 1", func(a *Arena) { a.buf = a.buf[:len(a.buf)-1] }},
		{"Arena invariant 1", func(a *Arena) { a.off = len(a.buf) + 1 }},
		{"Arena invariant 2", func(a *Arena) { a.start++ }},
		{"Arena invariant 2", func(a *Arena) { a.chunks[0].used++ }},
		{"Arena invariant 2", func(a *Arena) { a.chunks[1].start-- }},
		{"Arena invariant 3", func(a *Arena) { a.dirty = a.off; a.buf[a.off] = 1 }},
		{"Arena invariant 3", func(a *Arena) { a.clean = a.off + 8; a.buf[a.off+7] = 1 }},
		{"history invariant 1", func(a *Arena) { a.past.list = []rewind{{3, 7}, {3, 9}} }},
		{"history invariant 1", func(a *Arena) { a.past.list = []rewind{{3, 7}, {4, 7}} }},
		{"history invariant 2", func(a *Arena) { a.past.epoch++ }},
		{"Arena invariant 6", func(a *Arena) { a.tenants[len(a.tenants)-1].end = a.position() + 1 }},
		{"Arena invariant 6", func(a *Arena) { a.tenants[0], a.tenants[1] = a.tenants[1], a.tenants[0] }},
		{"Arena invariant 6", func(a *Arena) { a.tenants = a.tenants[:1]; a.tenants[0].l.end++ }},
		{"Arena invariant 8", func(a *Arena) { a.held++ }},
		{"Arena invariant 8", func(a *Arena) { a.limit = a.held - 1 }},
		{"Arena invariant 7", func(a *Arena) { a.past.pin = a.position() + 1 }},
	})
	a, err := NewVirtual(1<<20, VirtualConfig{})
	if err != nil {
		t.Fatal(err)
	}
	New[int](a)
	if a.IsVirtual() {
		whole := a.buf
		a.buf = whole[8:]
		fires(t, "virtual", "Arena invariant 1", a.checkInvariants)
		a.buf = whole
	}
	_ = a.Release()
}

func TestTypedInvariantsFire(t *testing.T) {
	each(t, func() *Typed[[5000]*int] {
		a := new(Typed[[5000]*int])
		for range 3 {
			a.New()[0] = new(int)
		}
		m := a.Mark()
		a.New()
		a.Mark()
		a.Rewind(m)
		return a
	}, []spoiled[*Typed[[5000]*int]]{
		{"Typed invariant 1", func(a *Typed[[5000]*int]) { a.chunks[3][0][7] = new(int) }},
		{"Typed invariant 1", func(a *Typed[[5000]*int]) { a.n-- }},
		{"Typed invariant 2", func(a *Typed[[5000]*int]) { a.start++ }},
		{"Typed invariant 2", func(a *Typed[[5000]*int]) { a.buf = nil }},
		{"history invariant 2", func(a *Typed[[5000]*int]) { a.past.epoch++ }},
	})
}

func TestBumpInvariantsFire(t *testing.T) {
	each(t, func() *Bump[int] {
		b := NewBump[int](NewFixed(1<<10), 4)
		*b.New() = 7
		return b
	}, []spoiled[*Bump[int]]{
		{"Bump invariant 1", func(b *Bump[int]) { b.left = -1 }},
		{"Bump invariant 1", func(b *Bump[int]) { b.left = 5 }},
		{"Bump invariant 1", func(b *Bump[int]) { b.left = 4 }},
		{"Bump invariant 1", func(b *Bump[int]) { b.s[0] = 1 }},
	})
}

func TestVecInvariantsFire(t *testing.T) {
	each(t, func() *Vec[int] {
		v := NewVec[int](NewFixed(1 << 10))
		v.Append(1, 2, 3)
		return v
	}, []spoiled[*Vec[int]]{
		{"Vec invariant 1", func(v *Vec[int]) { v.mem.l.end = 8 }},
		{"Vec invariant 1", func(v *Vec[int]) { v.mem.l.dead = true }},
		{"Vec invariant 2", func(v *Vec[int]) { v.mem = memory{} }},
	})
}

func TestDequeInvariantsFire(t *testing.T) {
	type deque = *Deque[int]
	each(t, func() deque {
		d := NewDeque[int](NewFixed(1<<10), DequeConfig{Block: 4})
		for i := range 10 {
			d.PushBack(i)
		}
		d.ReserveBack(8)
		return d
	}, []spoiled[deque]{
		{"Deque invariant 1", func(d deque) { d.ring = d.ring[:7] }},
		{"Deque invariant 1", func(d deque) { d.blocks = 9 }},
		{"Deque invariant 1", func(d deque) { d.ring[(d.first+1)%8] = nil }},
		{"Deque invariant 1", func(d deque) { d.ring[(d.first+d.blocks)%8] = make([]int, 4) }},
		{"Deque invariant 1", func(d deque) { d.ring[(d.first+1)%8] = make([]int, 3) }},
		{"Deque invariant 2", func(d deque) { d.used = 0 }},
		{"Deque invariant 2", func(d deque) { d.used++ }},
		{"Deque invariant 2", func(d deque) { d.front = d.back }},
		{"Deque invariant 2", func(d deque) { d.back = d.back[:1:2] }},
		{"Deque invariant 3", func(d deque) { d.fi = 4 }},
		{"Deque invariant 3", func(d deque) { d.back = d.back[:0] }},
	})
	each(t, func() deque { return NewDeque[int](NewFixed(1<<10), DequeConfig{Block: 4}) }, []spoiled[deque]{
		{"Deque invariant 2", func(d deque) { d.used = 1 }},
		{"Deque invariant 2", func(d deque) { d.fi = 1 }},
		{"Deque invariant 2", func(d deque) { d.front = []int{} }},
		{"Deque invariant 4", func(d deque) { d.toBack.n = 1 }},
	})
	each(t, func() deque {
		d := NewDeque[int](NewFixed(1<<10), DequeConfig{Block: 4})
		d.PushBack(1)
		d.PopBack()
		return d
	}, []spoiled[deque]{
		{"Deque invariant 3", func(d deque) { d.fi = 1 }},
		{"Deque invariant 4", func(d deque) { d.toFront.n = 1 }},
		{"Deque invariant 4", func(d deque) { d.toBack.n = 5 }},
	})
}

func TestPoolInvariantsFire(t *testing.T) {
	type pool = *Pool[int]
	each(t, func() pool {
		p := NewPool[int](NewFixed(1 << 12))
		for i := range 70 {
			p.Insert(i)
		}
		p.Grow(100)
		return p
	}, []spoiled[pool]{
		{"Pool invariant 1", func(p pool) { p.n++ }},
		{"Pool invariant 1", func(p pool) { p.dir[1].occ |= 1 << 40 }},
		{"Pool invariant 2", func(p pool) { p.room.Add(0) }},
		{"Pool invariant 2", func(p pool) { p.room.Pop() }},
		{"Pool invariant 2", func(p pool) { p.live.Remove(1) }},
		{"Pool invariant 2", func(p pool) { p.live.Add(2) }},
		{"Pool invariant 3", func(p pool) { p.dir[1].vals[50] = 1 }},
	})
}

func TestHandlesInvariantsFire(t *testing.T) {
	type handle = Handle32[int]
	type handles = *Handles[int, handle]
	each(t, func() handles {
		r := NewHandles[int, handle](NewFixed(1<<12), HandlesConfig{})
		r.AgeForTest(10, 2)
		var hs []handle
		for i := range 12 {
			h, _ := r.Insert(i + 1)
			hs = append(hs, h)
		}
		for range 2 { // retires slot 1; 7 and 8 stay vacant
			r.Delete(hs[0])
			hs[0], _ = r.Insert(1)
		}
		r.Delete(hs[7])
		r.Delete(hs[6])
		return r
	}, []spoiled[handles]{
		{"Handles invariant 1", func(r handles) { r.dir[0].meta[2]++ }},
		{"Handles invariant 1", func(r handles) { r.dir[0].meta[2] |= 1 << 16 }},
		{"Handles invariant 1", func(r handles) { r.used = 3 }},
		{"Handles invariant 1", func(r handles) { r.dir[0].occ |= 1 << 40 }},
		{"Handles invariant 2", func(r handles) { r.head = 3 }},
		{"Handles invariant 2", func(r handles) { r.dir[0].meta[7] = makeHandle[handle](7, true, 1) }},
		{"Handles invariant 3", func(r handles) { r.dir[0].meta[40] = 1 << 20 }},
		{"Handles invariant 3", func(r handles) { r.dir[0].occ &^= 4; r.dir[0].vals[2] = 0 }},
		{"Handles invariant 4", func(r handles) { r.dir[0].vals[6] = 1 }},
		{"Handles invariant 4", func(r handles) { r.dir[0].vals[40] = 1 }},
		{"Handles invariant 5", func(r handles) { r.n++ }},
		{"Handles invariant 5", func(r handles) { r.gone++ }},
		{"Handles invariant 5", func(r handles) { r.head = 8 }},
		{"Handles invariant 5", func(r handles) { r.used++ }},
		{"Handles invariant 6", func(r handles) { r.live.Remove(0) }},
	})
}

func TestMapInvariantsFire(t *testing.T) {
	type table = *Map[int, int]
	slot := func(m table) int {
		for i, s := range m.index {
			if s != 0 {
				return i
			}
		}
		return 0
	}
	each(t, func() table {
		m := NewMap[int, int](NewFixed(1 << 14))
		for i := range 100 {
			m.Set(i+1, i+1)
		}
		m.Delete(50)
		return m
	}, []spoiled[table]{
		{"Map invariant 1", func(m table) { m.index = m.index[:100] }},
		{"Map invariant ", func(m table) { m.entries = m.entries[:99:99] }},
		{"Map invariant 2", func(m table) { m.n-- }},
		{"Map invariant 2", func(m table) { m.live[1] |= 1 << 60 }},
		{"Map invariant 2", func(m table) { m.Delete(1); m.entries = m.entries[:101] }},
		{"Map invariant 3", func(m table) { m.index[slot(m)] = 0 }},
		{"Map invariant 3", func(m table) { m.index[slot(m)] ^= 1 << 31 }},
		{"Map invariant 3", func(m table) { m.index[slot(m)] |= 127 }},
		{"Map invariant 3", func(m table) { m.entries[3].key = -7 }},
		{"Map invariant 4", func(m table) { m.entries[49].value = 1 }},
	})
}
