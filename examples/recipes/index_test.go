package recipes

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"testing"
)

// A map that never shrinks has the same keys. most is the largest length since the last copy.
func TestIndexModel(t *testing.T) {
	var x Index[int, int]
	model, most, r := map[int]int{}, 0, rand.New(rand.NewPCG(1, 2))
	for step := range 40_000 {
		k := r.IntN(500)
		if grows := step/2000%2 == 0; grows || r.IntN(8) == 0 {
			model[k] = step
			x.Set(k, step)
			most = max(most, len(model))
		} else {
			delete(model, k)
			x.Delete(k)
			if most >= 64 && len(model) < most/4 {
				most = len(model)
			}
		}
		want, there := model[k]
		if v, ok := x.Get(k); v != want || ok != there || x.most != most {
			t.Fatalf("step %d: Get(%d) = %d, %v; want %d, %v. The most are %d, want %d",
				step, k, v, ok, want, there, x.most, most)
		}
	}
	if !maps.Equal(x.m, model) {
		t.Errorf("%d keys, want %d", len(x.m), len(model))
	}
}

func TestIndexShrinks(t *testing.T) {
	const n = 100_000
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	var x Index[int, int]
	for i := range n {
		x.Set(i, i)
	}
	full := heap() - before
	for i := range n * 4 / 5 {
		x.Delete(i)
	}
	if left := heap() - before; left > full/2 || len(x.m) != n/5 {
		t.Errorf("%d keys take %d bytes, and %d took %d", len(x.m), left, n, full)
	}
}
