package berth_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
)

// BenchmarkHot runs the paths that every program takes, on values as programs store them. make
// bench-compare runs it for two revisions in turns. The elements are structs, because Go keeps an
// array of several elements in memory, and an insert would measure the copying of its argument.
func BenchmarkHot(b *testing.B) {
	hotVerbs(b, "8B", words8{1})
	hotVerbs(b, "32B", words32{1, 2, 3, 4})
	hotVerbs(b, "pointers", record{"r", nil, 1})
	hotLoops(b)
}

type words8 struct{ a uint64 }

type words32 struct{ a, b, c, d uint64 }

type record struct {
	name string
	next *record
	n    uint64
}

// hotValues is the number of values that one iteration of a hot benchmark works on.
const hotValues = 10_000

var hotSink uint64

// hotOrder returns the numbers below hotValues in an order that looks random.
func hotOrder() []int { return rand.New(rand.NewPCG(1, 2)).Perm(hotValues) }

// hotRun runs f as a benchmark.
func hotRun(b *testing.B, name string, f func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
	})
}

// hotRefill runs a benchmark that empties a container and fills it again, and times the two
// separately.
func hotRefill(b *testing.B, name string, remove, insert func()) {
	b.Run(name, func(b *testing.B) {
		var removing, inserting time.Duration
		for b.Loop() {
			start := time.Now()
			remove()
			half := time.Now()
			insert()
			removing, inserting = removing+half.Sub(start), inserting+time.Since(half)
		}
		n := float64(b.N) * hotValues
		b.ReportMetric(float64(removing.Nanoseconds())/n, "remove-ns")
		b.ReportMetric(float64(inserting.Nanoseconds())/n, "insert-ns")
	})
}

// hotVerbs measures the verbs on values like v.
func hotVerbs[T any](b *testing.B, value string, v T) {
	order, hs := hotOrder(), make([]berth.Handle[T], hotValues)
	p := berth.NewPool[T](berth.Config{Capacity: hotValues})
	poolInsert(p, hs, order, v)
	hotRun(b, "Pool/op=find/value="+value, func() { poolFind(p, hs) })
	hotRun(b, "Pool/op=churn/value="+value, func() { poolChurn(p, hs, order, v) })
	hotRefill(b, "Pool/op=refill/value="+value,
		func() { poolRemove(p, hs) }, func() { poolInsert(p, hs, order, v) })

	d := berth.NewDense[T](berth.DenseConfig{Capacity: hotValues})
	denseInsert(d, hs, order, v)
	hotRun(b, "Dense/op=find/value="+value, func() { denseFind(d, hs) })
	hotRun(b, "Dense/op=churn/value="+value, func() { denseChurn(d, hs, order, v) })
	hotRefill(b, "Dense/op=refill/value="+value,
		func() { denseRemove(d, hs) }, func() { denseInsert(d, hs, order, v) })
}

// The loops below are functions of their own, so that no surrounding code takes registers.

//go:noinline
func poolInsert[T any](p *berth.Pool[T], hs []berth.Handle[T], order []int, v T) {
	for _, i := range order {
		hs[i] = p.Insert(v)
	}
}

//go:noinline
func poolRemove[T any](p *berth.Pool[T], hs []berth.Handle[T]) {
	for _, h := range hs {
		p.Remove(h)
	}
}

//go:noinline
func poolChurn[T any](p *berth.Pool[T], hs []berth.Handle[T], order []int, v T) {
	for _, i := range order {
		p.Remove(hs[i])
		hs[i] = p.Insert(v)
	}
}

//go:noinline
func poolFind[T any](p *berth.Pool[T], hs []berth.Handle[T]) {
	n := uint64(0)
	for _, h := range hs {
		if p.Ptr(h) != nil {
			n++
		}
	}
	hotSink += n
}

//go:noinline
func denseInsert[T any](d *berth.Dense[T], hs []berth.Handle[T], order []int, v T) {
	for _, i := range order {
		hs[i] = d.Insert(v)
	}
}

//go:noinline
func denseRemove[T any](d *berth.Dense[T], hs []berth.Handle[T]) {
	for _, h := range hs {
		d.Remove(h)
	}
}

//go:noinline
func denseChurn[T any](d *berth.Dense[T], hs []berth.Handle[T], order []int, v T) {
	for _, i := range order {
		d.Remove(hs[i])
		hs[i] = d.Insert(v)
	}
}

//go:noinline
func denseFind[T any](d *berth.Dense[T], hs []berth.Handle[T]) {
	n := uint64(0)
	for _, h := range hs {
		if d.Ptr(h) != nil {
			n++
		}
	}
	hotSink += n
}

// hotLoops measures the loops over all values, with a full container and with every second value
// removed.
func hotLoops(b *testing.B) {
	for _, live := range []string{"100", "50"} {
		p, d := new(berth.Pool[words32]), new(berth.Dense[words32])
		order := hotOrder()
		ps, ds := make([]berth.Handle[words32], hotValues), make([]berth.Handle[words32], hotValues)
		poolInsert(p, ps, order, words32{1, 2, 3, 4})
		denseInsert(d, ds, order, words32{1, 2, 3, 4})
		if live == "50" {
			poolRemove(p, ps[:hotValues/2])
			denseRemove(d, ds[:hotValues/2])
		}
		hotRun(b, "Pool/op=values/live="+live, func() { hotSink += sumPoolValues(p) })
		hotRun(b, "Pool/op=all/live="+live, func() { hotSink += sumPoolAll(p) })
		hotRun(b, "Pool/op=spans/live="+live, func() { hotSink += sumPoolSpans(p) })
		hotRun(b, "Dense/op=values/live="+live, func() { hotSink += sumDenseValues(d) })
		hotRun(b, "Dense/op=slice/live="+live, func() { hotSink += sumDenseSlice(d) })
	}
}

//go:noinline
func sumPoolValues(p *berth.Pool[words32]) (s uint64) {
	for v := range p.Values() {
		s += v.a
	}
	return s
}

//go:noinline
func sumPoolAll(p *berth.Pool[words32]) (s uint64) {
	for _, v := range p.All() {
		s += v.a
	}
	return s
}

//go:noinline
func sumPoolSpans(p *berth.Pool[words32]) (s uint64) {
	for _, vs := range p.Spans() {
		for i := range vs {
			s += vs[i].a
		}
	}
	return s
}

//go:noinline
func sumDenseValues(d *berth.Dense[words32]) (s uint64) {
	for v := range d.Values() {
		s += v.a
	}
	return s
}

//go:noinline
func sumDenseSlice(d *berth.Dense[words32]) (s uint64) {
	vs := d.Slice()
	for i := range vs {
		s += vs[i].a
	}
	return s
}

type words64 struct{ a, b, c, d, e, f, g, h uint64 }

// BenchmarkNew fills values in place, or inserts copies, into an emptied container.
func BenchmarkNew(b *testing.B) {
	p := berth.NewPool[words64](berth.Config{Capacity: hotValues})
	d := berth.NewDense[words64](berth.DenseConfig{Capacity: hotValues})
	hotRefill(b, "Pool/op=insert/value=64B", p.Clear, func() { poolFillCopies(p) })
	hotRefill(b, "Pool/op=new/value=64B", p.Clear, func() { poolFillFields(p) })
	hotRefill(b, "Dense/op=insert/value=64B", d.Clear, func() { denseFillCopies(d) })
	hotRefill(b, "Dense/op=new/value=64B", d.Clear, func() { denseFillFields(d) })
}

//go:noinline
func poolFillCopies(p *berth.Pool[words64]) {
	for i := range uint64(hotValues) {
		p.Insert(words64{i, i, i, i, i, i, i, i})
	}
}

//go:noinline
func poolFillFields(p *berth.Pool[words64]) {
	for i := range uint64(hotValues) {
		_, v := p.New()
		v.a, v.b, v.c, v.d = i, i, i, i
		v.e, v.f, v.g, v.h = i, i, i, i
	}
}

//go:noinline
func denseFillCopies(d *berth.Dense[words64]) {
	for i := range uint64(hotValues) {
		d.Insert(words64{i, i, i, i, i, i, i, i})
	}
}

//go:noinline
func denseFillFields(d *berth.Dense[words64]) {
	for i := range uint64(hotValues) {
		_, v := d.New()
		v.a, v.b, v.c, v.d = i, i, i, i
		v.e, v.f, v.g, v.h = i, i, i, i
	}
}
