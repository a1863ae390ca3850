package stable_test

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// Keys of the others are those of all but the pivot.
func TestOthersKeys(t *testing.T) {
	l := stable.New[int](stable.Config{})
	ks := fill(t, l, 5)
	stable.Apply(l, ks[2], func(_ *int, o stable.ListOthers[int]) {
		if got := slices.Collect(berth.Handles(o)); !slices.Equal(got, slices.Delete(ks, 2, 3)) {
			t.Errorf("Keys = %v, of a list with keys %v", got, ks)
		}
	})
}

// The pivot is the only value among 64 slots, and the next 64 have others.
func TestOthersOfALonelyPivot(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Truncate: berth.TruncateNever})
		ks := fill(t, l, 300)
		for i, k := range ks {
			if i != 5 && i != 64 && i != 65 && i != 200 {
				l.Remove(k)
			}
		}
		stable.Apply(l, ks[5], func(_ *int, o stable.ListOthers[int]) {
			var all, values, spans []int
			for _, v := range o.All() {
				all = append(all, *v)
			}
			for v := range o.Values() {
				values = append(values, *v)
			}
			for _, s := range o.Spans() {
				spans = append(spans, s...)
			}
			want := []int{64, 65, 200}
			if !slices.Equal(all, want) || !slices.Equal(values, want) || !slices.Equal(spans, want) {
				t.Errorf("%v: All %v, Values %v, Spans %v, want %v", p, all, values, spans, want)
			}
		})
	}
}
