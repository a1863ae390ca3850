package stable_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// elem is the value type of the benchmarks: 32 bytes, of which the first 8 are the value.
type elem [4]uint64

// Each operation is written once for a Pool and once for a List, in functions of their own: a loop
// directly inside that over b.Loop is twice as slow.

//go:noinline
func poolSum(p *berth.Pool[elem]) (sum uint64) {
	for v := range p.Values() {
		sum += v[0]
	}
	return sum
}

//go:noinline
func listSum(l *stable.List[elem]) (sum uint64) {
	for v := range l.Values() {
		sum += v[0]
	}
	return sum
}

//go:noinline
func poolChurn(p *berth.Pool[elem], hs []berth.Handle[elem], at []int) (sum uint64) {
	for _, i := range at {
		v, _ := p.Remove(hs[i])
		sum += v[0]
		hs[i] = p.Insert(v)
	}
	return sum
}

//go:noinline
func listChurn(l *stable.List[elem], ks []stable.ListKey[elem], at []int) (sum uint64) {
	for _, i := range at {
		v, _ := l.Remove(ks[i])
		sum += v[0]
		ks[i] = l.Insert(v)
	}
	return sum
}

//go:noinline
func poolGet(p *berth.Pool[elem], hs []berth.Handle[elem]) (sum uint64) {
	for _, h := range hs {
		if v := p.Ptr(h); v != nil {
			sum += v[0]
		}
	}
	return sum
}

//go:noinline
func listGet(l *stable.List[elem], ks []stable.ListKey[elem]) (sum uint64) {
	for _, k := range ks {
		if v := l.Ptr(k); v != nil {
			sum += v[0]
		}
	}
	return sum
}

// poolRefill removes all and inserts them again.
//
//go:noinline
func poolRefill(p *berth.Pool[elem], hs []berth.Handle[elem]) (sum uint64) {
	for _, h := range hs {
		v, _ := p.Remove(h)
		sum += v[0]
	}
	for i := range hs {
		hs[i] = p.Insert(elem{uint64(i)})
	}
	return sum
}

//go:noinline
func listRefill(l *stable.List[elem], ks []stable.ListKey[elem]) (sum uint64) {
	for _, k := range ks {
		v, _ := l.Remove(k)
		sum += v[0]
	}
	for i := range ks {
		ks[i] = l.Insert(elem{uint64(i)})
	}
	return sum
}

//go:noinline
func poolCross(p *berth.Pool[elem]) (sum uint64) {
	for e, others := range berth.Traverse(p) {
		for v := range others.Values() {
			sum += v[0] ^ e.Value[0]
		}
	}
	return sum
}

//go:noinline
func listCross(l *stable.List[elem]) (sum uint64) {
	for e, others := range stable.Traverse(l) {
		for v := range others.Values() {
			sum += v[0] ^ e.Value[0]
		}
	}
	return sum
}

//go:noinline
func poolCrossSpans(p *berth.Pool[elem]) (sum uint64) {
	for e, others := range berth.Traverse(p) {
		for _, s := range others.Spans() {
			for i := range s {
				sum += s[i][0] ^ e.Value[0]
			}
		}
	}
	return sum
}

//go:noinline
func listCrossSpans(l *stable.List[elem]) (sum uint64) {
	for e, others := range stable.Traverse(l) {
		for _, s := range others.Spans() {
			for i := range s {
				sum += s[i][0] ^ e.Value[0]
			}
		}
	}
	return sum
}

//go:noinline
func poolPairs(p *berth.Pool[elem]) (sum uint64) {
	for v, w := range berth.Pairs(p) {
		sum += v[0] ^ w[0]
	}
	return sum
}

//go:noinline
func listPairs(l *stable.List[elem]) (sum uint64) {
	for v, w := range stable.Pairs(l) {
		sum += v[0] ^ w[0]
	}
	return sum
}

// measured holds the operations of one container. Each returns the same sum for all containers.
type measured struct {
	name string
	// iterate, churn, get and refill work on n values; cross, crossSpans and pairs on fewer.
	iterate, churn, get, refill, cross, crossSpans, pairs func() uint64
}

const (
	benchN   = 10_000
	benchFew = 1000
)

func poolMeasured(at []int) measured {
	p, few := berth.NewPool[elem](berth.Config{Capacity: benchN}), new(berth.Pool[elem])
	hs := make([]berth.Handle[elem], benchN)
	poolRefill(p, hs)
	for i := range benchFew {
		few.Insert(elem{uint64(i)})
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(benchN, func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
	return measured{
		name:       "Pool",
		iterate:    func() uint64 { return poolSum(p) },
		churn:      func() uint64 { return poolChurn(p, hs, at) },
		get:        func() uint64 { return poolGet(p, hs) },
		refill:     func() uint64 { return poolRefill(p, hs) },
		cross:      func() uint64 { return poolCross(few) },
		crossSpans: func() uint64 { return poolCrossSpans(few) },
		pairs:      func() uint64 { return poolPairs(few) },
	}
}

func listMeasured(c stable.Config, at []int) measured {
	few := stable.New[elem](c)
	c.Capacity = benchN
	l := stable.New[elem](c)
	ks := make([]stable.ListKey[elem], benchN)
	listRefill(l, ks)
	for i := range benchFew {
		few.Insert(elem{uint64(i)})
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(benchN, func(i, j int) { ks[i], ks[j] = ks[j], ks[i] })
	return measured{
		name:       c.Placement.String(),
		iterate:    func() uint64 { return listSum(l) },
		churn:      func() uint64 { return listChurn(l, ks, at) },
		get:        func() uint64 { return listGet(l, ks) },
		refill:     func() uint64 { return listRefill(l, ks) },
		cross:      func() uint64 { return listCross(few) },
		crossSpans: func() uint64 { return listCrossSpans(few) },
		pairs:      func() uint64 { return listPairs(few) },
	}
}

// BenchmarkList measures each placement beside a Pool. Compare results of the same run.
func BenchmarkList(b *testing.B) {
	at := make([]int, benchN)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range at {
		at[i] = r.IntN(benchN)
	}
	ms := []measured{poolMeasured(at)}
	for _, p := range placements {
		ms = append(ms, listMeasured(stable.Config{Placement: p}, at))
	}
	for _, op := range []struct {
		name string
		n    int
		f    func(m measured) func() uint64
	}{
		{"iterate", benchN, func(m measured) func() uint64 { return m.iterate }},
		{"churn", benchN, func(m measured) func() uint64 { return m.churn }},
		{"get", benchN, func(m measured) func() uint64 { return m.get }},
		{"refill", benchN, func(m measured) func() uint64 { return m.refill }},
		{"cross", benchFew * (benchFew - 1), func(m measured) func() uint64 { return m.cross }},
		{"crossSpans", benchFew * (benchFew - 1), func(m measured) func() uint64 { return m.crossSpans }},
		{"pairs", benchFew * (benchFew - 1), func(m measured) func() uint64 { return m.pairs }},
	} {
		want := op.f(ms[0])()
		for _, m := range ms {
			b.Run(fmt.Sprintf("op=%s/impl=%s", op.name, m.name), func(b *testing.B) {
				f := op.f(m)
				b.ReportAllocs()
				for b.Loop() {
					if got := f(); got != want && op.name != "churn" {
						b.Fatalf("the sum is %d, want %d", got, want)
					}
				}
				ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(ns/float64(op.n), "ns/elem")
			})
		}
	}
}

// BenchmarkWorstRemoval measures the one removal that cuts a list of 16 384 slots to 4, the example
// of section 5.2, and one that does not cut the list.
func BenchmarkWorstRemoval(b *testing.B) {
	for _, p := range placements {
		for _, last := range []bool{true, false} {
			b.Run(fmt.Sprintf("impl=%v/cuts=%v", p, last), func(b *testing.B) {
				l := stable.New[elem](stable.Config{Placement: p, Truncate: berth.TruncateLength})
				var ks []stable.ListKey[elem]
				for range 16_384 {
					ks = append(ks, l.Insert(elem{}))
				}
				for _, k := range ks[2:16_382] {
					l.Remove(k)
				}
				k := ks[16_382]
				if last {
					l.Remove(k)
					k = ks[16_383]
				}
				for b.Loop() {
					b.StopTimer()
					c := l.Clone()
					b.StartTimer()
					if _, ok := c.Remove(k); !ok {
						b.Fatal("the key is not live")
					}
				}
			})
		}
	}
}
