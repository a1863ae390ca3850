package freelist_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth/freelist"
)

// bench is a list of 65 536 entries, all of which are popped and then pushed back in reverse or
// random order. Package lab measures more sizes, orders and rivals. The loops are written out for
// each list, because a call through an interface costs more than a push.
type bench struct {
	impl string
	run  func(n int, order []uint32) (pop, push func())
}

var benches = []bench{
	{"Stack", func(n int, order []uint32) (pop, push func()) {
		l, out := freelist.NewIndices[uint32](n), make([]uint32, n)
		return func() {
				for i := range out {
					out[i], _ = l.Pop()
				}
			}, func() {
				for _, k := range order {
					l.Push(out[k])
				}
			}
	}},
	{"Packed24", func(n int, order []uint32) (pop, push func()) {
		l, out := freelist.NewPackedBits(n, 24), make([]uint32, n)
		return func() {
				for i := range out {
					v, _ := l.Pop()
					out[i] = uint32(v)
				}
			}, func() {
				for _, k := range order {
					l.Push(int(out[k]))
				}
			}
	}},
	{"Checked", func(n int, order []uint32) (pop, push func()) {
		l, out := freelist.NewChecked[uint32](n), make([]uint32, n)
		return func() {
				for i := range out {
					out[i], _ = l.Pop()
				}
			}, func() {
				for _, k := range order {
					l.Push(out[k])
				}
			}
	}},
	{"CheckedPointers", func(n int, order []uint32) (pop, push func()) {
		l, out := freelist.NewCheckedPointers(make([]particle, n)), make([]*particle, n)
		return func() {
				for i := range out {
					out[i], _ = l.Pop()
				}
			}, func() {
				for _, k := range order {
					l.Push(out[k])
				}
			}
	}},
	{"Lowest", func(n int, order []uint32) (pop, push func()) {
		l, out := freelist.NewLowest(n), make([]uint32, n)
		return func() {
				for i := range out {
					v, _ := l.Take()
					out[i] = uint32(v)
				}
			}, func() {
				for _, k := range order {
					l.Free(int(out[k]))
				}
			}
	}},
}

func BenchmarkPair(b *testing.B) {
	const n = 65536
	for _, order := range []string{"lifo", "random"} {
		places := make([]uint32, n)
		for i := range places {
			places[i] = uint32(n - 1 - i)
		}
		if order == "random" {
			r := rand.New(rand.NewPCG(1, 2))
			r.Shuffle(n, func(i, j int) { places[i], places[j] = places[j], places[i] })
		}
		for _, c := range benches {
			b.Run(fmt.Sprintf("order=%s/impl=%s/n=%d", order, c.impl, n), func(b *testing.B) {
				b.ReportAllocs()
				pop, push := c.run(n, places)
				for b.Loop() {
					pop()
					push()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/pair")
			})
		}
	}
}

func BenchmarkLowestTaken(b *testing.B) {
	for _, share := range []int{100, 50, 1} {
		b.Run(fmt.Sprintf("n=65536/taken=%d%%", share), func(b *testing.B) {
			l := freelist.NewLowest(65536)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range l.Cap() {
				if r.IntN(100) < share {
					l.TakeAt(i)
				}
			}
			taken := float64(l.Cap() - l.Len())
			for b.Loop() {
				sum += sumTaken(l)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/taken/2, "ns/elem")
		})
	}
}
