package berth

import (
	"fmt"
	"testing"
)

// toucher is what the loops of BenchmarkCursor call for each value.
type toucher interface{ touch(v *elem) uint64 }

type adder struct{ n uint64 }

func (a *adder) touch(v *elem) uint64 { a.n++; return v[0] }

//go:noinline
func touchSlice(c toucher, v []elem) (s uint64) {
	for i := range v {
		s += c.touch(&v[i])
	}
	return s
}

//go:noinline
func touchValues(c toucher, p *Pool[elem]) (s uint64) {
	for v := range p.Values() {
		s += c.touch(v)
	}
	return s
}

//go:noinline
func touchSpans(c toucher, p *Pool[elem]) (s uint64) {
	for _, span := range p.Spans() {
		for i := range span {
			s += c.touch(&span[i])
		}
	}
	return s
}

//go:noinline
func touchCursor(c toucher, p *Pool[elem]) (s uint64) {
	for span, at := p.Span(0); span != nil; span, at = p.Span(at) {
		for i := range span {
			s += c.touch(&span[i])
		}
	}
	return s
}

//go:noinline
func sumCursor(p *Pool[elem]) (s uint64) {
	for span, at := p.Span(0); span != nil; span, at = p.Span(at) {
		for i := range span {
			s += span[i][0]
		}
	}
	return s
}

// BenchmarkCursor compares [Pool.Span] with the other loops and with a slice: with a call for each
// value that the compiler cannot inline, and with one field of it.
func BenchmarkCursor(b *testing.B) {
	const n = 10_000
	for _, share := range []int{100, 50} {
		p, _ := fill(n, share)
		s := make([]elem, 0, n)
		want := uint64(0)
		for v := range p.Values() {
			s = append(s, *v)
			want += v[0]
		}
		var c toucher = new(adder)
		for _, x := range []struct {
			name string
			loop func() uint64
		}{
			{"body=call/slice", func() uint64 { return touchSlice(c, s) }},
			{"body=call/Values", func() uint64 { return touchValues(c, p) }},
			{"body=call/Spans", func() uint64 { return touchSpans(c, p) }},
			{"body=call/Span", func() uint64 { return touchCursor(c, p) }},
			{"body=field/slice", func() uint64 { return sumSlice(s) }},
			{"body=field/Values", func() uint64 { return sumValues(p) }},
			{"body=field/Spans", func() uint64 { return sumSpans(p) }},
			{"body=field/Span", func() uint64 { return sumCursor(p) }},
		} {
			b.Run(fmt.Sprintf("live=%d%%/%s", share, x.name), func(b *testing.B) {
				for b.Loop() {
					if x.loop() != want {
						b.Fatal("wrong sum")
					}
				}
				perElem(b, n)
			})
		}
	}
}
