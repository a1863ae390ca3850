package arena_test

import (
	"encoding"
	"testing"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/costtest"
)

// marshaller is implemented by handles that can be marshalled, directly or through a pointer.
type marshaller[H any] interface {
	*H
	encoding.TextMarshaler
	encoding.TextUnmarshaler
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// decodes adds the decoding of h to table, under the name of its type.
func decodes[H comparable, P marshaller[H]](t *testing.T, name string, h H, table map[string]func()) {
	var got H
	text, err := P(&h).MarshalText()
	data, err2 := P(&h).MarshalBinary()
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for how, decode := range map[string]func() error{
		"Text":   func() error { return P(&got).UnmarshalText(text) },
		"Binary": func() error { return P(&got).UnmarshalBinary(data) },
	} {
		table[name+".Unmarshal"+how] = func() {
			var none H
			if got = none; decode() != nil || got != h {
				t.Errorf("%s: Unmarshal%s gives %v, want %v", name, how, got, h)
			}
		}
	}
}

// Functions that are documented never to allocate do not allocate.
func TestNeverAllocates(t *testing.T) {
	a := arena.NewFixed(1 << 20)
	v, d := arena.NewVec[int](a), arena.NewDeque[int](a, arena.DequeConfig{Block: 4})
	p := arena.NewPool[int](a)
	r := arena.NewHandles[int, arena.Handle64[int]](a, arena.HandlesConfig{})
	var n arena.Nested[int]
	var typed arena.Typed[string]
	var first arena.Handle64[int]
	short, _ := arena.NewHandles[int, arena.Handle32[int]](a, arena.HandlesConfig{}).Insert(1)
	for i := range 100 {
		v.Push(i)
		d.PushBack(i)
		p.Insert(i)
		first, _ = r.Insert(i)
		n.Push(a, i)
		typed.New()
	}
	sum := 0
	table := map[string]func(){
		"Arena.Mark":  func() { a.Mark() },
		"Arena.Stats": func() { sum += a.Stats().Used },
		"Typed.Mark":  func() { typed.Mark() },
		"Vec.All": func() {
			for i, x := range v.All() {
				sum += i + *x
			}
		},
		"Deque.All": func() {
			for i, x := range d.All() {
				sum += i + *x
			}
		},
		"Deque.Spans": func() {
			for i, s := range d.Spans() {
				sum += i + len(s)
			}
		},
		"Pool.All": func() {
			for i, x := range p.All() {
				sum += i + *x
			}
		},
		"Pool.Values": func() {
			for x := range p.Values() {
				sum += *x
			}
		},
		"Pool.Spans": func() {
			for i, s := range p.Spans() {
				sum += i + len(s)
			}
		},
		"Pool.Chunks": func() {
			for c := range p.Chunks() {
				sum += c.First
			}
		},
		"Handles.All": func() {
			for h, x := range r.All() {
				sum += int(h.Index()) + *x
			}
		},
		"Handles.Values": func() {
			for x := range r.Values() {
				sum += *x
			}
		},
		"Pool.Span": func() {
			for s, at := p.Span(0); s != nil; s, at = p.Span(at) {
				sum += len(s)
			}
		},
		"Handles.Spans": func() {
			for h, s := range r.Spans() {
				sum += int(h.Index()) + len(s)
			}
		},
		"Handles.Span": func() {
			for s, at := r.Span(0); s != nil; s, at = r.Span(at) {
				sum += len(s)
			}
		},
		"Handles.At": func() {
			if _, x := r.At(first.Index()); x != nil {
				sum++
			}
		},
		"Handles.Stats": func() { sum += r.Stats().Live },
		"Nested.All": func() {
			for i, x := range n.All(a) {
				sum += i + *x
			}
		},
	}
	decodes(t, "Handle32", short, table)
	decodes(t, "Handle64", first, table)
	costtest.NeverAllocates(t, 20, table)
	if sum == 0 {
		t.Error("the loops visited nothing")
	}
}
