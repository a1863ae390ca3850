package report

import (
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// figuresOf makes a report of some figures of jobs.
func figuresOf(jobs []measure.Job, values map[string]map[string]float64) *Report {
	rec := measure.NewRecorder()
	for _, j := range jobs {
		for _, im := range catalogue.All.Impls() {
			for metric, of := range values {
				if v, ok := of[im.Name]; ok && strings.HasPrefix(metric, j.Workload.Name+" ") {
					rec.Add(im.Name, j, strings.TrimPrefix(metric, j.Workload.Name+" "), "ns", v, 7, 7)
				}
			}
		}
	}
	return &Report{Catalogue: catalogue.All, Recorder: rec, Impls: catalogue.All.Impls(), Jobs: jobs}
}

// The picture has a group for each operation that was measured, with the five collections in their
// order, and their ratios to the map.
func TestGlance(t *testing.T) {
	all := map[string]float64{"berth.Pool": 2, "berth.Dense": 4, "[]T": 1, "map[uint64]*T": 20, "genpool": 5, "ark": 10, "dense+sparse": 3}
	r := figuresOf([]measure.Job{job("basic", 1, 32), job("cross", 1, 8)}, map[string]map[string]float64{
		"basic insert_reserved": all, "basic iter_mut": all, "basic remove_random": {"berth.Pool": 8, "genpool": 9}, "cross ns_per_pair": all,
	})
	c := r.glance()
	if c == nil || !c.Big() {
		t.Fatalf("the picture is %+v", c)
	}
	_, desc, _ := strings.Cut(string(c.SVG), "<desc")
	_, desc, _ = strings.Cut(desc, ">")
	desc, _, _ = strings.Cut(desc, "<")
	want := "In ns: insert map[uint64]*T 20.0; insert genpool 5.00 (0.25x); insert ark 10.0 (0.50x); insert berth.Pool 2.00 (0.10x); " +
		"insert berth.Dense 4.00 (0.20x); remove genpool 9.00; remove berth.Pool 8.00."
	if desc != want {
		t.Errorf("it says %q, want %q", desc, want)
	}
	if c := figuresOf([]measure.Job{job("churn", 1, 32)}, map[string]map[string]float64{"churn ns_per_pair": all}).glance(); c != nil {
		t.Errorf("a run of churn alone has the picture %+v", c)
	}
}

// The five collections of the picture all have a figure for each of its operations.
func TestGlanceNames(t *testing.T) {
	r := defaultReport()
	at := measure.Index(r.Recorder)
	for _, verb := range glanceVerbs {
		j, ok := r.firstOf(r.Catalogue[0], verb.workload)
		for _, name := range glanceImpls {
			if !ok || at[j.At(name, verb.metric)] == nil {
				t.Errorf("%s has no %s %s", name, verb.workload, verb.metric)
			}
		}
	}
}
