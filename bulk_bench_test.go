package berth

import (
	"fmt"
	"testing"
)

// BenchmarkInsertMany compares [InsertAll], [NewN] and those of a Dense with loops of Insert and
// New, for structs of 32 bytes. The container is cleared before each turn, and keeps its memory.
func BenchmarkInsertMany(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		vs := make([]elem, n)
		for i := range vs {
			vs[i][0] = uint64(i)
		}
		hs := make([]Handle[elem], n)
		p := NewPool[elem](Config{Capacity: n, Truncate: TruncateNever})
		d := NewDense[elem](DenseConfig{Capacity: n, ShrinkAbove: 1 << 30})
		fill := func(first Handle[elem], span []elem) {
			for i := range span {
				span[i][0] = 1
			}
		}
		for _, x := range []struct {
			name string
			c    interface {
				Clear()
				Len() int
			}
			f func()
		}{
			{"Pool/Insert", p, func() {
				for i := range vs {
					hs[i] = p.Insert(vs[i])
				}
			}},
			{"Pool/InsertAll", p, func() { InsertAll(p, vs, hs) }},
			{"Pool/New", p, func() {
				for range n {
					_, v := p.New()
					v[0] = 1
				}
			}},
			{"Pool/NewN", p, func() { NewN(p, n, fill) }},
			{"Dense/Insert", d, func() {
				for i := range vs {
					hs[i] = d.Insert(vs[i])
				}
			}},
			{"Dense/InsertAll", d, func() { DenseInsertAll(d, vs, hs) }},
			{"Dense/New", d, func() {
				for range n {
					_, v := d.New()
					v[0] = 1
				}
			}},
			{"Dense/NewN", d, func() { DenseNewN(d, n, fill) }},
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, x.name), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					x.c.Clear()
					b.StartTimer()
					if x.f(); x.c.Len() != n {
						b.Fatal("not all were inserted")
					}
				}
				perElem(b, n)
			})
		}
	}
}
