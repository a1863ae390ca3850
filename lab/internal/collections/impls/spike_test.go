// The tests of impls are outside of it. With one inside, the compiler would compile all of it twice,
// which takes it minutes.
package impls_test

import (
	"testing"

	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

// The bytes of the burst appear, and disappear in a collection that releases them.
func TestSpikeIsSeen(t *testing.T) {
	works := measuretest.Of(t, impls.Family, "spike")
	jobs := measuretest.Plan(t, works, measure.Sizing{N: 100_000, Reps: 1})
	ims := []measure.Impl{impls.Pool, impls.Slice}
	rec := measuretest.Run(t, jobs, ims)
	measuretest.Check(t, rec, jobs, ims)
	at := measure.Index(rec)
	held := func(im measure.Impl, metric string) float64 { return at[jobs[0].At(im.Name, metric)].Value }
	for _, im := range ims {
		if p := held(im, "bytes_peak"); p < 4*100_000 {
			t.Errorf("%s: at most %g bytes, want 4 a particle at least", im.Name, p)
		}
	}
	if after := held(impls.Pool, "bytes_after"); after > 0.1*held(impls.Pool, "bytes_peak") {
		t.Errorf("berth.Pool holds %g bytes when the burst is gone", after)
	}
	if after := held(impls.Slice, "bytes_after"); after < 0.5*held(impls.Slice, "bytes_peak") {
		t.Errorf("[]T holds %g bytes when the burst is gone: who gave them back?", after)
	}
}
