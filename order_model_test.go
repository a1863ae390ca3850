package berth

import (
	"container/list"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth/internal/long"
)

// orderModel plays the same calls on a Pool with two Orders and a Column, and on two lists.
type orderModel struct {
	t       testing.TB
	p       *Pool[int]
	os      [2]*Order[int]
	vs      *Column[int, int]
	history *History[int] // or nil
	hooked  bool

	live   map[Handle[int]]int
	lists  [2]*list.List // of handles
	at     [2]map[Handle[int]]*list.Element
	tags   map[Handle[int]]int // the Vs
	hs     []Handle[int]       // live and stale
	frames map[Frame]map[Handle[int]]int
	step   int

	loops   int
	changes int                    // that loops may still make until the next check
	ahead   [2]int                 // times that a value was put between others, while a loop runs
	touched [2]map[Handle[int]]int // when a value was last moved or entered
}

func newOrderModel(t testing.TB, kind byte) *orderModel {
	m := &orderModel{t: t, hooked: kind&1 != 0, live: map[Handle[int]]int{}}
	c := Config{Seed: 1 + uint32(kind)%5, Truncate: TruncateMemory + Truncate(kind/8%3)}
	if kind&2 != 0 {
		c.Limit = 70
	}
	m.p = NewPool[int](c)
	if kind&64 != 0 {
		m.p.AgeForTest(64, 2)
	}
	m.vs, m.tags = NewColumn[int](m.p), map[Handle[int]]int{}
	for x := range m.os {
		m.os[x], m.lists[x] = NewOrder(m.p), list.New()
		m.at[x] = map[Handle[int]]*list.Element{}
		m.touched[x] = map[Handle[int]]int{}
	}
	if m.hooked {
		SetHooks(m.p, Hooks[int]{
			OnInsert: func(h Handle[int], _ *int) {
				if m.os[1].MoveToBack(h) == nil {
					t.Error("OnInsert cannot enter the value")
				}
			},
			OnRemove: func(h Handle[int], _ *int) {
				if m.os[0].Contains(h) || m.os[1].Leave(h) || m.os[0].MoveToFront(h) != nil {
					t.Error("OnRemove finds the removed value")
				}
			},
		})
	}
	if kind&4 != 0 {
		m.history = NewHistory(m.p, HistoryConfig{Frames: 4})
		m.frames = map[Frame]map[Handle[int]]int{}
		m.mark(1)
	}
	return m
}

// mark keeps the values as those of frame f.
func (m *orderModel) mark(f Frame) {
	m.frames[f] = map[Handle[int]]int{}
	for h, v := range m.live {
		m.frames[f][h] = v
	}
}

func (m *orderModel) pick(x byte) Handle[int] {
	if len(m.hs) == 0 {
		return Handle[int]{}
	}
	near := min(len(m.hs), 100)
	return m.hs[len(m.hs)-1-(int(x)*257+m.step)%near]
}

// issued records a value that was inserted.
func (m *orderModel) issued(h Handle[int], v int) {
	if h.IsZero() {
		if m.p.Stats().Limit != len(m.live) {
			m.t.Fatalf("step %d: an insert fails at %d values", m.step, len(m.live))
		}
		return
	}
	m.hs = append(m.hs, h)
	m.live[h] = v
	if m.hooked {
		m.enter(1, h, nil, true)
	}
}

// gone records that the value of h was removed.
func (m *orderModel) gone(h Handle[int]) {
	delete(m.live, h)
	delete(m.tags, h)
	m.leave(0, h)
	m.leave(1, h)
}

func (m *orderModel) leave(x int, h Handle[int]) bool {
	e := m.at[x][h]
	if e == nil {
		return false
	}
	m.lists[x].Remove(e)
	delete(m.at[x], h)
	m.touched[x][h] = m.step
	return true
}

// enter puts h before mark, or with after behind it. Without a mark, it is put at the front, or
// with after at the back.
func (m *orderModel) enter(x int, h Handle[int], mark *list.Element, after bool) {
	l, e := m.lists[x], m.at[x][h]
	if e != nil && e == mark {
		return
	}
	if e == nil {
		e = l.PushFront(h)
		m.at[x][h] = e
	}
	switch {
	case mark == nil && after:
		l.MoveToBack(e)
	case mark == nil:
		l.MoveToFront(e)
	case after:
		l.MoveAfter(e, mark)
	default:
		l.MoveBefore(e, mark)
	}
	m.touched[x][h] = m.step
	if mark != nil {
		m.ahead[x]++
	}
}

func (m *orderModel) end(x int, back bool) (h Handle[int]) {
	e := m.lists[x].Front()
	if back {
		e = m.lists[x].Back()
	}
	if e != nil {
		h = e.Value.(Handle[int])
	}
	return h
}

// play does what the byte op says, with the arguments a and b.
func (m *orderModel) play(op, a, b byte) {
	m.step++
	x := int(a & 1)
	o, h := m.os[x], m.pick(a)
	_, ok := m.live[h]
	switch op % 19 {
	case 0, 1:
		m.issued(m.p.Insert(m.step), m.step)
	case 2:
		h := m.p.Insert(m.step)
		if m.issued(h, m.step); o.MoveToFront(h) != nil {
			m.enter(x, h, nil, false)
		}
	case 3:
		if m.p.Delete(h) != ok {
			m.t.Fatalf("step %d: Delete is not %v", m.step, ok)
		}
		m.gone(h)
	case 4, 5:
		move, back := o.MoveToFront, op%19 == 5
		if back {
			move = o.MoveToBack
		}
		if v := move(h); (v != nil) != ok || v != m.p.Ptr(h) {
			m.t.Fatalf("step %d: a move of %v returns %v", m.step, h, v)
		}
		if ok {
			m.enter(x, h, nil, back)
		}
	case 6, 7:
		mark, insert, after := m.pick(b), o.InsertBefore, op%19 == 7
		if after {
			insert = o.InsertAfter
		}
		e := m.at[x][mark]
		if got := insert(h, mark); got != (ok && e != nil) {
			m.t.Fatalf("step %d: InsertBefore or InsertAfter is %v", m.step, got)
		}
		if ok && e != nil {
			m.enter(x, h, e, after)
		}
	case 8:
		if got, want := o.Leave(h), m.leave(x, h); got != want {
			m.t.Fatalf("step %d: Leave is %v", m.step, got)
		}
	case 9, 10:
		pop, back := o.PopFront, op%19 == 10
		if back {
			pop = o.PopBack
		}
		h := m.end(x, back)
		want, ok := m.live[h]
		if v, got := pop(); got != ok || v != want {
			m.t.Fatalf("step %d: Pop = %d, %v, want %d, %v", m.step, v, got, want, ok)
		}
		m.gone(h)
	case 11, 12:
		m.recycle(x)
	case 13:
		for i := range int(b) / 2 {
			h := m.p.Insert(i)
			if m.issued(h, i); !h.IsZero() && a&2 != 0 {
				o.MoveToBack(h)
				m.enter(x, h, nil, true)
			}
		}
	case 14:
		m.p.RemoveFunc(func(h Handle[int], v *int) bool {
			if (*v+int(b))%5 == 0 {
				return false
			}
			m.gone(h)
			return true
		})
	case 15:
		m.playRarely(a, b)
	case 16:
		m.playLoop(x, b)
	case 17:
		if m.vs.Set(h, m.step) {
			m.tags[h] = m.step
		}
	case 18:
		h := m.p.InsertFunc(func(h Handle[int], v *int) {
			if *v = m.step; o.MoveToFront(h) != nil || o.InsertAfter(h, o.Back()) || o.MoveToBack(h) != nil {
				m.t.Fatal("a value under construction enters")
			}
		})
		m.issued(h, m.step)
	}
}

func (m *orderModel) recycle(x int) {
	old, was := m.end(x, true), m.p.Stats()
	want, ok := m.live[old]
	h, v := m.os[x].Recycle()
	if (v != nil) != ok || h.IsZero() == ok {
		m.t.Fatalf("step %d: Recycle = %v, %v", m.step, h, v)
	}
	if !ok {
		return
	}
	is := m.p.Stats()
	if *v != want || m.p.Ptr(h) != v || m.p.Contains(old) || h == old {
		m.t.Fatalf("step %d: Recycle of %v = %v, %d, want %d", m.step, old, h, *v, want)
	}
	if is.Inserts != was.Inserts+1 || is.Removes != was.Removes+1 || is.Live != was.Live {
		m.t.Fatalf("step %d: Recycle turns %+v into %+v", m.step, was, is)
	}
	same := m.p.IndexOf(h) == int(old.id.Index-m.p.state.Salt)
	if worn := old.id.Gen+1 == m.p.state.Base; same == worn || is.Retired != was.Retired && !worn {
		m.t.Fatalf("step %d: Recycle of %v issues %v", m.step, old, h)
	}
	*v = m.step
	m.gone(old)
	m.enter(x, h, nil, false)
	m.issued(h, m.step)
}

func (m *orderModel) playRarely(a, b byte) {
	x := int(a & 1)
	empty := func(x int) {
		for h := range m.at[x] {
			m.leave(x, h)
		}
	}
	switch b % 9 {
	case 0:
		m.p.Clear()
		for h := range m.live {
			m.gone(h)
		}
	case 1:
		m.p.Clip()
	case 2:
		m.os[x].Clear()
		empty(x)
	case 3:
		m.os[x].Close()
		m.os[x].checkInvariants()
		m.os[x] = NewOrder(m.p)
		empty(x)
	case 4:
		m.p.CopyFrom(m.p.Clone())
		empty(0)
		empty(1)
		clear(m.tags)
		if m.history != nil {
			clear(m.frames)
			m.mark(m.history.Now())
		}
	case 5, 6:
		if m.history != nil {
			m.mark(m.history.Mark())
		}
	case 7:
		m.rewind(a)
	case 8:
		for h := range Drain(m.p) {
			m.gone(h)
			if a--; a%8 == 0 {
				break
			}
		}
	}
}

func (m *orderModel) rewind(a byte) {
	if m.history == nil {
		return
	}
	f := m.history.Oldest() + Frame(a)%(m.history.Now()-m.history.Oldest()+1)
	if err := m.history.Rewind(f); err != nil {
		m.t.Fatal(err)
	}
	for h := range m.live {
		if _, ok := m.frames[f][h]; !ok {
			m.gone(h)
		}
	}
	clear(m.live)
	for h, v := range m.frames[f] {
		m.live[h] = v
	}
	clear(m.tags)
	for h, v := range m.vs.All() { // TestHistoryColumn compares them
		m.tags[h] = *v
	}
}

// playLoop changes everything inside a loop, and checks the rules of loops.
func (m *orderModel) playLoop(x int, b byte) {
	if m.loops == 2 {
		return
	}
	m.loops++
	defer func() { m.loops-- }()
	o, loop, back := m.os[x], m.os[x].All, b&1 != 0
	if back {
		loop = o.Backward
	}
	begin, ahead, n := m.step, m.ahead[x], o.Len()
	var there []Handle[int]
	for e := m.lists[x].Front(); e != nil; e = e.Next() {
		there = append(there, e.Value.(Handle[int]))
	}
	seen, last, steps := map[Handle[int]]int{}, 0, 0
	for h, v := range loop() {
		if steps++; m.at[x][h] == nil || *v != m.live[h] || v != m.p.Ptr(h) {
			m.t.Fatalf("step %d: a loop visits %v, %d", m.step, h, *v)
		}
		seen[h] = steps
		for range min(int(b%4), m.changes) {
			m.changes--
			b = b*5 + 3
			m.play([]byte{0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 2, 18, 15, 6}[b>>4], b*7, b*11)
			if m.step++; m.os[x] != o {
				return // closed
			}
		}
		if b = b*3 + 1; b == 77 {
			return
		}
	}
	if steps > 2*n {
		m.t.Fatalf("step %d: %d steps for %d values", m.step, steps, n)
	}
	if m.ahead[x]-ahead > n {
		return
	}
	if back {
		for i, k := 0, len(there)-1; i < k; i, k = i+1, k-1 {
			there[i], there[k] = there[k], there[i]
		}
	}
	for _, h := range there {
		if m.touched[x][h] > begin {
			continue
		}
		if seen[h] <= last {
			m.t.Fatalf("step %d: %v, which stays, is visited at %d, after %d", m.step, h, seen[h], last)
		}
		last = seen[h]
	}
}

// check compares all of both.
func (m *orderModel) check() {
	m.t.Helper()
	m.p.checkInvariants()
	if m.p.Len() != len(m.live) || m.vs.Len() != len(m.tags) {
		m.t.Fatalf("step %d: %d values, want %d", m.step, m.p.Len(), len(m.live))
	}
	for x, o := range m.os {
		l := m.lists[x]
		o.checkInvariants()
		if o.Len() != l.Len() || o.Front() != m.end(x, false) || o.Back() != m.end(x, true) {
			m.t.Fatalf("step %d: order %d has %d values, want %d", m.step, x, o.Len(), l.Len())
		}
		e, last := l.Front(), Handle[int]{}
		for h, v := range o.All() {
			if h != e.Value || *v != m.live[h] || o.Prev(h) != last || !o.Contains(h) {
				m.t.Fatalf("step %d: order %d has %v, %d, want %v", m.step, x, h, *v, e.Value)
			}
			e, last = e.Next(), h
		}
		if e != nil || !o.Next(last).IsZero() {
			m.t.Fatalf("step %d: All of order %d ends early", m.step, x)
		}
		e = l.Back()
		for h := range o.Backward() {
			if h != e.Value {
				m.t.Fatalf("step %d: Backward of order %d yields %v, want %v", m.step, x, h, e.Value)
			}
			if e = e.Prev(); e != nil && (o.Prev(h) != e.Value || o.Next(o.Prev(h)) != h) {
				m.t.Fatalf("step %d: Prev(%v) is %v", m.step, h, o.Prev(h))
			}
		}
		if e != nil {
			m.t.Fatalf("step %d: Backward of order %d ends early", m.step, x)
		}
		for _, h := range m.hs[max(0, len(m.hs)-30):] {
			if o.Contains(h) != (m.at[x][h] != nil) {
				m.t.Fatalf("step %d: order %d has %v: %v", m.step, x, h, o.Contains(h))
			}
		}
	}
	for h, v := range m.live {
		if got := m.p.Ptr(h); got == nil || *got != v {
			m.t.Fatalf("step %d: %v is not %d", m.step, h, v)
		}
		if v, ok := m.vs.Get(h); v != m.tags[h] || ok != (m.tags[h] != 0) {
			m.t.Fatalf("step %d: the V of %v is %d, want %d", m.step, h, v, m.tags[h])
		}
	}
}

// playOrders plays the bytes, three at a time.
func playOrders(t testing.TB, data []byte) {
	if len(data) == 0 {
		return
	}
	m := newOrderModel(t, data[0])
	for data = data[1:]; len(data) >= 3; data = data[3:] {
		m.changes = 30
		m.play(data[0], data[1], data[2])
		m.check()
	}
}

func TestOrderModel(t *testing.T) {
	seeds := 64
	if long.On {
		seeds = 400
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		data := make([]byte, 451)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		data[0] = byte(seed * 37)
		playOrders(t, data)
	}
}

func FuzzOrder(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		playOrders(t, data[:min(len(data), 400)])
	})
}
