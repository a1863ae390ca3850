package stable_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// A key and its handle convert to each other, at the ends of both halves, and have the same text.
func TestHandleOfKeyOf(t *testing.T) {
	for _, tc := range []struct {
		text string
		u    uint64
	}{
		{"", 0},
		{"0:1", 1 << 32},
		{"4294967295:1", 1<<32 | math.MaxUint32},
		{"0:4294967295", math.MaxUint32 << 32},
		{"7:2", 2<<32 | 7},
		{"4294967295:4294967295", math.MaxUint64},
	} {
		var k stable.ListKey[int]
		if err := k.UnmarshalText([]byte(tc.text)); err != nil {
			t.Fatal(err)
		}
		h := stable.HandleOf(k)
		text, _ := h.MarshalText()
		if h.Uint64() != tc.u || string(text) != tc.text || stable.KeyOf(h) != k || h.IsZero() != k.IsZero() {
			t.Errorf("%q: handle %x, %q, and back %v", tc.text, h.Uint64(), text, stable.KeyOf(h))
		}
	}
	// No key has an index without an identifier.
	if k := stable.KeyOf(berth.HandleFromUint64[int](7)); k != (stable.ListKey[int]{}) {
		t.Errorf("a handle of generation 0 becomes the key %v with index %d", k, k.Index())
	}
}

// A HandleView shows the current values of its list, under each Placement.
func TestHandleView(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: berth.TruncateMemory})
		v := stable.ByHandle(l)
		same := func() {
			t.Helper()
			var view berth.View[int] = v
			ks := slices.Collect(berth.Handles(l))
			if view.Len() != len(ks) {
				t.Fatalf("%v: Len = %d, want %d", p, view.Len(), len(ks))
			}
			i := 0
			for h, x := range view.All() {
				if i >= len(ks) || stable.KeyOf(h) != ks[i] || x != l.Ptr(ks[i]) {
					t.Fatalf("%v: All: %v, %d as value %d, want the keys %v", p, h, *x, i, ks)
				}
				got, ok := view.Get(h)
				if got != *x || !ok || view.Ptr(h) != x || !view.Contains(h) {
					t.Fatalf("%v: Get(%v) = %d, %t", p, h, got, ok)
				}
				i++
			}
			n := 0
			for x := range view.Values() {
				if x != l.Ptr(ks[n]) {
					t.Fatalf("%v: Values: %d as value %d", p, *x, n)
				}
				n++
			}
			m := 0
			for h, xs := range v.Spans() {
				if stable.KeyOf(h) != ks[m] || &xs[0] != l.Ptr(ks[m]) {
					t.Fatalf("%v: Spans: %v, %v behind %d values", p, h, xs, m)
				}
				m += len(xs)
			}
			if i != len(ks) || n != len(ks) || m != len(ks) {
				t.Fatalf("%v: All, Values, Spans show %d, %d, %d, want %d", p, i, n, m, len(ks))
			}
		}
		same()
		ks := fill(t, l, 300)
		same()
		gone := stable.HandleOf(ks[100])
		for i, k := range ks {
			if i%3 == 1 || i > 250 {
				l.Remove(k)
			}
		}
		same()
		for i := range 30 {
			l.Insert(1000 + i)
		}
		same()
		if x, ok := v.Get(gone); ok || x != 0 || v.Ptr(gone) != nil || v.Contains(gone) {
			t.Errorf("%v: Get of the stale %v = %d, %t", p, gone, x, ok)
		}
		first := 0
		for range v.All() {
			first++
			break
		}
		for range v.Spans() {
			first++
			break
		}
		if first != 2 {
			t.Errorf("%v: two loops that break visit %d values, want 2", p, first)
		}
	}
}

// The view of no list shows nothing.
func TestHandleViewOfNothing(t *testing.T) {
	for _, v := range []stable.HandleView[int]{{}, stable.ByHandle[int](nil)} {
		h := berth.HandleFromUint64[int](1 << 32)
		if _, ok := v.Get(h); ok || v.Len() != 0 || v.Ptr(h) != nil || v.Contains(h) {
			t.Error("the zero view has values")
		}
		for range v.All() {
			t.Error("All shows a value")
		}
		for range v.Values() {
			t.Error("Values shows a value")
		}
		for range v.Spans() {
			t.Error("Spans shows a value")
		}
	}
}
