package genpool

import "testing"

func TestPool(t *testing.T) {
	var p Pool[int]
	if p.Ptr(Handle{}) != nil {
		t.Error("the zero handle resolves in an empty pool")
	}
	a := p.Insert(1)
	if p.Ptr(Handle{}) != nil {
		t.Error("the zero handle resolves")
	}
	if v, ok := p.Remove(a); v != 1 || !ok {
		t.Errorf("Remove = %d, %t; want 1, true", v, ok)
	}
	if _, ok := p.Remove(a); ok {
		t.Error("removing twice succeeds")
	}
	if p.Slots[0].Val != 0 {
		t.Error("the vacant slot keeps its value")
	}
	b := p.Insert(2)
	if b.Index != a.Index || p.Ptr(a) != nil || *p.Ptr(b) != 2 {
		t.Errorf("after reuse: handles %v and %v", a, b)
	}
	c := p.Insert(3)
	if *p.Ptr(b) != 2 || *p.Ptr(c) != 3 {
		t.Error("two live handles do not resolve to their own values")
	}
	p.Remove(b)
	if p.Len() != 1 {
		t.Errorf("Len = %d, want 1", p.Len())
	}
}

func TestNewHasRoom(t *testing.T) {
	p := New[int](3)
	if cap(p.Slots) != 3 || p.Len() != 0 {
		t.Errorf("cap %d, Len %d; want 3, 0", cap(p.Slots), p.Len())
	}
}
