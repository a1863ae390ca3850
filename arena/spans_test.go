package arena_test

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// spanned is a Pool or a Handles with the values 0 to n-1 in their slots.
type spanned struct {
	name   string
	values func(yield func(v *int) bool)
	spans  func(yield func(first int, s []int) bool)
	at     func(i int) *int // the value in slot i, or nil
	remove func(i int)
	len    func() int
}

func spannedBy(n int) [2]spanned {
	p := arena.NewPool[int](arena.NewChunked(1 << 12))
	r := arena.NewHandles[int, arena.Handle64[int]](arena.NewChunked(1<<12), arena.HandlesConfig{})
	for i := range n {
		p.Insert(i)
		_, _ = r.Insert(i)
	}
	at := func(i int) (arena.Handle64[int], *int) { return r.At(uint32(i + 1)) }
	return [2]spanned{
		{"Pool", p.Values(), p.Spans(), p.Ptr, func(i int) { p.Remove(i) }, p.Len},
		{"Handles", r.Values(), func(yield func(int, []int) bool) {
			r.Spans()(func(h arena.Handle64[int], s []int) bool { return yield(int(h.Index()-1), s) })
		}, func(i int) *int {
			h, v := at(i)
			if r.Ptr(h) != v {
				return nil
			}
			return v
		}, func(i int) { h, _ := at(i); r.Delete(h) }, r.Len},
	}
}

// Spans and Values visit the values, each in its place.
func TestSpansAreAll(t *testing.T) {
	const n = 1000
	for _, c := range spannedBy(n) {
		var want, values, spans []int
		x := uint32(1)
		for i := range n { // runs of various lengths
			if x = x*1664525 + 1013904223; i/64%5 != 1 && (x>>30 == 0 || i/64%5 == 2) {
				c.remove(i)
			} else {
				want = append(want, i)
			}
		}
		for v := range c.values {
			values = append(values, *v)
		}
		for first, s := range c.spans {
			for i, v := range s {
				spans = append(spans, v)
				if first+i != v || c.at(v) != &s[i] {
					t.Errorf("%s: value %d of the span at %d = %d", c.name, i, first, v)
				}
			}
		}
		if !slices.Equal(values, want) || !slices.Equal(spans, want) {
			t.Errorf("%s: %d values, %d in spans, want %d", c.name, len(values), len(spans), len(want))
		}
	}
}

// A loop does not visit a value that its body removed before. In a span, it reads as zero.
func TestSpansRemove(t *testing.T) {
	const n = 200
	for _, c := range spannedBy(n) {
		for v := range c.values {
			*v++
		}
		want, gone := 0, make(map[int]bool)
		for i := range n {
			if !gone[i] {
				want++
				gone[i+1], gone[i+70] = true, true
			}
		}
		met := 0
		for first, s := range c.spans {
			for i := range s {
				if s[i] != 0 {
					met++
					for _, beyond := range []int{0, 1, 70} {
						c.remove(first + i + beyond)
					}
				}
			}
		}
		if met != want || c.len() != 0 {
			t.Errorf("%s: met %d, want %d, left %d", c.name, met, want, c.len())
		}
	}
}
