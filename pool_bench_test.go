package berth

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

type elem [4]uint64

var sink uint64

// fill returns a pool into which n values were inserted, and of which share percent are left, at
// random places.
func fill(n, share int) (*Pool[elem], []Handle[elem]) {
	p := new(Pool[elem])
	slots := n * 100 / share
	hs := make([]Handle[elem], slots)
	for i := range hs {
		hs[i] = p.Insert(elem{uint64(i)})
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(slots, func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
	for _, h := range hs[n:] {
		p.Remove(h)
	}
	return p, hs[:n]
}

// perElem reports the time per element when one iteration of b.Loop handles n of them.
func perElem(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
}

// The loops are functions of their own. Inside b.Loop, every variable would be kept alive during
// the measurement, which costs a range-over-func loop twice.

//go:noinline
func sumSlice(v []elem) (s uint64) {
	for i := range v {
		s += v[i][0]
	}
	return s
}

//go:noinline
func sumValues(p *Pool[elem]) (s uint64) {
	for v := range p.Values() {
		s += v[0]
	}
	return s
}

//go:noinline
func sumAll(p *Pool[elem]) (s uint64) {
	for _, v := range p.All() {
		s += v[0]
	}
	return s
}

//go:noinline
func sumSpans(p *Pool[elem]) (s uint64) {
	for _, v := range p.Spans() {
		for i := range v {
			s += v[i][0]
		}
	}
	return s
}

func BenchmarkPoolIterate(b *testing.B) {
	const n = 10_000
	for _, share := range []int{100, 90, 50, 10} {
		p, _ := fill(n, share)
		v := make([]elem, n)
		for name, f := range map[string]func() uint64{
			"slice":  func() uint64 { return sumSlice(v) },
			"values": func() uint64 { return sumValues(p) },
			"all":    func() uint64 { return sumAll(p) },
			"spans":  func() uint64 { return sumSpans(p) },
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d/live=%d", name, n, share), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sink += f()
				}
				perElem(b, n)
			})
		}
	}
}

//go:noinline
func getAll(p *Pool[elem], hs []Handle[elem]) (s uint64) {
	for _, h := range hs {
		if v := p.Ptr(h); v != nil {
			s += v[0]
		}
	}
	return s
}

//go:noinline
func copyAll(p *Pool[elem], hs []Handle[elem]) (s uint64) {
	for _, h := range hs {
		v, _ := p.Get(h)
		s += v[0]
	}
	return s
}

//go:noinline
func removeAll(p *Pool[elem], hs []Handle[elem]) (s uint64) {
	for _, h := range hs {
		v, _ := p.Remove(h)
		s += v[0]
	}
	return s
}

//go:noinline
func insertAll(p *Pool[elem], hs []Handle[elem]) {
	for i := range hs {
		hs[i] = p.Insert(elem{uint64(i)})
	}
}

func BenchmarkPoolAccess(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		p, hs := fill(n, 100)
		b.Run(fmt.Sprintf("op=ptr_random/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				sink += getAll(p, hs)
			}
			perElem(b, n)
		})
		b.Run(fmt.Sprintf("op=get_random/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				sink += copyAll(p, hs)
			}
			perElem(b, n)
		})
		b.Run(fmt.Sprintf("op=remove_random+insert_refill/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				sink += removeAll(p, hs)
				insertAll(p, hs)
				r.Shuffle(n, func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
			}
			perElem(b, n)
		})
		b.Run(fmt.Sprintf("op=insert_reserved/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				insertAll(NewPool[elem](Config{Capacity: n}), hs)
			}
			perElem(b, n)
		})
		b.Run(fmt.Sprintf("op=insert_new/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				insertAll(new(Pool[elem]), hs)
			}
			perElem(b, n)
		})
	}
}

func BenchmarkPoolChurn(b *testing.B) {
	const n = 100_000
	p, hs := fill(n, 100)
	b.ReportAllocs()
	r := rand.New(rand.NewPCG(1, 2))
	at := make([]int32, n)
	for i := range at {
		at[i] = r.Int32N(n)
	}
	for b.Loop() {
		sink += churn(p, hs, at)
	}
	perElem(b, n)
}

//go:noinline
func churn(p *Pool[elem], hs []Handle[elem], at []int32) (s uint64) {
	for _, i := range at {
		v, _ := p.Remove(hs[i])
		s += v[0]
		hs[i] = p.Insert(v)
	}
	return s
}

type collider struct {
	x, y      int16
	hit, been bool
}

func near(a, b *collider) bool {
	dx, dy := a.x-b.x, a.y-b.y
	return dx < 2 && dx > -2 && dy < 2 && dy > -2
}

//go:noinline
func crossSlice(v []collider) {
	for i := range v {
		a := &v[i]
		for j := range v {
			if j != i && near(a, &v[j]) {
				a.hit, v[j].been = true, true
			}
		}
	}
}

//go:noinline
func crossSpans(p *Pool[collider]) {
	for a, others := range Traverse(p) {
		a := a.Value
		for _, s := range others.Spans() {
			for j := range s {
				if near(a, &s[j]) {
					a.hit, s[j].been = true, true
				}
			}
		}
	}
}

//go:noinline
func crossValues(p *Pool[collider]) {
	for a, others := range Traverse(p) {
		a := a.Value
		for b := range others.Values() {
			if near(a, b) {
				a.hit, b.been = true, true
			}
		}
	}
}

//go:noinline
func crossPairs(p *Pool[collider]) {
	for a, b := range Pairs(p) {
		if near(a, b) {
			a.hit, b.been, b.hit, a.been = true, true, true, true
		}
	}
}

func BenchmarkPoolCross(b *testing.B) {
	const n = 1000
	p := new(Pool[collider])
	var v []collider
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		c := collider{x: int16(r.IntN(1000)), y: int16(r.IntN(1000))}
		v = append(v, c)
		p.Insert(c)
	}
	for name, f := range map[string]func(){
		"slices": func() { crossSlice(v) },
		"spans":  func() { crossSpans(p) },
		"values": func() { crossValues(p) },
		"pairs":  func() { crossPairs(p) },
	} {
		b.Run(fmt.Sprintf("op=%s/n=%d", name, n), func(b *testing.B) {
			for b.Loop() {
				f()
			}
			perElem(b, n*(n-1))
		})
	}
}

// BenchmarkPoolBurst inserts 10 000 values and removes them again, repeatedly, next to 100 that
// stay. It measures the cost of each Truncate mode, and the memory it holds in between.
func BenchmarkPoolBurst(b *testing.B) {
	const n = 10_000
	for _, mode := range []Truncate{TruncateMemory, TruncateLength, TruncateNever} {
		b.Run("truncate="+mode.String(), func(b *testing.B) {
			p := NewPool[elem](Config{Truncate: mode})
			for i := range 100 {
				p.Insert(elem{uint64(i)})
			}
			hs := make([]Handle[elem], n)
			b.ReportAllocs()
			for b.Loop() {
				insertAll(p, hs)
				sink += removeAll(p, hs)
			}
			perElem(b, n)
			b.ReportMetric(float64(p.Stats().Bytes), "heldB")
		})
	}
}

// BenchmarkPoolGC runs one collection of a heap with ten million values.
func BenchmarkPoolGC(b *testing.B) {
	const n = 10_000_000
	for name, c := range map[string]Config{"reserved": {Capacity: n}, "grown": {}} {
		b.Run(fmt.Sprintf("pool=%s/n=%d", name, n), func(b *testing.B) {
			p := NewPool[elem](c)
			for i := range n {
				p.Insert(elem{uint64(i)})
			}
			runtime.GC()
			for b.Loop() {
				runtime.GC()
			}
			b.ReportMetric(float64(p.Stats().Chunks), "chunks")
		})
	}
}

// BenchmarkReserve compares a handle in advance with an insert.
func BenchmarkReserve(b *testing.B) {
	for _, reserve := range []bool{false, true} {
		name := "impl=Insert"
		if reserve {
			name = "impl=Reserve+Fill"
		}
		b.Run(name, func(b *testing.B) {
			var p Pool[[4]uint64]
			p.Insert([4]uint64{})
			gone := 0
			for range b.N {
				var h Handle[[4]uint64]
				if reserve {
					h = Reserve(&p)
					Fill(&p, h, [4]uint64{1})
				} else {
					h = p.Insert([4]uint64{1})
				}
				if p.Delete(h) {
					gone++
				}
			}
			if gone != b.N || p.Len() != 1 {
				b.Fatalf("%d of %d removed, %d left", gone, b.N, p.Len())
			}
		})
	}
}
