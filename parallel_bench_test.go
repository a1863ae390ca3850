package berth

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkParallel measures loops with 1 and 2 goroutines beside the loops that they divide: a
// light body over few and many values, and each value against all others. From few values on, two
// goroutines should take no longer than the plain loop.
func BenchmarkParallel(b *testing.B) {
	for _, n := range []int{1000, 10_000, 30_000, 100_000, 1_000_000} {
		p, _, _ := columnBench(n, 0)
		body := func(_ Handle[columnValue], span []columnValue) {
			for i := range span {
				span[i].a++
			}
		}
		sum := func() (s uint64) {
			for v := range p.Values() {
				s += v.a
			}
			return s
		}
		parallelRows(b, "spans", n, n, sum,
			func() { spansOf(p, body) },
			func(workers int) { ParallelSpans(p, workers, body) })
	}
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		_, c, _ := columnBench(n, 50)
		move := func(_ *columnValue, x *columnPart) { x.x++ }
		sum := func() (s uint64) {
			for _, x := range c.All() {
				s += uint64(x.x)
			}
			return s
		}
		parallelRows(b, "join", n, c.Len(), sum,
			func() {
				for v, x := range c.Join() {
					move(v, x)
				}
			},
			func(workers int) { ParallelJoin(c, workers, move) })
	}
	const n = 5000
	p := new(Pool[collider])
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		p.Insert(collider{x: int16(r.IntN(1000)), y: int16(r.IntN(1000))})
	}
	hits := func() (s uint64) {
		for c := range p.Values() {
			if c.hit {
				s++
			}
		}
		return s
	}
	parallelRows(b, "traverse", n, n*(n-1), hits,
		func() {
			for e, others := range Traverse(p) {
				hitBy(e, others)
			}
		},
		func(workers int) { ParallelTraverse(p, workers, hitBy) })
}

// parallelRows runs a plain loop and its parallel form over n values, and reports the time for each
// of units. sum must change by the same number in each run of either form, or not at all.
func parallelRows(
	b *testing.B, op string, n, units int, sum func() uint64, plain func(), parallel func(int),
) {
	change := func(f func()) uint64 {
		was := sum()
		f()
		return sum() - was
	}
	plain() // so that what only a first run changes has changed
	want := change(plain)
	for _, x := range []struct {
		impl string
		f    func()
	}{
		{"plain", plain},
		{"workers-1", func() { parallel(1) }},
		{"workers-2", func() { parallel(2) }},
	} {
		b.Run(fmt.Sprintf("op=%s/n=%d/impl=%s", op, n, x.impl), func(b *testing.B) {
			if got := change(x.f); got != want {
				b.Fatalf("the sum changes by %d, want %d", got, want)
			}
			for b.Loop() {
				x.f()
			}
			perElem(b, units)
		})
	}
}

//go:noinline
func spansOf(p *Pool[columnValue], body func(Handle[columnValue], []columnValue)) {
	for h, span := range p.Spans() {
		body(h, span)
	}
}

//go:noinline
func hitBy(e Entry[collider], others Others[collider]) {
	a, hit := *e.Value, false
	for _, span := range others.Spans() {
		for i := range span {
			if near(&a, &span[i]) {
				hit = true
			}
		}
	}
	if hit {
		e.Value.hit = true
	}
}
