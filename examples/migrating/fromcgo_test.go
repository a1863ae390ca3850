//go:build cgo && amd64

package migrating

import (
	"runtime"
	"testing"

	"github.com/seed505807e1/berth/examples/migrating/fromcgo/after"
	"github.com/seed505807e1/berth/examples/migrating/fromcgo/before"
)

func TestFromCgo(t *testing.T) {
	var hs [100]uintptr
	for i := range hs {
		hs[i] = after.New(i)
		old := before.New(i)
		v, ok := after.Value(hs[i])
		if want := before.Value(old); v != want || !ok {
			t.Errorf("Value(%#x) = %v, %v, want %v", hs[i], v, ok, want)
		}
		before.Delete(old)
	}
	for i, h := range hs {
		if !after.Delete(h) || after.Delete(h) {
			t.Errorf("handle %d does not end exactly once", i)
		}
		g := after.New("next")
		if v, ok := after.Value(h); ok {
			t.Errorf("Value(%#x) = %v after Delete", h, v)
		}
		after.Delete(g)
	}
}

func BenchmarkFromCgo(b *testing.B) {
	for _, of := range []struct {
		impl   string
		new    func(v any) uintptr
		value  func(h uintptr) any
		delete func(h uintptr)
	}{
		{"before", before.New, before.Value, before.Delete},
		{"after", after.New,
			func(h uintptr) any { v, _ := after.Value(h); return v },
			func(h uintptr) { after.Delete(h) }},
	} {
		b.Run("op=newDelete/impl="+of.impl, func(b *testing.B) {
			v, sum := any(new(int)), 0
			for b.Loop() {
				h := of.new(v)
				if of.value(h) == v {
					sum++
				}
				of.delete(h)
			}
			if sum != b.N {
				b.Fatalf("checksum %d, want %d", sum, b.N)
			}
		})
		b.Run("op=collect/impl="+of.impl, func(b *testing.B) {
			hs := make([]uintptr, 1_000_000)
			for i := range hs {
				hs[i] = of.new(i)
			}
			runtime.GC()
			for b.Loop() {
				runtime.GC()
			}
			for i, h := range hs {
				if of.value(h) != i {
					b.Fatalf("value %d is %v", i, of.value(h))
				}
				of.delete(h)
			}
		})
	}
}
