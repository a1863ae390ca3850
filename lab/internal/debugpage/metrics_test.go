package debugpage

import (
	"math"
	"strings"
	"testing"

	model "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	names "github.com/prometheus/common/model"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/observe"
)

// TestPrometheusParses reads the metrics by Prometheus' own parser.
func TestPrometheusParses(t *testing.T) {
	var r observe.Registry
	p := berth.NewPool[int](berth.Config{Limit: 500})
	for i := range 100 {
		p.Insert(i)
	}
	p.RemoveFunc(func(_ berth.Handle[int], v *int) bool { return *v < 30 })
	odd := "a \"name\" with \\ and\nmore: é {}"
	r.Register("p", p, nil)
	r.Register(odd, new(berth.Pool[int]), nil)
	huge := berth.Stats{Live: math.MaxInt, Inserts: math.MaxUint64}
	r.Register("huge", observe.StatsFunc(func() berth.Stats { return huge }), nil)
	r.Register("failed", observe.StatsFunc(func() berth.Stats { panic("no") }), nil)
	var b strings.Builder
	if err := r.WritePrometheus(&b); err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(names.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	s := p.Stats()
	for name, want := range map[string]struct {
		kind  model.MetricType
		value float64
	}{
		"berth_live":                   {model.MetricType_GAUGE, 70},
		"berth_vacant":                 {model.MetricType_GAUGE, float64(s.Vacant)},
		"berth_retired":                {model.MetricType_GAUGE, 0},
		"berth_reserved":               {model.MetricType_GAUGE, 0},
		"berth_limit":                  {model.MetricType_GAUGE, 500},
		"berth_chunks":                 {model.MetricType_GAUGE, float64(s.Chunks)},
		"berth_memory_bytes":           {model.MetricType_GAUGE, float64(s.Bytes)},
		"berth_inserts_total":          {model.MetricType_COUNTER, 100},
		"berth_removes_total":          {model.MetricType_COUNTER, 30},
		"berth_chunks_grown_total":     {model.MetricType_COUNTER, float64(s.Grown)},
		"berth_chunks_truncated_total": {model.MetricType_COUNTER, float64(s.Truncated)},
		"berth_late":                   {model.MetricType_GAUGE, 0},
	} {
		f := families[name]
		if f == nil || f.GetType() != want.kind || f.GetHelp() == "" {
			t.Errorf("%s: %v, want a %v", name, f, want.kind)
			continue
		}
		delete(families, name)
		got := map[string]float64{}
		for _, m := range f.Metric {
			if len(m.Label) != 1 || m.Label[0].GetName() != "pool" {
				t.Errorf("%s: labels %v", name, m.Label)
			}
			got[m.Label[0].GetValue()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
		_, has := got[odd]
		failed, late := got["failed"]
		if got["p"] != want.value || !has || late != (name == "berth_late") || late && failed != 1 {
			t.Errorf("%s: %v, want %v of p", name, got, want.value)
		}
	}
	if len(families) > 0 {
		t.Errorf("more metrics than expected: %v", families)
	}
}
