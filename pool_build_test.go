package berth

import (
	"iter"
	"slices"
	"testing"
)

// seqTaker is what Pool and Dense have in common for these tests.
type seqTaker interface {
	Insert(v int) Handle[int]
	InsertSeq(seq iter.Seq[int]) int
	Values() iter.Seq[*int]
	Len() int
	Clear()
	checkInvariants()
}

// seqTakers returns a zero one and a limited one of each kind.
func seqTakers(limit int) map[string]seqTaker {
	return map[string]seqTaker{
		"Pool":  NewPool[int](Config{Limit: limit}),
		"Dense": NewDense(DenseConfig[int]{Limit: limit}),
	}
}

// asked counts how many values are taken from seq.
func asked(seq iter.Seq[int], n *int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for v := range seq {
			*n++
			if !yield(v) {
				return
			}
		}
	}
}

// InsertSeq inserts as many as fit, and asks for no more.
func TestInsertSeq(t *testing.T) {
	for _, limit := range []int{0, 1, 5, 64, 100} {
		for name, c := range seqTakers(limit) {
			var want []int
			for i := range 100 {
				want = append(want, i)
			}
			fit := len(want)
			if limit > 0 {
				fit = limit
			}
			n := 0
			if got := c.InsertSeq(asked(slices.Values(want), &n)); got != fit || n != fit {
				t.Errorf("%s, Limit %d: InsertSeq = %d, asked for %d, want %d", name, limit, got, n, fit)
			}
			var vals []int
			for v := range c.Values() {
				vals = append(vals, *v)
			}
			if !slices.Equal(vals, want[:fit]) {
				t.Errorf("%s, Limit %d: %v are in it", name, limit, vals)
			}
			n = 0
			if got := c.InsertSeq(asked(slices.Values(want), &n)); limit > 0 && (got != 0 || n != 0) {
				t.Errorf("%s, Limit %d: InsertSeq when full = %d, asked for %d", name, limit, got, n)
			}
			c.checkInvariants()
		}
	}
	var p Pool[int]
	var d Dense[int]
	none := slices.Values([]int(nil))
	if p.InsertSeq(none) != 0 || d.InsertSeq(none) != 0 || p.Len() != 0 || d.Len() != 0 {
		t.Error("InsertSeq of nothing inserts something")
	}
}

// A sequence may use the container, be a loop over it, and panic.
func TestInsertSeqThatChanges(t *testing.T) {
	for name, c := range seqTakers(50) {
		c.Insert(1)
		c.InsertSeq(func(yield func(int) bool) {
			for v := range c.Values() {
				if !yield(*v + 1) {
					return
				}
			}
		})
		if n := c.Len(); n < 2 || n > 50 {
			t.Errorf("%s: %d values after a loop over itself", name, n)
		}
		c.checkInvariants()
		c.Clear()
		got := c.InsertSeq(func(yield func(int) bool) {
			for i := range 100 {
				if i%3 == 2 {
					c.Clear()
				}
				if !yield(i) {
					return
				}
			}
		})
		if got != 100 || c.Len() != 2 {
			t.Errorf("%s: InsertSeq = %d with %d left, while the sequence clears", name, got, c.Len())
		}
		c.Clear()
		wantPanic(t, "seq", func() {
			c.InsertSeq(func(yield func(int) bool) { yield(1); yield(2); panic("seq") })
		})
		if c.Len() != 2 {
			t.Errorf("%s: %d values after a panic in the sequence", name, c.Len())
		}
		c.checkInvariants()
	}
}
