package trace_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
	"github.com/seed505807e1/berth/stable"
)

// othersShow checks Traverse and Apply of a wrapped container against a loop over it.
func othersShow[H comparable](t *testing.T, name string, c trace.Container[int, H]) {
	t.Helper()
	var out bytes.Buffer
	rec, err := trace.NewRecorder(&out)
	if err != nil {
		t.Fatal(err)
	}
	w := trace.Wrap(rec.Track(name, 8), c)
	hs := []H{w.Insert(1), w.Insert(2), w.Insert(3), w.Insert(4)}
	var pairs []string
	for e, others := range w.Traverse() {
		if n := others.Len(); n != w.Len()-1 {
			t.Errorf("%s: %d others of %d values", name, n, w.Len())
		}
		for v := range others.Values() {
			pairs = append(pairs, fmt.Sprint(*e.Value, *v))
		}
		if _, ok := others.Get(e.Handle); ok || others.Ptr(e.Handle) != nil ||
			others.Contains(e.Handle) {
			t.Errorf("%s: the pivot is among the others", name)
		}
		if v, ok := others.Get(hs[0]); ok != (e.Handle != hs[0]) || ok && v != 1 {
			t.Errorf("%s: Get = %d, %t", name, v, ok)
		}
		if *e.Value == 2 { // after its others: 1 3 4
			w.Delete(hs[1])
			w.Delete(hs[2])
			if others.Len() != 2 {
				t.Errorf("%s: without the pivot, %d others", name, others.Len())
			}
		}
	}
	want := []string{"1 2", "1 3", "1 4", "2 1", "2 3", "2 4", "4 1"}
	if !slices.Equal(pairs, want) {
		t.Errorf("%s: pairs %v, want %v", name, pairs, want)
	}
	applied := w.Apply(hs[0], func(v *int, others trace.Others[int, H]) {
		for range others.All() {
			*v += 10
			break
		}
	})
	if v, _ := c.Get(hs[0]); !applied || v != 11 || w.Apply(hs[1], nil) {
		t.Errorf("%s: Apply = %t, the value is %d", name, applied, v)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := trace.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	s, err := trace.Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	// Traverse is one Pass. Gets: of the first value at two pivots, and in Apply.
	if got := fmt.Sprint(s.Tracks[0].Inserts, s.Tracks[0].Removals, s.Tracks[0].Passes,
		s.Tracks[0].Gets, s.Tracks[0].Misses); got != "4 2 1 3 1" {
		t.Errorf("%s: inserts, removes, passes, gets, misses: %s", name, got)
	}
}

func TestWrappedOthers(t *testing.T) {
	othersShow(t, "Pool", new(berth.Pool[int]))
	othersShow(t, "Dense", berth.NewDense(berth.DenseConfig[int]{Defrag: berth.DefragManual}))
	othersShow(t, "List", new(stable.List[int]))
}
