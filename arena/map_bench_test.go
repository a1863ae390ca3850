package arena_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

// finder is the interface of BenchmarkMapFind to a map of uint64 to words.
type finder[V any] struct {
	get  func(keys []uint64) int // returns the number of keys found
	fill func(keys []uint64) int // returns the length afterwards
}

type (
	words1 struct{ A uint64 }
	words4 struct{ A, B, C, D uint64 }
)

func arenaFinder[V any](b *testing.B, n int) finder[V] {
	a, err := arena.NewVirtual(1<<30, arena.VirtualConfig{Keep: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.Release() })
	m := arena.NewMap[uint64, V](a)
	m.Grow(n)
	return finder[V]{
		func(keys []uint64) (found int) {
			for _, k := range keys {
				if _, ok := m.Get(k); ok {
					found++
				}
			}
			return found
		},
		func(keys []uint64) int {
			var v V
			m.Clear()
			for _, k := range keys {
				m.Set(k, v)
			}
			return m.Len()
		},
	}
}

func goFinder[V any](n int) finder[V] {
	m := make(map[uint64]V, n)
	return finder[V]{
		func(keys []uint64) (found int) {
			for _, k := range keys {
				if _, ok := m[k]; ok {
					found++
				}
			}
			return found
		},
		func(keys []uint64) int {
			var v V
			clear(m)
			for _, k := range keys {
				m[k] = v
			}
			return len(m)
		},
	}
}

func (f finder[V]) bench(b *testing.B, impl string, n int) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	keys, others := make([]uint64, n), make([]uint64, n)
	for i := range keys {
		keys[i], others[i] = r.Uint64(), r.Uint64()
	}
	f.fill(keys)
	r.Shuffle(n, func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	var v V
	name := func(op string) string {
		return fmt.Sprintf("op=%s/impl=%s/n=%d/size=%d", op, impl, n, unsafe.Sizeof(v))
	}
	b.Run(name("hit"), func(b *testing.B) {
		run(b, n, n, func() int { return f.get(keys) })
	})
	b.Run(name("miss"), func(b *testing.B) {
		run(b, n, 0, func() int { return f.get(others) })
	})
	b.Run(name("fill"), func(b *testing.B) {
		run(b, n, n, func() int { return f.fill(keys) })
	})
}

func BenchmarkMapFind(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		arenaFinder[words1](b, n).bench(b, "arena", n)
		goFinder[words1](n).bench(b, "go", n)
		arenaFinder[words4](b, n).bench(b, "arena", n)
		goFinder[words4](n).bench(b, "go", n)
	}
}
