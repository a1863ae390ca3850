package berth

import (
	"math/rand/v2"
	"testing"
)

// fillDense returns a Dense of n values, and their handles in random order.
func fillDense(n int) (*Dense[elem], []Handle[elem]) {
	d := new(Dense[elem])
	hs := make([]Handle[elem], n)
	for i := range hs {
		hs[i] = d.Insert(elem{uint64(i)})
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(n, func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
	return d, hs
}

//go:noinline
func sumDenseValues(d *Dense[elem]) (s uint64) {
	for v := range d.Values() {
		s += v[0]
	}
	return s
}

//go:noinline
func sumDenseAll(d *Dense[elem]) (s uint64) {
	for _, v := range d.All() {
		s += v[0]
	}
	return s
}

//go:noinline
func sumDenseEach(d *Dense[elem]) (s uint64) {
	Each(d, func(_ Handle[elem], v *elem) Control { s += v[0]; return LoopContinue })
	return s
}

func BenchmarkDenseIterate(b *testing.B) {
	const n = 10_000
	d, _ := fillDense(n)
	for _, c := range []struct {
		name string
		run  func() uint64
	}{
		{"Slice", func() uint64 { return sumSlice(d.Slice()) }},
		{"Values", func() uint64 { return sumDenseValues(d) }},
		{"All", func() uint64 { return sumDenseAll(d) }},
		{"Each", func() uint64 { return sumDenseEach(d) }},
	} {
		b.Run("loop="+c.name, func(b *testing.B) {
			for b.Loop() {
				sink += c.run()
			}
			perElem(b, n)
		})
	}
}

//go:noinline
func getDense(d *Dense[elem], hs []Handle[elem]) (s uint64) {
	for _, h := range hs {
		v, _ := d.Get(h)
		s += v[0]
	}
	return s
}

//go:noinline
func getPool(p *Pool[elem], hs []Handle[elem]) (s uint64) {
	for _, h := range hs {
		v, _ := p.Get(h)
		s += v[0]
	}
	return s
}

//go:noinline
func getRefs(rs []Ref[elem]) (s uint64) {
	for i := range rs {
		s += rs[i].Ptr()[0]
	}
	return s
}

// BenchmarkDenseGet looks values up in random order: by Get, by Refs when nothing or everything has
// moved, and in a Pool for comparison.
func BenchmarkDenseGet(b *testing.B) {
	const n = 10_000
	d, hs := fillDense(n)
	p, phs := fill(n, 100)
	rs := make([]Ref[elem], n)
	for i, h := range hs {
		rs[i] = NewRef(d, h)
	}
	bench := func(name string, f func() uint64) {
		b.Run("by="+name, func(b *testing.B) {
			for b.Loop() {
				sink += f()
			}
			perElem(b, n)
		})
	}
	bench("Pool.Get", func() uint64 { return getPool(p, phs) })
	bench("Dense.Get", func() uint64 { return getDense(d, hs) })
	bench("Ref", func() uint64 { return getRefs(rs) })
}

func BenchmarkDenseChurn(b *testing.B) {
	for _, m := range defragModes {
		b.Run("defrag="+m.String(), func(b *testing.B) {
			const n = 100_000
			d := NewDense[elem](DenseConfig{Defrag: m})
			hs := make([]Handle[elem], n)
			for i := range hs {
				hs[i] = d.Insert(elem{uint64(i)})
			}
			r := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				for range n {
					i := r.IntN(n)
					v, _ := d.Remove(hs[i])
					hs[i] = d.Insert(v)
				}
			}
			perElem(b, n)
		})
	}
}

// BenchmarkDenseDefrag removes every k-th value and closes the holes. The time is proportional to
// the number of holes.
func BenchmarkDenseDefrag(b *testing.B) {
	const n = 100_000
	d, hs := fillDense(n)
	for b.Loop() {
		for i := range 1000 {
			d.Remove(hs[i])
		}
		d.Defrag()
		b.StopTimer()
		for i := range 1000 {
			hs[i] = d.Insert(elem{uint64(i)})
		}
		b.StartTimer()
	}
	perElem(b, 1000)
}
