package impls

import (
	"slices"
	"testing"
)

func TestSparseset(t *testing.T) {
	var p sparseset[int]
	if p.ptr(genhandle{}) != nil {
		t.Error("the zero handle resolves in an empty container")
	}
	a, b, c := p.insert(1), p.insert(2), p.insert(3)
	if p.ptr(genhandle{}) != nil {
		t.Error("the zero handle resolves")
	}
	if v, ok := p.remove(a); v != 1 || !ok {
		t.Errorf("remove = %d, %t; want 1, true", v, ok)
	}
	if _, ok := p.remove(a); ok {
		t.Error("removing twice succeeds")
	}
	if !slices.Equal(p.vals, []int{3, 2}) || p.vals[:3][2] != 0 {
		t.Errorf("after the first has gone: %v, with %d behind", p.vals, p.vals[:3][2])
	}
	d := p.insert(4)
	if d.index != a.index || p.ptr(a) != nil || *p.ptr(b) != 2 || *p.ptr(c) != 3 || *p.ptr(d) != 4 {
		t.Errorf("after reuse: handles %v and %v", a, d)
	}
	for _, h := range []genhandle{d, c, b} { // the last one is in the last position, and alone
		if _, ok := p.remove(h); !ok {
			t.Errorf("remove(%v): not found", h)
		}
	}
	if e := p.insert(5); e.index != b.index || *p.ptr(e) != 5 || len(p.vals) != 1 {
		t.Errorf("after all have gone: handle %v, values %v", e, p.vals)
	}
}
