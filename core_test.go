package berth

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/seed505807e1/berth/internal/slots"
)

// sameLayout fails unless a *P may be read as a *core: the same fields at the same offsets, and
// blocks that begin with a head and have their values where a kind expects them. flat tells whether
// values have no Go pointers.
func sameLayout[P, V any](t *testing.T, flat bool) {
	t.Helper()
	sameFields(t, reflect.TypeFor[P](), reflect.TypeFor[slots.Core]())
	sameFields(t, reflect.TypeFor[Dense[V]](), reflect.TypeFor[slots.Dense]())
	b := reflect.TypeFor[slots.Block[V]]()
	if f := b.Field(0); f.Type != reflect.TypeFor[slots.Head]() || f.Offset != 0 {
		t.Errorf("%v begins with %v", b, f)
	}
	vals, _ := b.FieldByName("Vals")
	k := slots.KindOf((*slots.Block[V])(nil))
	size, align := vals.Type.Elem().Size(), vals.Type.Elem().Align()
	if vals.Offset != slots.HeadBytes || slots.HeadBytes%uintptr(align) != 0 || k.Size != size ||
		k.Flat != flat || k.Block != b.Size() || slots.TypeOf(k) != vals.Type.Elem() || b.Align() > k.Align {
		t.Errorf("%v: the values are at %d of %d, aligned to %d; the kind is %+v",
			b, vals.Offset, b.Size(), align, *k)
	}
}

// sameFields compares the fields of a container with those of its form without a type of values.
func sameFields(t *testing.T, typed, as reflect.Type) {
	t.Helper()
	if typed.Size() != as.Size() || typed.Align() != as.Align() || typed.NumField() != as.NumField() {
		t.Fatalf("%v: %d bytes and %d fields, %v has %d and %d",
			typed, typed.Size(), typed.NumField(), as, as.Size(), as.NumField())
	}
	for i := range as.NumField() {
		a, b := typed.Field(i), as.Field(i)
		if !strings.HasSuffix(strings.ToLower(b.Name), strings.ToLower(a.Name)) || a.Offset != b.Offset || a.Type.Size() != b.Type.Size() ||
			b.Name != "Dir" && b.Name != "Vals" && a.Type != b.Type {
			t.Errorf("%v: field %d is %v, that of %v is %v", typed, i, a, as, b)
		}
	}
}

func TestCoreLayout(t *testing.T) {
	type wide struct {
		A byte
		B uint64
		C [3]uint16
	}
	sameLayout[Pool[byte], byte](t, true)
	sameLayout[Pool[struct{}], struct{}](t, true)
	sameLayout[Pool[[2]uint64], [2]uint64](t, true)
	sameLayout[Pool[wide], wide](t, true)
	sameLayout[Pool[*int], *int](t, false)
	sameLayout[Pool[map[string][]any], map[string][]any](t, false)
	sameLayout[slots.SlotTable, uint32](t, true)
	var vals []int
	if vals = append(vals, 1, 2, 3); *(*slots.Array)(slots.Ref(&vals)) != (slots.Array{First: slots.Ref(&vals[0]), N: 3, Cap: cap(vals)}) {
		t.Error("a slice is not an array")
	}
}

// Package slots has the values of these constants by other types.
func TestCoreConstants(t *testing.T) {
	for _, c := range []struct{ here, there any }{
		{TruncateMemory, TruncateMemory + Truncate(slots.TruncateMemory)},
		{TruncateLength, TruncateMemory + Truncate(slots.TruncateLength)},
		{TruncateNever, TruncateMemory + Truncate(slots.TruncateNever)},
		{DefragDeferred, Defrag(slots.DefragDeferred)},
		{DefragImmediate, Defrag(slots.DefragImmediate)},
		{DefragManual, Defrag(slots.DefragManual)},
	} {
		if c.here != c.there {
			t.Errorf("%v here is %v in package slots", c.here, c.there)
		}
	}
}

// Reading a zero Pool does not write to it, so several goroutines may do so.
func TestCoreReaders(t *testing.T) {
	var p Pool[*int]
	var d Dense[string]
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			h := HandleFromUint64[*int](1<<32 | 7)
			if p.Len()+p.Cap()+p.IndexOf(h)+p.Stats().Live+d.Len()+d.Cap()+d.Stats().Live != -1 ||
				p.Ptr(h) != nil || p.String() != "berth.Pool[*int](0 of 0 slots)" {
				t.Error("a zero Pool is not empty")
			}
			for range p.All() {
				t.Error("a zero Pool has a value")
			}
			for range p.Slots() {
				t.Error("a zero Pool has slots")
			}
		}()
	}
	all.Wait()
}

// linked is a value with Go pointers in all places where they can be.
type linked struct {
	name string
	next *linked
	any  any
	many []*int
	num  int
}

func newLinked(n int) linked {
	return linked{fmt.Sprint(n), &linked{num: n}, n, []*int{&n}, n}
}

func (l *linked) check(t *testing.T) {
	t.Helper()
	if l.name != fmt.Sprint(l.num) || l.next.num != l.num || l.any != l.num || *l.many[0] != l.num {
		t.Fatalf("a value of %d has become %+v", l.num, *l)
	}
}

// The collector runs all the time while values with pointers are moved, copied and cleared by code
// that does not know their type. A value that it misses is overwritten by new ones.
func TestCorePointers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	rng := rand.New(rand.NewPCG(1, 2))
	var p Pool[linked]
	var d Dense[linked]
	SetHooks(&p, Hooks[linked]{OnRemove: func(_ Handle[linked], v *linked) { v.check(t) }})
	DenseSetHooks(&d, Hooks[linked]{OnRemove: func(_ Handle[linked], v *linked) { v.check(t) }})
	s := NewHistory(&p, HistoryConfig{Frames: 3})
	frame := s.Mark()
	hs, ds := []Handle[linked](nil), []Handle[linked](nil)
	for step := range 600 {
		switch rng.IntN(12) {
		case 0, 1, 2, 3:
			hs = append(hs, p.Insert(newLinked(step)))
			ds = append(ds, d.Insert(newLinked(step)))
		case 4:
			hs = append(hs, p.InsertFunc(func(_ Handle[linked], v *linked) {
				runtime.GC()
				*v = newLinked(step)
			}))
		case 5, 6:
			if len(hs) > 0 {
				k := rng.IntN(len(hs))
				p.Remove(hs[k])
			}
			if len(ds) > 0 {
				k := rng.IntN(len(ds))
				d.Delete(ds[k])
			}
		case 7:
			q := p.Clone()
			p.Clear()
			p.CopyFrom(q)
		case 8:
			c := d.Clone()
			d.Clear()
			d.CopyFrom(c)
		case 9:
			frame = s.Mark()
		case 10:
			if frame >= s.Oldest() {
				_ = s.Rewind(frame)
			}
		case 11:
			p.Clip()
			d.Clip()
		}
		if step%10 != 0 {
			continue
		}
		for _, v := range p.All() {
			v.check(t)
		}
		for _, v := range d.All() {
			v.check(t)
		}
	}
	if p.Len() == 0 || d.Len() == 0 {
		t.Error("nothing is left")
	}
}

// A handle with the generation of a slot that is retired, vacant or under construction finds
// nothing and changes nothing.
func TestCoreForged(t *testing.T) {
	hook := func(Handle[int], *int) { t.Error("a hook is called") }
	var edit func(Handle[int]) bool
	for name, set := range map[string]func(p *Pool[int], d *Dense[int]){
		"plain": func(*Pool[int], *Dense[int]) {},
		"hooks": func(p *Pool[int], d *Dense[int]) {
			SetHooks(p, Hooks[int]{OnRemove: hook})
			DenseSetHooks(d, Hooks[int]{OnRemove: hook})
		},
		"Columns": func(p *Pool[int], d *Dense[int]) { NewColumn[int](p); NewDenseColumn[int](d) },
		"Histories": func(p *Pool[int], d *Dense[int]) {
			s := NewHistory(p, HistoryConfig{Frames: 1})
			r := NewDenseHistory(d, HistoryConfig{Frames: 1})
			edit = func(h Handle[int]) bool { return s.Edit(h) != nil || r.Edit(h) != nil }
		},
	} {
		p, d := NewPool[int](Config{Seed: 1}), NewDense[int](DenseConfig{Seed: 1})
		p.AgeForTest(64, 2)
		d.AgeForTest(64, 2)
		var last Handle[int]
		for i := range 4 { // slot 0 stays, slot 1 is used twice, slot 2 once, slot 3 never
			if last = p.Insert(i); last != d.Insert(i) {
				t.Fatal("a Pool and a Dense with one seed issue different handles")
			}
			if i > 0 {
				p.Delete(last)
				d.Delete(last)
			}
		}
		edit = func(Handle[int]) bool { return false }
		set(p, d)
		refuse := func(u uint64) {
			h := HandleFromUint64[int](u)
			b, _ := look(p).Find(h.id)
			k, _ := look(p).Place(h.id)
			if b != nil || k != -1 || coreOf(p).Delete(h.id) || p.Delete(h) || p.Contains(h) ||
				Apply(p, h, func(*int, Others[int]) {}) || (Others[int]{p, h}).Len() != p.Len() {
				t.Errorf("%s: a Pool accepts %v", name, h)
			}
			if d.state.Index.Core().Delete(h.id) || d.Delete(h) || d.Contains(h) || d.Ptr(h) != nil {
				t.Errorf("%s: a Dense accepts %v", name, h)
			}
			_, got := p.Get(h)
			_, removed := p.Remove(h)
			_, gotDense := d.Get(h)
			_, removedDense := d.Remove(h)
			if got || removed || gotDense || removedDense || edit(h) {
				t.Errorf("%s: Get, Remove or Edit accepts %v", name, h)
			}
			p.checkInvariants()
			d.checkInvariants()
		}
		const gen = 1 << 32
		refuse(last.Uint64() + gen)     // slot 2
		refuse(last.Uint64() - gen + 1) // slot 3
		refuse(last.Uint64() + 3*gen - 1)
		p.InsertFunc(func(h Handle[int], _ *int) { refuse(h.Uint64() - gen) })
		d.InsertFunc(func(h Handle[int], _ *int) { refuse(h.Uint64() - gen) })
		if p.Len() != 2 || d.Len() != 2 {
			t.Errorf("%s: %d and %d values", name, p.Len(), d.Len())
		}
	}
}
