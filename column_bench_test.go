package berth

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
func sumJoin(c *Column[columnPart, columnValue]) (s float64) {
	for a, b := range c.Join() {
		s += float64(a.a) + b.x
	}
	return s
}

//go:noinline
func sumJoinSpans(c *Column[columnPart, columnValue]) (s float64) {
	for a, b := range c.JoinSpans() {
		b = b[:len(a)]
		for i := range a {
			s += float64(a[i].a) + b[i].x
		}
	}
	return s
}

//go:noinline
func sumColumn(c *Column[columnPart, columnValue]) (s float64) {
	for _, b := range c.All() {
		s += b.x
	}
	return s
}

//go:noinline
func sumJoin2(a, b *Column[columnPart, columnValue]) (s float64) {
	for x, y := range Join2(a, b) {
		s += x.x + y.y
	}
	return s
}

//go:noinline
func sumWithout(a, b *Column[columnPart, columnValue]) (s float64) {
	for _, x := range Without(a, b) {
		s += x.x
	}
	return s
}

//go:noinline
func sumColumnPtr(c *Column[columnPart, columnValue], hs []Handle[columnValue]) (s float64) {
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

// three is a Pool of n values, and two Columns that share percent of them are in, each at random,
// or so that values with the same Columns were inserted together.
type three struct {
	p *Pool[columnValue]
	a *Column[columnPart, columnValue]
	b *Column[uint64, columnValue]
}

func newThree(n, share int, together bool) *three {
	p := NewPool[columnValue](Config{Seed: 1})
	x := &three{p, NewColumn[columnPart](p), NewColumn[uint64](p)}
	r := rand.New(rand.NewPCG(7, 8))
	sets := make([]int, n)
	for i := range sets {
		for bit := 1; bit <= 2; bit++ {
			if r.IntN(100) < share {
				sets[i] |= bit
			}
		}
	}
	if together {
		slices.Sort(sets)
	}
	for i, set := range sets {
		h := p.Insert(columnValue{a: uint64(i)})
		if set&1 != 0 { // alternately, so the Columns' memory alternates too
			x.a.Set(h, columnPart{1, 2})
		}
		if set&2 != 0 {
			x.b.Set(h, 3)
		}
	}
	return x
}

//go:noinline
func (x *three) join3() (s float64, n int) {
	for v, xy := range Join3(x.a, x.b) {
		s += float64(v.a) + xy.A.x + float64(*xy.B)
		n++
	}
	return s, n
}

//go:noinline
func (x *three) ptrs() (s float64, n int) {
	for h, a := range x.a.All() {
		if b := x.b.Ptr(h); b != nil {
			s += float64(x.p.Ptr(h).a) + a.x + float64(*b)
			n++
		}
	}
	return s, n
}

// BenchmarkColumn3 measures loops over the values that are in two Columns, with the Vs of both, per
// value. The share is negative where values with the same Columns were inserted together.
func BenchmarkColumn3(b *testing.B) {
	for _, n := range []int{1000, 10_000, 1_000_000} {
		for _, share := range []int{100, 50, 10, -50, -10} {
			x := newThree(n, max(share, -share), share < 0)
			for _, l := range []struct {
				op string
				f  func(*three) (float64, int)
			}{
				{"Join3", (*three).join3}, {"Ptr", (*three).ptrs},
			} {
				b.Run(fmt.Sprintf("op=%s/n=%d/share=%d", l.op, n, share), func(b *testing.B) {
					want, count := x.ptrs()
					for b.Loop() {
						if got, _ := l.f(x); got != want {
							b.Fatal(got, want)
						}
					}
					perElem(b, count)
				})
			}
		}
	}
}

// columnBench returns a Pool of n values, a Column that share percent of them are in, at random,
// and their handles in random order.
func columnBench(n, share int) (
	*Pool[columnValue], *Column[columnPart, columnValue], []Handle[columnValue],
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
			cs := make([]*Column[columnPart, columnValue], columns)
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
	b.Run("delete and set", func(b *testing.B) {
		_, c, hs := columnBench(n, 100)
		for b.Loop() {
			for _, h := range hs {
				c.Delete(h)
			}
			for _, h := range hs {
				c.Set(h, columnPart{1, 2})
			}
		}
		perElem(b, n)
	})
}

// BenchmarkSetAll measures the time for each value of giving all a V, in one call and one by one.
func BenchmarkSetAll(b *testing.B) {
	const n = 10_000
	p, c, _ := columnBench(n, 100)
	for op, f := range map[string]func(){
		"SetAll": func() { SetAll(c, columnPart{1, 2}) },
		"Set": func() {
			for h := range p.All() {
				c.Set(h, columnPart{1, 2})
			}
		},
	} {
		b.Run("op="+op, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				c.Clear()
				b.StartTimer()
				if f(); c.Len() != n {
					b.Fatal(c.Len())
				}
			}
			perElem(b, n)
		})
	}
}
