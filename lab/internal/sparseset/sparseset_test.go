package sparseset

import (
	"slices"
	"testing"
)

func TestSet(t *testing.T) {
	var p Set[int]
	if p.Ptr(Handle{}) != nil {
		t.Error("the zero handle resolves in an empty container")
	}
	a, b, c := p.Insert(1), p.Insert(2), p.Insert(3)
	if p.Ptr(Handle{}) != nil {
		t.Error("the zero handle resolves")
	}
	if v, ok := p.Remove(a); v != 1 || !ok {
		t.Errorf("Remove = %d, %t; want 1, true", v, ok)
	}
	if _, ok := p.Remove(a); ok {
		t.Error("removing twice succeeds")
	}
	if !slices.Equal(p.Vals, []int{3, 2}) || p.Vals[:3][2] != 0 {
		t.Errorf("after the first has gone: %v, with %d behind", p.Vals, p.Vals[:3][2])
	}
	d := p.Insert(4)
	if d.index != a.index || p.Ptr(a) != nil || *p.Ptr(b) != 2 || *p.Ptr(c) != 3 || *p.Ptr(d) != 4 {
		t.Errorf("after reuse: handles %v and %v", a, d)
	}
	if got := []Handle{p.HandleAt(0), p.HandleAt(1), p.HandleAt(2)}; !slices.Equal(got, []Handle{c, b, d}) {
		t.Errorf("handles by position are %v, want those of 3, 2 and 4", got)
	}
	for _, h := range []Handle{d, c, b} { // the last one is in the last position, and alone
		if _, ok := p.Remove(h); !ok {
			t.Errorf("Remove(%v): not found", h)
		}
	}
	if e := p.Insert(5); e.index != b.index || *p.Ptr(e) != 5 || len(p.Vals) != 1 {
		t.Errorf("after all have gone: handle %v, values %v", e, p.Vals)
	}
}

func TestNewHasRoom(t *testing.T) {
	p := New[int](3)
	if cap(p.Vals) != 3 || len(p.Vals) != 0 {
		t.Errorf("cap %d, len %d; want 3, 0", cap(p.Vals), len(p.Vals))
	}
	p.Insert(1)
	if p.Clip(); cap(p.Vals) >= 3 || *p.Ptr(p.HandleAt(0)) != 1 {
		t.Errorf("after Clip: cap %d, values %v", cap(p.Vals), p.Vals)
	}
}
