package catalogue

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/caches"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/columns"
	"github.com/seed505807e1/berth/lab/internal/crowds"
	"github.com/seed505807e1/berth/lab/internal/lists"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
	"github.com/seed505807e1/berth/lab/internal/saves"
)

// Each implementation runs each workload, except for families that have such a test of their own.
func TestEveryImplementationAgrees(t *testing.T) {
	own := []*measure.Family{caches.Family, columns.Family, saves.Family, crowds.Family}
	works := slices.DeleteFunc(All.Works(), func(w measure.Work) bool { return slices.Contains(own, w.Family) })
	sizes := []struct{ n, elem int }{{26, 8}, {777, 128}, {1, 32}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		jobs := measuretest.Plan(t, works, measure.Sizing{N: size.n, Elem: size.elem, Reps: 1, Quick: true, Hasty: true})
		measuretest.Check(t, measuretest.Run(t, jobs, All.Impls()), jobs, All.Impls())
	}
}

// At their default sizes, workloads have published checksums.
func TestPublishedSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	works := slices.DeleteFunc(All.Works(), func(w measure.Work) bool {
		return !slices.Contains([]string{
			"basic", "cross", "ephemeral", "cross-ephemeral", "dcm", "thesis-basic", "thesis-cross", "thesis-ephemeral",
			"thesis-cross-ephemeral", "broadphase", "spike",
		}, w.Name)
	})
	jobs := measuretest.Plan(t, works, measure.Sizing{Reps: 1, Hasty: true})
	measuretest.Check(t, measuretest.Run(t, jobs, All.Impls()), jobs, All.Impls())
}

// An implementation in two families is listed once, and found by both.
func TestImplsOfTwoFamilies(t *testing.T) {
	count := map[string]int{}
	for _, im := range All.Impls() {
		count[im.Name]++
	}
	for name, n := range count {
		if n != 1 {
			t.Errorf("%s is listed %d times", name, n)
		}
	}
	for _, f := range All {
		if got := f.Of(All.Impls()); len(got) != len(f.Impls) {
			t.Errorf("%s: %d of all, want %d", f.ID, len(got), len(f.Impls))
		}
	}
	if got := measure.NameList(lists.Family.Of([]measure.Impl{impls.Genpool, {Name: "linked list"}, impls.Quartered})); got != "Quartered, genpool" {
		t.Errorf("lists.of: got %s, want them in the order of the family", got)
	}
}
