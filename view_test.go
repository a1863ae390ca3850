package berth

import "testing"

// The pivot's slot may get another value while Others is in use.
func TestOthersAfterPivotIsReplaced(t *testing.T) {
	var p Pool[int]
	a, b := p.Insert(1), p.Insert(2)
	Apply(&p, a, func(_ *int, o Others[int]) {
		p.Remove(a)
		c := p.Insert(3)
		for _, loop := range []func() int{
			func() (n int) {
				for range o.All() {
					n++
				}
				return n
			},
			func() (n int) {
				for range o.Values() {
					n++
				}
				return n
			},
			func() (n int) {
				for _, s := range o.Spans() {
					n += len(s)
				}
				return n
			},
		} {
			if n := loop(); n != 2 || o.Len() != 2 || !o.Contains(b) || !o.Contains(c) {
				t.Errorf("a loop visits %d, Len %d, want 2", n, o.Len())
			}
		}
	})
}

func TestOthersZero(t *testing.T) {
	var o Others[int]
	if o.Len() != 0 || o.Contains(Handle[int]{}) || o.Ptr(HandleFromUint64[int](1<<32)) != nil {
		t.Error("the zero Others is not empty")
	}
	for range o.All() {
		t.Error("All of the zero Others visits something")
	}
	for range o.Values() {
		t.Error("Values of the zero Others visits something")
	}
	for range o.Spans() {
		t.Error("Spans of the zero Others visits something")
	}
}

func TestOthersOutliveThePivot(t *testing.T) {
	var p Pool[int]
	a := p.Insert(1)
	p.Insert(2)
	Apply(&p, a, func(v *int, o Others[int]) {
		if o.Len() != 1 || o.Contains(a) {
			t.Errorf("Len %d, Contains(pivot) %v", o.Len(), o.Contains(a))
		}
		p.Remove(a)
		if o.Len() != 1 {
			t.Errorf("Len %d after the removal of the pivot, want 1", o.Len())
		}
		if c := p.Insert(3); !o.Contains(c) {
			t.Error("a value in the pivot's old slot is not among the others")
		}
	})
	if Apply(&p, a, func(*int, Others[int]) { t.Error("f called for a stale handle") }) {
		t.Error("Apply of a stale handle = true")
	}
}
