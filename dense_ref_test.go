package berth

import "testing"

func TestDenseRef(t *testing.T) {
	eachMode(t, 50, func(t *testing.T, d *Dense[int], hs []Handle[int]) {
		refs := make([]Ref[int], len(hs))
		for i, h := range hs {
			refs[i] = NewRef(d, h)
		}
		gone := map[int]bool{}
		check := func(when string) {
			t.Helper()
			for i := range refs {
				v, ok := refs[i].Get()
				if p := refs[i].Ptr(); ok == gone[i] || !ok && p != nil ||
					ok && (v != i || *p != i || p != d.Ptr(hs[i])) {
					t.Errorf("%s: Ref %d: %d, %t", when, i, v, ok)
				}
				if refs[i].Handle() != hs[i] {
					t.Errorf("%s: Ref %d has another handle", when, i)
				}
			}
		}
		check("fresh")
		d.Remove(hs[7])
		gone[7] = true
		check("after a removal")
		d.Insert(-1) // into the hole
		check("after reuse of the place")
		for i := range 1000 {
			d.Insert(-2 - i)
		}
		check("after growth")
		for i := 10; i < 20; i++ {
			d.Remove(hs[i])
			gone[i] = true
		}
		d.Defrag()
		check("after Defrag")
		d.Sort(func(a, b *int) int { return *a - *b })
		check("after Sort")
		d.Clip()
		check("after Clip")
		if n := testing.AllocsPerRun(10, func() { refs[30].Ptr(); r := NewRef(d, hs[31]); r.Get() }); n != 0 {
			t.Errorf("%v allocations", n)
		}
		d.Clear()
		for i := range refs {
			gone[i] = true
		}
		check("after Clear")
		for i := range 100 {
			d.Insert(i)
		}
		check("after a refill")
	})
	d := new(Dense[int])
	var zero Ref[int]
	for _, r := range []Ref[int]{zero, NewRef(d, Handle[int]{}),
		NewRef(d, HandleFromUint64[int](1<<33)), NewRef(d, HandleFromUint64[int](1<<32))} {
		if p := r.Ptr(); p != nil {
			t.Errorf("Ref to nothing finds %v", *p)
		}
		if _, ok := r.Get(); ok {
			t.Error("Ref to nothing finds something")
		}
	}
	// A Ref made before its value is live finds the value once it is.
	var early Ref[int]
	d.InsertFunc(func(h Handle[int], v *int) { *v = 5; early = NewRef(d, h) })
	if v, ok := early.Get(); v != 5 || !ok {
		t.Errorf("early Ref: %d, %t", v, ok)
	}
}
