package report

import (
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The first screen counts what the verdicts say, and names the farthest ones of both kinds.
func TestGlance(t *testing.T) {
	rec := measure.NewRecorder()
	jobs := []measure.Job{job("churn", 1, 8), job("cross", 1, 8), job("freelist", 256, 4)}
	add := func(j measure.Job, metric string, values map[string]float64) {
		for _, im := range catalogue.All.Impls() {
			if v, ok := values[im.Name]; ok {
				rec.Add(im.Name, j, metric, "ns", v, 7, 7)
			}
		}
	}
	add(jobs[0], "ns_per_pair", map[string]float64{"berth.Pool": 20, "berth.Dense": 1, "[]T": 10, "genpool": 40})
	add(jobs[1], "ns_per_pair", map[string]float64{"berth.Pool": 10, "berth.Dense": 90, "[]T": 10, "genpool": 30})
	add(jobs[2], "pair", map[string]float64{"Stack[uint32]": 1, "linked list": 2})
	g := (&Report{Catalogue: catalogue.All, Recorder: rec, Impls: catalogue.All.Impls(), Jobs: jobs}).page().Glance
	if len(g.Jobs) != 2 || len(g.Rest) != 1 || len(g.Ends) != 2 {
		t.Fatalf("glance: %+v", g)
	}
	for i, want := range [][2]scores{
		{{score{1, 0, 0, 1}, score{1, 1, 0, 0}}, {score{1, 1, 0, 0}, score{1, 1, 0, 0}}},
		{{score{1, 0, 1, 0}, score{1, 1, 0, 0}}, {score{1, 0, 0, 1}, score{1, 0, 0, 1}}},
	} {
		if got := [2]scores{*g.Jobs[i].Scores[0], *g.Jobs[i].Scores[1]}; got != want || g.Jobs[i].Scores[2] != nil {
			t.Errorf("%s: %+v, want %+v", g.Jobs[i].Title, got, want)
		}
	}
	if got := g.Rest[0]; got.Subject != "Stack[uint32]" || got.Scores[0].All != (score{1, 1, 0, 0}) {
		t.Errorf("the rest: %+v %+v", got, *got.Scores[0])
	}
	for i, want := range [][2]string{
		{"berth.Dense wins 40x over genpool, berth.Pool wins 3.0x over genpool", "berth.Dense loses 3.0x to genpool"},
		{"berth.Dense wins 10x over []T", "berth.Dense loses 9.0x to []T, berth.Pool loses 2.0x to []T"},
	} {
		for k, list := range [][]glanceEntry{g.Ends[i].Ahead, g.Ends[i].Behind} {
			var got []string
			for _, e := range list {
				got = append(got, e.Subject+" "+e.Verdict.Text)
			}
			if s := strings.Join(got, ", "); s != want[k] {
				t.Errorf("farthest from %s: %s, want %s", g.Ends[i].Of, s, want[k])
			}
		}
	}
}
