package lists

import (
	"testing"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

// An independent model, with a clock and a map of the live values at each step.
func TestWavesModel(t *testing.T) {
	for _, n := range []int{1, 700, 12_000} {
		w := newWaves(n)
		var sum waveSums
		live := map[uint32]bool{}
		next, gone := uint32(0), 0
		for s := range n {
			for range w.Came[s] {
				live[next] = true
				next++
			}
			for range w.Gone[s] {
				k := w.Order[gone]
				gone++
				if !live[k] {
					t.Fatalf("n=%d, step %d: %d goes, which is not there", n, s, k)
				}
				delete(live, k)
				sum.removed += uint64(k)
			}
			sum.lens += uint64(len(live))
		}
		for k := range live {
			sum.left += uint64(k)
		}
		if want := modelWaves(n); sum != want || int(next) != w.Total || gone != len(w.Order) {
			t.Errorf("n=%d: the plan comes to %+v, the model to %+v", n, sum, want)
		}
	}
}

// Some 1000 values are live, and their number varies.
func TestWavesShape(t *testing.T) {
	w := newWaves(waveSteps)
	var lens []float64
	sum := 0.0
	live := 0
	for s := range w.Came {
		if w.Came[s] > 3 {
			t.Fatalf("step %d: %d come, want 3 at most", s, w.Came[s])
		}
		live += int(w.Came[s]) - int(w.Gone[s])
		lens = append(lens, float64(live))
		sum += float64(live)
	}
	if m := sum / float64(len(lens)); m < 800 || m > 1200 {
		t.Errorf("%g values live in the mean, want about 1000", m)
	}
	if lo, hi := measure.Quantile(lens[waveMaxLife:], 0), measure.Quantile(lens, 1); lo > 300 || hi < 1400 {
		t.Errorf("between %g and %g values live, want them to swing more", lo, hi)
	}
}

func TestTruncationModelsByHand(t *testing.T) {
	for _, tc := range []struct {
		n           int
		length, sum uint64
	}{{1, 0, 0}, {2, 1, 0}, {3, 2, 1}, {16_384, 2, 1}} {
		if got, want := modelWorst(tc.n), leftSum(int(tc.length), tc.sum); got != want {
			t.Errorf("modelWorst(%d) = %d, want %d", tc.n, got, want)
		}
	}
	for n, want := range map[int]uint64{1: leftSum(1, 0), 3: leftSum(3, 3), 25: leftSum(25, 300)} {
		if got := modelFar(n); got != want {
			t.Errorf("modelFar(%d) = %d, want %d", n, got, want)
		}
	}
}

// The worst removal of the thesis: as published, the list visits half of its slots; the default
// visits none. The counts do not depend on the machine.
func TestVisitsOfTheWorstRemoval(t *testing.T) {
	works := measuretest.Of(t, Family, "thesis-truncation")
	jobs := measuretest.Plan(t, works, measure.Sizing{N: thesisTruncation.N, Reps: 1, Quick: true})
	rec := measuretest.Run(t, jobs, Family.Impls)
	measuretest.Check(t, rec, jobs, Family.Impls)
	at := measure.Index(rec)
	for name, want := range map[string]float64{
		"Quartered": 0, "Quartered stepwise": 8166, "FirstFree": 0, "FirstFreeHeap": 0, "FirstFreeHeap walk": 16_381,
	} {
		if got := at[jobs[0].At(name, "visits")].Value; got != want {
			t.Errorf("%s: %g visits, want %g", name, got, want)
		}
	}
	if at[jobs[0].At("berth.Pool", "visits")] != nil {
		t.Error("berth.Pool runs thesis-truncation")
	}
}

// leaky is a list that does not remove the value with number 7.
type leaky struct{ collections.Truncating }

func (c leaky) Waves(w *collections.Waves, look func()) uint64 {
	return c.Truncating.Waves(w, look) - 7
}

func (c leaky) Drain(lo, hi int) uint64 { return c.Truncating.Drain(lo+1, max(lo+1, hi)) }

func TestWrongListIsFound(t *testing.T) {
	sound := collections.KitOf(impls.Quartered)
	bad := measure.Impl{Name: "bad", Kit: collections.Kit{
		Truncates: true,
		Values: func(bytes int) collections.Values {
			return leaky{sound.Values(bytes).(collections.Truncating)}
		},
	}}
	f := measuretest.With(Family, impls.Quartered, bad)
	works := measuretest.Of(t, f, "thesis-truncation")
	rec := measuretest.Run(t, measuretest.Plan(t, works, measure.Sizing{N: 100, Quick: true}), f.Impls)
	measuretest.CheckRight(t, rec, func(im, _, _ string) bool { return im == "Quartered" })
}

// Indices of 16 bits are left out at sizes that they cannot address.
func TestNarrowIndices(t *testing.T) {
	for _, tc := range []struct {
		w    *measure.Workload
		n    int
		want bool
	}{
		{thesisBasic, 65_536, true}, {thesisBasic, 65_537, false},
		{thesisEphemeral, 65_536 - collections.MaxTTL, true}, {thesisEphemeral, 65_536, false},
	} {
		if got := len(measure.Job{Family: Family, Workload: tc.w, N: tc.n}.Runners([]measure.Impl{impls.Quartered16})) > 0; got != tc.want {
			t.Errorf("%s, n=%d: can = %t, want %t", tc.w.Name, tc.n, got, tc.want)
		}
	}
	ims := []measure.Impl{impls.Quartered, impls.Quartered16}
	for _, n := range []int{65_536, 65_537} {
		works := measuretest.Of(t, Family, "thesis-basic")
		jobs := measuretest.Plan(t, works, measure.Sizing{N: n, Reps: 1, Quick: true})
		rec := measuretest.Run(t, jobs, ims)
		measuretest.Check(t, rec, jobs, ims)
		if got := measure.Index(rec)[jobs[0].At(impls.Quartered16.Name, "insert")] != nil; got != (n == 65_536) {
			t.Errorf("n=%d: 16 bits have figures: %t", n, got)
		}
	}
}
