package otelberth_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/observe"
	"github.com/seed505807e1/berth/observe/otelberth"
)

// collect returns what a reader of the SDK reads: "name pool" and the value.
func collect(t testing.TB, reader metric.Reader) map[string]int64 {
	t.Helper()
	var rm metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &rm); err != nil {
		t.Fatal(err)
	}
	got, counters := make(map[string]int64), 0
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Description == "" {
				t.Errorf("%s has no description", m.Name)
			}
			var points []metricdata.DataPoint[int64]
			switch d := m.Data.(type) {
			case metricdata.Gauge[int64]:
				points = d.DataPoints
			case metricdata.Sum[int64]:
				counters++
				if points = d.DataPoints; !d.IsMonotonic || d.Temporality != metricdata.CumulativeTemporality {
					t.Errorf("%s is not a counter: %+v", m.Name, d)
				}
			default:
				t.Errorf("%s is a %T", m.Name, d)
			}
			for _, p := range points {
				name, _ := p.Attributes.Value(otelberth.Pool)
				got[m.Name+" "+name.AsString()] = p.Value
			}
		}
	}
	if len(got) > 0 && counters != 4 {
		t.Errorf("%d counters, want 4", counters)
	}
	return got
}

// TestRegisterLate checks that a collection does not wait for a container that is never read.
func TestRegisterLate(t *testing.T) {
	otelberth.HurryForTest()
	var r observe.Registry
	r.Register("p", new(berth.Pool[int]), func(func()) {})
	r.Register("failed", new(berth.Pool[int]), func(func()) { panic("no") })
	r.Register("q", new(berth.Pool[int]), nil)
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	if _, err := otelberth.Register(&r, provider.Meter("test")); err != nil {
		t.Fatal(err)
	}
	got := collect(t, reader)
	_, reported := got["berth.live p"]
	if got["berth.late p"] != 1 || got["berth.late failed"] != 1 || got["berth.late q"] != 0 || reported {
		t.Errorf("%v", got)
	}
}

// TestRegister reads a Registry by the reader of OpenTelemetry's SDK.
func TestRegister(t *testing.T) {
	var r observe.Registry
	p := berth.NewPool[int](berth.Config{Limit: 1000})
	for i := range 10 {
		p.Insert(i)
	}
	p.Remove(p.Insert(1))
	unregister := r.Register("p", p, nil)
	r.Register("failed", p, func(func()) { panic("no") })
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	registration, err := otelberth.Register(&r, provider.Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	s := p.Stats()
	want := map[string]int64{
		"berth.late p": 0, "berth.late failed": 1,
		"berth.live p": 10, "berth.vacant p": 54, "berth.retired p": 0,
		"berth.reserved p": 0, "berth.limit p": 1000,
		"berth.chunks p": 1, "berth.memory p": int64(s.Bytes),
		"berth.inserts p": 11, "berth.removes p": 1,
		"berth.chunks.grown p": 1, "berth.chunks.truncated p": 0,
	}
	if got := collect(t, reader); !maps.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	p.Clear()
	var q berth.Pool[int]
	q.Insert(1)
	unregister()
	r.Register("q", &q, nil)
	if got := collect(t, reader); got["berth.live q"] != 1 || got["berth.inserts q"] != 1 {
		t.Errorf("%v lacks q", got)
	}
	if err := registration.Unregister(); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, reader); len(got) != 0 {
		t.Errorf("%v after Unregister", got)
	}
}

// TestRegisterNoop checks that a Meter that reports to nobody is no error.
func TestRegisterNoop(t *testing.T) {
	if _, err := otelberth.Register(new(observe.Registry), noop.Meter{}); err != nil {
		t.Error(err)
	}
}

func ExampleRegister() {
	reader := metric.NewManualReader() // or an exporter
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	var sessions berth.Pool[string]
	sessions.Insert("ann")
	observe.Default.Register("sessions", &sessions, nil)
	if _, err := otelberth.Register(&observe.Default, provider.Meter("example")); err != nil {
		fmt.Println(err)
	}
	var rm metricdata.ResourceMetrics
	fmt.Println(reader.Collect(context.Background(), &rm))
	fmt.Println(rm.ScopeMetrics[0].Metrics[0].Name)
	// Output:
	// <nil>
	// berth.live
}
