package berth

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth/internal/slots"
)

// ordered returns a Pool of the numbers 0 to n-1, and an Order in which they follow each other.
func ordered(c Config, n int) (*Pool[int], *Order[int], []Handle[int]) {
	p := NewPool[int](c)
	o := NewOrder(p)
	hs := make([]Handle[int], n)
	for i := range hs {
		hs[i] = p.Insert(i)
		o.MoveToBack(hs[i])
	}
	return p, o, hs
}

// inOrder returns the values in o.
func inOrder(o *Order[int]) (vs []int) {
	for _, v := range o.All() {
		vs = append(vs, *v)
	}
	return vs
}

// wantOrder fails unless o has these values.
func wantOrder(t *testing.T, what string, o *Order[int], want ...int) {
	t.Helper()
	o.checkInvariants()
	if got := inOrder(o); !slices.Equal(got, want) || o.Len() != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The zero Order and a closed one hold nothing.
func TestOrderClosed(t *testing.T) {
	p, closed, hs := ordered(Config{Seed: 1}, 3)
	for range 2 {
		if closed.Close(); p.state.Calm != p.state.Max || len(p.state.Rare.Columns) != 0 {
			t.Error("the Pool keeps a closed Order")
		}
	}
	h := hs[1]
	for _, o := range []*Order[int]{closed, new(Order[int])} {
		if o.MoveToFront(h) != nil || o.MoveToBack(h) != nil || o.InsertBefore(h, h) ||
			o.InsertAfter(h, hs[0]) || o.Leave(h) || o.Contains(h) || o.Len() != 0 {
			t.Error("a closed Order takes a value")
		}
		if !o.Front().IsZero() || !o.Back().IsZero() || !o.Next(h).IsZero() || !o.Prev(h).IsZero() {
			t.Error("a closed Order has a handle")
		}
		_, front := o.PopFront()
		_, back := o.PopBack()
		if h, v := o.Recycle(); front || back || v != nil || !h.IsZero() {
			t.Error("a closed Order has a value")
		}
		o.Clear()
		for range o.Backward() {
			t.Error("a loop visits a value of a closed Order")
		}
		wantOrder(t, "closed", o)
	}
	if p.Len() != 3 {
		t.Error("Close removes values from the Pool")
	}
	wantPanic(t, "berth: NewOrder: the Pool must not be nil", func() { NewOrder[int](nil) })
}

// Stale, zero and foreign handles find nothing, and change nothing.
func TestOrderForeign(t *testing.T) {
	p, o, hs := ordered(Config{Seed: 1}, 4)
	q, _, foreign := ordered(Config{Seed: 2}, 4)
	p.Delete(hs[3])
	out := p.Insert(4) // in its slot
	vacant := Handle[int]{id: slots.ID{Index: p.state.Salt + 4, Gen: p.dir[0].Gens[4]}}
	for _, h := range []Handle[int]{{}, foreign[1], hs[3], vacant} {
		if o.MoveToFront(h) != nil || o.MoveToBack(h) != nil || o.Leave(h) || o.Contains(h) ||
			o.InsertBefore(h, hs[0]) || o.InsertAfter(h, hs[0]) || o.InsertBefore(hs[0], h) ||
			o.InsertAfter(hs[0], h) || !o.Next(h).IsZero() || !o.Prev(h).IsZero() {
			t.Errorf("%v is accepted", h)
		}
	}
	if o.InsertBefore(hs[0], out) || o.InsertAfter(out, out) || o.InsertBefore(out, out) {
		t.Error("a mark that is not in the Order is accepted")
	}
	if !o.InsertBefore(hs[1], hs[1]) || !o.InsertAfter(hs[1], hs[1]) {
		t.Error("a value is not inserted beside itself")
	}
	wantOrder(t, "in place", o, 0, 1, 2)
	if !o.InsertAfter(hs[0], hs[1]) || !o.InsertBefore(out, hs[1]) || !o.InsertAfter(hs[0], hs[1]) {
		t.Error("a value is not inserted")
	}
	wantOrder(t, "inserted", o, 4, 1, 0, 2)
	if p.Len() != 4 || q.Len() != 4 {
		t.Error("an Order changes its Pool")
	}
}

// Orders of few values, and of a block's.
func TestOrderSizes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 129} {
		p, o, _ := ordered(Config{Seed: 1, Limit: max(n, 1)}, n)
		up := make([]int, n)
		for i := range up {
			up[i] = i
		}
		wantOrder(t, fmt.Sprint(n), o, up...)
		if n > 0 && !p.Insert(-1).IsZero() {
			t.Error("a full Pool takes a value")
		}
		for i := range n { // also in a full Pool
			if _, v := o.Recycle(); v == nil || *v != n-1-i {
				t.Fatalf("%d: Recycle %d is %v", n, i, v)
			}
		}
		wantOrder(t, fmt.Sprint(n, " recycled"), o, up...)
		i := 0
		for _, v := range o.Backward() {
			if i++; *v != n-i {
				t.Errorf("%d: Backward yields %d at %d", n, *v, i)
			}
		}
		for i := range n {
			pop, want := o.PopFront, i/2
			if i%2 != 0 {
				pop, want = o.PopBack, n-1-i/2
			}
			if v, ok := pop(); !ok || v != want {
				t.Errorf("%d: a pop returns %d, %v, want %d", n, v, ok, want)
			}
		}
		if wantOrder(t, "popped", o); p.Len() != 0 {
			t.Errorf("%d: %d values are left", n, p.Len())
		}
	}
}

// Every way to remove a value takes it out of all Orders.
func TestOrderRemovals(t *testing.T) {
	q, _, _ := ordered(Config{Seed: 7}, 2)
	bin, _ := q.MarshalBinary()
	js, _ := q.MarshalJSON()
	for name, end := range map[string]func(p *Pool[int], h Handle[int]){
		"Remove": func(p *Pool[int], h Handle[int]) { p.Remove(h) },
		"Delete": func(p *Pool[int], h Handle[int]) { p.Delete(h) },
		"RemoveFunc": func(p *Pool[int], _ Handle[int]) {
			p.RemoveFunc(func(_ Handle[int], v *int) bool { return *v == 1 })
		},
		"Drain": func(p *Pool[int], _ Handle[int]) {
			for range Drain(p) {
				continue
			}
		},
		"Clear":           func(p *Pool[int], _ Handle[int]) { p.Clear() },
		"CopyFrom":        func(p *Pool[int], _ Handle[int]) { p.CopyFrom(q) },
		"CopyFrom itself": func(p *Pool[int], _ Handle[int]) { p.CopyFrom(p.Clone()) },
		"UnmarshalBinary": func(p *Pool[int], _ Handle[int]) { _ = p.UnmarshalBinary(bin) },
		"UnmarshalJSON":   func(p *Pool[int], _ Handle[int]) { _ = p.UnmarshalJSON(js) },
		"Recycle": func(p *Pool[int], h Handle[int]) {
			o := NewOrder(p)
			o.MoveToBack(h)
			o.Recycle()
		},
		"Rewind": func(p *Pool[int], h Handle[int]) {
			p.Delete(h)
			s := NewHistory(p, HistoryConfig{Frames: 2})
			p.Insert(1)
			_ = s.Rewind(1)
			s.Close()
		},
	} {
		p, o, hs := ordered(Config{Seed: 1}, 3)
		o2 := NewOrder(p)
		o2.MoveToFront(hs[1])
		end(p, hs[1])
		if o.Contains(hs[1]) || o2.Len() != 0 || o.Len() > 2 {
			t.Errorf("%s: the value is still in an Order", name)
		}
		for h := range p.All() { // also those that have come
			if o.MoveToBack(h) == nil || !o2.Front().IsZero() {
				t.Errorf("%s: a value cannot enter", name)
			}
		}
		if o.Len() != p.Len() {
			t.Errorf("%s: %d of %d values have entered", name, o.Len(), p.Len())
		}
		o.checkInvariants()
		o2.checkInvariants()
	}
	p, o, _ := ordered(Config{Seed: 1}, 3)
	if err := p.UnmarshalBinary(bin[:50]); err == nil {
		t.Error("bytes that were cut off are loaded")
	}
	wantOrder(t, "a load that fails", o, 0, 1, 2)
	if r := p.Clone().state.Rare; len(r.Tables()) != 0 {
		t.Error("a clone has an Order")
	}
}

// Recycle moves the value to another slot once the generations of its slot are used up.
func TestOrderGenerations(t *testing.T) {
	p := NewPool[int](Config{Seed: 3, Limit: 2})
	p.AgeForTest(64, 2)
	o, o2 := NewOrder(p), NewOrder(p)
	c := NewColumn[int](p)
	a, b := p.Insert(1), p.Insert(2)
	o.MoveToFront(a)
	o.MoveToFront(b)
	for i := range 4 { // b, and a, each for the second time: 2 lives
		old := o.Back()
		o2.MoveToFront(old)
		c.Set(old, 5)
		h, v := o.Recycle()
		if v == nil || *v != 1+i%2 || p.Ptr(h) != v || p.Contains(old) || o.Front() != h {
			t.Fatalf("%d: Recycle = %v, %v", i, h, v)
		}
		if o2.Len() != 0 || c.Len() != 0 || p.Len() != 2 || o.Len() != 2 {
			t.Errorf("%d: the old value is left in %d, %d", i, o2.Len(), c.Len())
		}
		if got, want := p.Stats().Retired, max(0, i-1); got != want {
			t.Errorf("%d: %d slots are retired, want %d", i, got, want)
		}
		if at := p.IndexOf(h); at != i%2+i/2*2 {
			t.Errorf("%d: the new value is in slot %d", i, at)
		}
		o.checkInvariants()
	}
	if s := p.Stats(); s.Inserts != 6 || s.Removes != 4 {
		t.Errorf("%+v", s)
	}
}

// refusing is a Memory that gives one piece.
type refusing struct{ given bool }

func (m *refusing) Alloc(size, align int) ([]byte, error) {
	if m.given {
		return nil, errors.New("no more")
	}
	m.given = true
	return make([]byte, size+align)[:size], nil
}

func (*refusing) Free([]byte) {}

// Recycle of a slot that is used up changes nothing if Memory refuses another.
func TestOrderMemoryRefuses(t *testing.T) {
	p := NewPool[[1024]byte](Config{Seed: 3, Memory: new(refusing)})
	p.AgeForTest(64, 1)
	o := NewOrder(p)
	first := p.Insert([1024]byte{1})
	for o.MoveToFront(first); p.Len() < p.Cap(); {
		o.MoveToFront(p.Insert([1024]byte{}))
	}
	was := p.Stats()
	if h, v := o.Recycle(); v != nil || !h.IsZero() || p.Stats() != was || o.Back() != first {
		t.Errorf("Recycle = %v; %+v, was %+v", h, p.Stats(), was)
	}
	p.Delete(o.Front())
	if h, v := o.Recycle(); v != nil || !h.IsZero() || !p.Contains(first) { // that one is retired
		t.Errorf("Recycle = %v", h)
	}
	o.checkInvariants()
}

// Recycle calls OnRemove and then OnInsert. Either may panic, and change the Pool.
func TestOrderHooks(t *testing.T) {
	var log []string
	var o *Order[int]
	var p *Pool[int]
	onInsert, onRemove := func() {}, func() {}
	begin := func(c Config) []Handle[int] {
		var hs []Handle[int]
		p, o, hs = ordered(c, 3)
		log = nil
		SetHooks(p, Hooks[int]{
			OnInsert: func(h Handle[int], v *int) {
				if p.Ptr(h) != v || o.Front() != h && o.Len() > 0 {
					t.Error("OnInsert is called before the value is the first")
				}
				log = append(log, fmt.Sprint("+", *v))
				onInsert()
			},
			OnRemove: func(h Handle[int], v *int) {
				if p.Contains(h) || o.Contains(h) || p.Ptr(h) == v {
					t.Error("OnRemove finds the value")
				}
				log = append(log, fmt.Sprint("-", *v))
				*v = 99 // of a copy
				onRemove()
			},
		})
		return hs
	}
	hs := begin(Config{Seed: 1, Limit: 3})
	h, v := o.Recycle()
	if !slices.Equal(log, []string{"-2", "+2"}) || v == nil || *v != 2 || p.Contains(hs[2]) ||
		p.IndexOf(h) != 2 || p.Len() != 3 {
		t.Errorf("%v; Recycle = %v, %v", log, h, v)
	}
	wantOrder(t, "hooks", o, 2, 0, 1)

	// The slot is not vacant meanwhile, as Limit counts it.
	onRemove = func() {
		if !p.Insert(7).IsZero() || p.Len() != 2 || o.Len() != 2 {
			t.Error("OnRemove takes the slot")
		}
		p.Clip()
	}
	o.Recycle()
	wantOrder(t, "an insert", o, 1, 2, 0)
	onRemove = func() { p.Clear() }
	for range 2 {
		if _, v := o.Recycle(); v == nil || p.Len() != 1 { // removes the others
			t.Errorf("Recycle = %v, %d", v, p.Len())
		}
	}
	onRemove = func() { o.Close() }
	if h, v := o.Recycle(); !p.Contains(h) || v == nil || o.Len() != 0 {
		t.Error("Close in OnRemove")
	}
	p.checkInvariants()

	hs, onRemove = begin(Config{Seed: 1}), func() { panic("hook") }
	wantPanic(t, "hook", func() { o.Recycle() })
	if wantOrder(t, "OnRemove panics", o, 0, 1); p.Contains(hs[2]) || p.Len() != 2 {
		t.Error("the value stays")
	}
	p.checkInvariants()
	SetHooks(p, Hooks[int]{})
	if h := p.Insert(3); p.IndexOf(h) != 2 || h == hs[2] {
		t.Errorf("the slot is lost: %v", h)
	}
	onRemove = func() {}

	hs, onInsert = begin(Config{Seed: 1}), func() { panic("hook") }
	wantPanic(t, "hook", func() { o.Recycle() })
	if wantOrder(t, "OnInsert panics", o, 0, 1); p.Contains(hs[2]) || p.Len() != 2 {
		t.Error("the value stays")
	}
	begin(Config{Seed: 1})
	onInsert = func() { p.Delete(o.Front()) }
	if h, v := o.Recycle(); h.IsZero() || v != nil || p.Len() != 2 {
		t.Errorf("OnInsert removes: %v, %v", h, v)
	}
	wantOrder(t, "OnInsert removes", o, 0, 1)

	// An OnInsert alone.
	p, o, _ = ordered(Config{Seed: 1}, 2)
	log = nil
	SetHooks(p, Hooks[int]{OnInsert: func(_ Handle[int], v *int) {
		log = append(log, fmt.Sprint("+", *v))
		o.Clear()
	}})
	if _, v := o.Recycle(); *v != 1 || !slices.Equal(log, []string{"+1"}) || p.Len() != 2 {
		t.Errorf("%v, %d", log, *v)
	}
	wantOrder(t, "Clear in OnInsert", o)
	SetHooks(p, Hooks[int]{})
	o.MoveToFront(p.Insert(4))
	SetHooks(p, Hooks[int]{OnInsert: func(h Handle[int], _ *int) { p.Delete(h) }})
	if h, v := o.Recycle(); h.IsZero() || v != nil || o.Len() != 0 {
		t.Errorf("OnInsert removes: %v, %v", h, v)
	}
}

// A block whose last value is recycled stays, also with a hook that releases memory.
func TestOrderRecycleAlone(t *testing.T) {
	p, o, _ := ordered(Config{Seed: 1}, 1000)
	for range 999 {
		o.PopFront()
	}
	SetHooks(p, Hooks[int]{OnRemove: func(Handle[int], *int) {
		p.Clip()
		p.checkInvariants()
	}})
	for range 3 {
		if h, v := o.Recycle(); v == nil || *v != 999 || p.IndexOf(h) != 999 || p.Len() != 1 {
			t.Fatal(h, v)
		}
		p.checkInvariants()
	}
}

// Rewind brings a value back that was recycled and overwritten, and takes the values that it
// removes out of the Order.
func TestOrderHistory(t *testing.T) {
	for _, hook := range []func(Handle[int], *int){nil, func(Handle[int], *int) {}} {
		p, o, hs := ordered(Config{Seed: 1}, 3)
		SetHooks(p, Hooks[int]{OnRemove: hook})
		s := NewHistory(p, HistoryConfig{Frames: 4})
		s.Mark()
		h, v := o.Recycle()
		*v = 7
		o.MoveToBack(hs[0])
		changes := map[Handle[int]]Change{}
		for h, c := range s.Changed(2) {
			changes[h] = c
		}
		if len(changes) != 2 || changes[h] != ChangeInserted || changes[hs[2]] != ChangeRemoved {
			t.Errorf("Changed: %v", changes)
		}
		wantOrder(t, "before", o, 7, 1, 0)
		visits := 0
		for range o.All() {
			if visits++; visits == 1 {
				if err := s.Rewind(2); err != nil {
					t.Fatal(err)
				}
			}
		}
		if visits != 3 { // 7, of a value that is gone then, and the two that stay
			t.Errorf("a loop visits %d values", visits)
		}
		wantOrder(t, "after", o, 1, 0)
		if v, ok := p.Get(hs[2]); !ok || v != 2 || p.Contains(h) || p.Len() != 3 {
			t.Errorf("Rewind restores %d, %v", v, ok)
		}
		if again, _ := o.Recycle(); p.IndexOf(again) != 0 {
			t.Error("Recycle after Rewind")
		}
		s.Close()
		o.checkInvariants()
	}
}

// The links follow the directory of the Pool, and Clip cuts them.
func TestOrderMemory(t *testing.T) {
	const n = 10_000
	p, o, hs := ordered(Config{Seed: 1}, n)
	if links := linksOf(o, "links").Cap(); links < n || links > n*5/4+64 {
		t.Errorf("%d links for %d values", links, n)
	}
	if unsafe.Sizeof(Order[int]{}) > 80 {
		t.Errorf("an Order takes %d bytes", unsafe.Sizeof(Order[int]{}))
	}
	for _, h := range hs[100:] {
		p.Delete(h)
	}
	if links := linksOf(o, "links").Cap(); links > n/2 {
		t.Errorf("%d links for 100 values", links)
	}
	p.Clip()
	if links := linksOf(o, "links").Cap(); links > 150 {
		t.Errorf("%d links for 100 values after Clip", links)
	}
	o.checkInvariants()
	for _, h := range hs[10:] {
		o.Leave(h)
	}
	p.Clip()
	if links := linksOf(o, "links").Cap(); links > 20 || o.Len() != 10 {
		t.Errorf("%d links for 10 of 100 values after Clip", links)
	}
	for _, h := range hs[10:100] { // again beyond the links
		o.MoveToFront(h)
	}
	if o.Len() != 100 {
		t.Error(o.Len())
	}
	p.Clear()
	p.Clip()
	if links := linksOf(o, "links").Cap(); links > 2 {
		t.Errorf("%d links for no value", links)
	}
	wantOrder(t, "clipped", o)
}

// The collector frees the target of a value that is popped, or recycled and overwritten.
func TestOrderKeepsNothingAlive(t *testing.T) {
	for name, end := range map[string]func(o *Order[*[64]int]){
		"PopFront": func(o *Order[*[64]int]) { o.PopFront() },
		"PopBack":  func(o *Order[*[64]int]) { o.PopBack() },
		"Recycle":  func(o *Order[*[64]int]) { _, v := o.Recycle(); *v = nil },
		"Recycle, hooked": func(o *Order[*[64]int]) {
			SetHooks(o.p, Hooks[*[64]int]{OnRemove: func(Handle[*[64]int], **[64]int) {}})
			_, v := o.Recycle()
			*v = nil
		},
		"Recycle, used up": func(o *Order[*[64]int]) {
			for range 2 {
				_, v := o.Recycle()
				*v = nil
			}
		},
	} {
		p := NewPool[*[64]int](Config{Seed: 1})
		p.AgeForTest(64, 2)
		o := NewOrder(p)
		x := new([64]int)
		w := weak.Make(x)
		o.MoveToFront(p.Insert(x))
		if runtime.GC(); w.Value() == nil {
			t.Errorf("%s: a value is collected", name)
		}
		end(o)
		runtime.GC()
		if w.Value() != nil {
			t.Errorf("%s: what the value pointed to is kept", name)
		}
		p.checkInvariants()
		runtime.KeepAlive(o)
	}
}

// A removal is as fast as before once there is neither an Order nor a Column, and inserts always.
func TestOrderSpeed(t *testing.T) {
	p, o, _ := ordered(Config{Seed: 1}, 3)
	c := NewColumn[int](p)
	if p.state.Calm != 0 || p.state.Quick != p.state.Max {
		t.Error("with both")
	}
	if o.Close(); p.state.Calm != 0 {
		t.Error("with a Column")
	}
	if c.Close(); p.state.Calm != p.state.Max {
		t.Error("with neither")
	}
	p.checkInvariants()
}

// linksOf returns the named field of the ring of o.
func linksOf(o *Order[int], field string) reflect.Value {
	return reflect.ValueOf(&o.ring).Elem().FieldByName(field)
}

// The invariants find links that are wrong.
func TestOrderInvariants(t *testing.T) {
	set := func(o *Order[int], field string, i int, of string, to uint32) {
		*(*uint32)(linksOf(o, field).Index(i).FieldByName(of).Addr().UnsafePointer()) = to
	}
	for rule, spoil := range [][]func(p *Pool[int], o *Order[int]){
		1: {
			func(_ *Pool[int], o *Order[int]) { set(o, "links", 2, "prev", 4) },
			func(_ *Pool[int], o *Order[int]) { set(o, "links", 3, "next", 3) },
			func(_ *Pool[int], o *Order[int]) { set(o, "links", 0, "next", 3) },
			func(_ *Pool[int], o *Order[int]) { // leaves out slot 1, and the count has it
				set(o, "links", 2, "next", 4)
				set(o, "links", 4, "prev", 2)
				set(o, "links", 3, "prev", 0)
				set(o, "links", 3, "next", 0)
			},
		},
		2: {func(p *Pool[int], o *Order[int]) {
			look(p).Rare.Columns = nil
			look(p).SetMax(p.state.Max)
			p.Delete(o.Back())
			look(p).Rare.Columns = []slots.Column{&o.ring}
		}},
		3: {
			func(_ *Pool[int], o *Order[int]) { o.Leave(o.Back()); set(o, "links", 4, "prev", 3) },
			func(_ *Pool[int], o *Order[int]) { o.Leave(o.Back()); set(o, "links", 4, "next", 3) },
			func(p *Pool[int], o *Order[int]) { o.Clear(); p.dir = nil },
		},
		4: {func(p *Pool[int], _ *Order[int]) { look(p).Rare.Columns = nil }},
		5: {func(_ *Pool[int], o *Order[int]) {
			at := o.ring.Begin(false)
			set(o, "loops", at, "end", 0)
		}},
	} {
		for i, spoil := range spoil {
			p, o, _ := ordered(Config{Seed: 1}, 3)
			spoil(p, o)
			mustPanic(t, fmt.Sprintf("berth: Order invariant %d: ", rule), o.checkInvariants)
			if t.Failed() {
				t.Log("rule", rule, "spoilt in way", i)
			}
		}
	}
}
