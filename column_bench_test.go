package berth

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

type (
	columnValue struct {
		a uint64
		_ [3]uint64
	}
	columnPart struct{ x, y float64 }
)

// The loops are functions of their own, as in pool_bench_test.go.

//go:noinline
func sumJoin(c *Column[columnValue, columnPart]) (s float64) {
	for a, b := range c.Join() {
		s += float64(a.a) + b.x
	}
	return s
}

//go:noinline
func sumJoinSpans(c *Column[columnValue, columnPart]) (s float64) {
	for a, b := range c.JoinSpans() {
		b = b[:len(a)]
		for i := range a {
			s += float64(a[i].a) + b[i].x
		}
	}
	return s
}

//go:noinline
func sumColumn(c *Column[columnValue, columnPart]) (s float64) {
	for _, b := range c.All() {
		s += b.x
	}
	return s
}

//go:noinline
func sumJoin2(a, b *Column[columnValue, columnPart]) (s float64) {
	for x, y := range Join2(a, b) {
		s += x.x + y.y
	}
	return s
}

//go:noinline
func sumWithout(a, b *Column[columnValue, columnPart]) (s float64) {
	for _, x := range Without(a, b) {
		s += x.x
	}
	return s
}

//go:noinline
func sumColumnPtr(c *Column[columnValue, columnPart], hs []Handle[columnValue]) (s float64) {
	for _, h := range hs {
		s += c.Ptr(h).x
	}
	return s
}

//go:noinline
func sumPoolPtr(p *Pool[columnValue], hs []Handle[columnValue]) (s float64) {
	for _, h := range hs {
		s += float64(p.Ptr(h).a)
	}
	return s
}

// columnBench returns a Pool of n values, a Column that share percent of them are in, at random,
// and their handles in random order.
func columnBench(n, share int) (
	*Pool[columnValue], *Column[columnValue, columnPart], []Handle[columnValue],
) {
	r := rand.New(rand.NewPCG(3, 4))
	p := NewPool[columnValue](Config{Seed: 1})
	c := NewColumn[columnPart](p)
	var hs []Handle[columnValue]
	for i := range n {
		h := p.Insert(columnValue{a: uint64(i)})
		if r.IntN(100) < share {
			c.Set(h, columnPart{1, 2})
			hs = append(hs, h)
		}
	}
	r.Shuffle(len(hs), func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
	return p, c, hs
}

// BenchmarkColumn measures loops and lookups per value that has a V, for values of 32 bytes and Vs
// of 16.
func BenchmarkColumn(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		for _, share := range []int{100, 50, 10, 1} {
			p, c, hs := columnBench(n, share)
			half := NewColumn[columnPart](p)
			r := rand.New(rand.NewPCG(5, 6))
			for h := range p.All() {
				if r.IntN(2) == 0 {
					half.Set(h, columnPart{3, 4})
				}
			}
			for _, x := range []struct {
				op string
				f  func() float64
			}{
				{"Join", func() float64 { return sumJoin(c) }},
				{"JoinSpans", func() float64 { return sumJoinSpans(c) }},
				{"All", func() float64 { return sumColumn(c) }},
				{"Join2", func() float64 { return sumJoin2(c, half) }},
				{"Without", func() float64 { return sumWithout(c, half) }},
				{"Ptr", func() float64 { return sumColumnPtr(c, hs) }},
				{"PoolPtr", func() float64 { return sumPoolPtr(p, hs) }},
			} {
				b.Run(fmt.Sprintf("op=%s/n=%d/share=%d", x.op, n, share), func(b *testing.B) {
					want, got := x.f(), 0.0
					for b.Loop() {
						got = x.f()
					}
					if got != want {
						b.Fatal(got, want)
					}
					perElem(b, len(hs))
				})
			}
		}
	}
}

// BenchmarkColumnChurn measures a removal and an insert, with a Set in each of 0 to 3 Columns, and
// the removal and setting of all Vs in random order.
func BenchmarkColumnChurn(b *testing.B) {
	const n = 10_000
	for columns := range 4 {
		b.Run(fmt.Sprintf("columns=%d", columns), func(b *testing.B) {
			p := NewPool[columnValue](Config{Seed: 1})
			cs := make([]*Column[columnValue, columnPart], columns)
			for i := range cs {
				cs[i] = NewColumn[columnPart](p)
			}
			hs := make([]Handle[columnValue], n)
			for i := range hs {
				hs[i] = p.Insert(columnValue{})
				for _, c := range cs {
					c.Set(hs[i], columnPart{})
				}
			}
			rand.New(rand.NewPCG(3, 4)).Shuffle(n, func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
			for b.Loop() {
				for i, h := range hs {
					p.Remove(h)
					h = p.Insert(columnValue{})
					hs[i] = h
					for _, c := range cs {
						c.Set(h, columnPart{})
					}
				}
			}
			perElem(b, n)
		})
	}
	b.Run("unset and set", func(b *testing.B) {
		_, c, hs := columnBench(n, 100)
		for b.Loop() {
			for _, h := range hs {
				c.Unset(h)
			}
			for _, h := range hs {
				c.Set(h, columnPart{1, 2})
			}
		}
		perElem(b, n)
	})
}
