package berth

import (
	"slices"
	"testing"
)

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

// Functions panic if their Pool or Dense is nil, and loops when they begin. Views of nil are empty.
func TestNilPool(t *testing.T) {
	var p *Pool[int]
	var d *Dense[int]
	loop := Traverse(p)
	pairs := Pairs(p)
	backward, denseBackward, drain, handles := Backward(p), DenseBackward(d), Drain(p), Handles(d)
	for name, f := range map[string]func(){
		"Traverse":         func() { loop(func(Entry[int], Others[int]) bool { return true }) },
		"Pairs":            func() { pairs(func(*int, *int) bool { return true }) },
		"Apply":            func() { Apply(p, Handle[int]{}, func(*int, Others[int]) {}) },
		"ParallelSpans":    func() { ParallelSpans(p, 0, func(Handle[int], []int) {}) },
		"ParallelTraverse": func() { ParallelTraverse(p, 0, func(Entry[int], Others[int]) {}) },
		"ParallelSlice":    func() { ParallelSlice(d, 0, func(int, []int) {}) },
		"ParallelRemoveFunc": func() {
			ParallelRemoveFunc(p, 0, func(Handle[int], *int) bool { return true })
		},
		"ParallelReduce": func() {
			add := func(a, b int) int { return a + b }
			ParallelReduce(p, 0, func(n int, s []int) int { return add(n, len(s)) }, add)
		},
		"Backward":        func() { backward(nil) },
		"DenseBackward":   func() { denseBackward(nil) },
		"Drain":           func() { drain(nil) },
		"Handles":         func() { handles(nil) },
		"InsertSeq":       func() { InsertSeq(p, slices.Values([]int{1})) },
		"DenseInsertSeq":  func() { DenseInsertSeq(d, slices.Values([]int{1})) },
		"NewReadOnly":     func() { NewReadOnly[int](p).Len() },
		"NewColumn":       func() { NewColumn[int](p) },
		"NewDenseColumn":  func() { NewDenseColumn[int](d) },
		"NewHistory":      func() { NewHistory(p, HistoryConfig{Frames: 1}) },
		"NewDenseHistory": func() { NewDenseHistory(d, HistoryConfig{Frames: 1}) },
	} {
		t.Run(name, func(t *testing.T) { mustPanic(t, "nil", f) })
	}
	var r ReadOnly[int]
	if _, ok := r.Get(Handle[int]{}); ok || r.Len() != 0 || r.Contains(Handle[int]{}) {
		t.Error("the zero ReadOnly is not empty")
	}
	for range r.Values() {
		t.Error("a loop over nothing visits something")
	}
}
