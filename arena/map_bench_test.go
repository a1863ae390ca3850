package arena_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

func BenchmarkMapFind(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		benchFind[uint64](b, n)
		benchFind[[4]uint64](b, n)
	}
}

// benchFind measures a Map of n random keys to values of type V.
func benchFind[V any](b *testing.B, n int) {
	m := arena.NewMap[uint64, V](benchArena(b, virtual))
	m.Grow(n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	keys, others := make([]uint64, n), make([]uint64, n)
	for i := range keys {
		keys[i], others[i] = r.Uint64(), r.Uint64()
	}
	found := func(keys []uint64) (n int) {
		for _, k := range keys {
			if _, ok := m.Get(k); ok {
				n++
			}
		}
		return n
	}
	var v V
	fill := func() int {
		m.Clear()
		for _, k := range keys {
			m.Set(k, v)
		}
		return m.Len()
	}
	fill()
	r.Shuffle(n, func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	for op, f := range map[string]func() int{
		"hit":  func() int { return found(keys) },
		"miss": func() int { return n - found(others) },
		"fill": fill,
	} {
		b.Run(fmt.Sprintf("op=%s/impl=arena/n=%d/size=%d", op, n, unsafe.Sizeof(v)), func(b *testing.B) {
			run(b, n, n, f)
		})
	}
}
