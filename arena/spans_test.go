package arena_test

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// Spans and Values visit the same values as All, even while their bodies remove values.
func TestSpansAreAll(t *testing.T) {
	const n = 1000
	p := arena.NewPool[int](arena.NewChunked(1 << 12))
	r := arena.NewHandles[int, arena.Handle64[int]](arena.NewChunked(1<<12), arena.HandlesConfig{})
	var hs []arena.Handle64[int]
	for i := range n {
		p.Insert(i)
		h, _ := r.Insert(i)
		hs = append(hs, h)
	}
	x := uint32(1)
	for i := range n { // runs of various lengths
		if x = x*1664525 + 1013904223; i/64%5 != 1 && (x>>30 == 0 || i/64%5 == 2) {
			p.Remove(i)
			r.Delete(hs[i])
		}
	}
	var all, values, spans []int
	for i, v := range p.All() {
		all = append(all, i)
		if *v != i {
			t.Errorf("value %d of Pool = %d", i, *v)
		}
	}
	for v := range p.Values() {
		values = append(values, *v)
	}
	for first, s := range p.Spans() {
		for i, v := range s {
			spans = append(spans, v)
			if first+i != v {
				t.Errorf("value %d of the span at %d = %d", i, first, v)
			}
		}
	}
	if !slices.Equal(values, all) || !slices.Equal(spans, all) {
		t.Errorf("Pool: %d values, %d in spans, want %d", len(values), len(spans), len(all))
	}
	values, spans = nil, nil
	for v := range r.Values() {
		values = append(values, *v)
	}
	for first, s := range r.Spans() {
		for i, v := range s {
			spans = append(spans, v)
			if h, x := r.At(first.Index() + uint32(i)); h != hs[v] || x != &s[i] || !r.Contains(h) {
				t.Errorf("At(%d) = %v, want %v", int(first.Index())+i, h, hs[v])
			}
		}
	}
	if !slices.Equal(values, all) || !slices.Equal(spans, all) {
		t.Errorf("Handles: %d values, %d in spans, want %d", len(values), len(spans), len(all))
	}
}

// A loop does not visit a value that its body removed before. In a span, it reads as zero.
func TestSpansRemove(t *testing.T) {
	p := arena.NewPool[int](arena.NewChunked(1 << 12))
	r := arena.NewHandles[int, arena.Handle64[int]](arena.NewChunked(1<<12), arena.HandlesConfig{})
	for i := range 200 {
		p.Insert(i + 1)
		_, _ = r.Insert(i + 1)
	}
	want, gone := 0, make(map[int]bool)
	for i := range 200 {
		if !gone[i] {
			want++
			gone[i+1], gone[i+70] = true, true
		}
	}
	met := 0
	for first, s := range p.Spans() {
		for i := range s {
			if s[i] != 0 {
				met++
				p.Remove(first + i)
				p.Remove(first + i + 1)
				p.Remove(first + i + 70)
			}
		}
	}
	if met != want || p.Len() != 0 {
		t.Errorf("Pool: met %d, want %d, left %d", met, want, p.Len())
	}
	met = 0
	for first, s := range r.Spans() {
		for i := range s {
			if s[i] != 0 {
				met++
				for _, beyond := range []int{0, 1, 70} {
					h, _ := r.At(first.Index() + uint32(i+beyond))
					r.Delete(h)
				}
			}
		}
	}
	if met != want || r.Len() != 0 {
		t.Errorf("Handles: met %d, want %d, left %d", met, want, r.Len())
	}
}
