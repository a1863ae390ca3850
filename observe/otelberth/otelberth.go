// Package otelberth reports the containers of an [observe.Registry] to OpenTelemetry. It is a
// module of its own, so that only its users build OpenTelemetry.
//
//	observe.Default.Register("sessions", &sessions, locked)
//	registration, err := otelberth.Register(&observe.Default, otel.Meter("sessions"))
package otelberth

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/observe"
)

// patience is how long a collection waits for a container. Tests wait less.
var patience = time.Second

// Pool is the attribute with the name of a container.
const Pool = attribute.Key("berth.pool")

type instrument struct {
	name, unit, help string
	counter          bool
	value            func(berth.Stats) int64
}

var instruments = []instrument{
	{"berth.live", "{value}", "Live values.", false,
		func(s berth.Stats) int64 { return int64(s.Live) }},
	{"berth.vacant", "{slot}", "Slots in memory that are free.", false,
		func(s berth.Stats) int64 { return int64(s.Vacant) }},
	{"berth.retired", "{slot}", "Slots that are used up.", false,
		func(s berth.Stats) int64 { return int64(s.Retired) }},
	{"berth.reserved", "{slot}", "Handles in advance, whose values are to come.", false,
		func(s berth.Stats) int64 { return int64(s.Reserved) }},
	{"berth.limit", "{value}", "Most live and reserved values, or 0 without a limit.", false,
		func(s berth.Stats) int64 { return int64(s.Limit) }},
	{"berth.chunks", "{chunk}", "Chunks in memory.", false,
		func(s berth.Stats) int64 { return int64(s.Chunks) }},
	{"berth.memory", "By", "Memory held, for values and bookkeeping.", false,
		func(s berth.Stats) int64 { return int64(s.Bytes) }},
	{"berth.inserts", "{value}", "Values inserted.", true,
		func(s berth.Stats) int64 { return int64(s.Inserts) }},
	{"berth.removes", "{value}", "Values removed.", true,
		func(s berth.Stats) int64 { return int64(s.Removes) }},
	{"berth.chunks.grown", "{chunk}", "Chunks allocated.", true,
		func(s berth.Stats) int64 { return int64(s.Grown) }},
	{"berth.chunks.truncated", "{chunk}", "Chunks released.", true,
		func(s berth.Stats) int64 { return int64(s.Truncated) }},
}

// Register makes m report the counts of all containers in r, now and later, as gauges and counters
// with the attribute [Pool]. The gauge berth.late is 1 for a container that was not read within a
// second, or has panicked, and the other instruments lack such a container. Unregister of the
// result ends the reports. Register returns the error of m.
//
// Cost: each collection as [observe.Registry.Snapshots].
func Register(r *observe.Registry, m metric.Meter) (metric.Registration, error) {
	all := make([]metric.Observable, 0, len(instruments)+1)
	observables := make([]metric.Int64Observable, 0, len(instruments))
	for _, i := range instruments {
		o, err := i.of(m)
		if err != nil {
			return nil, err
		}
		observables, all = append(observables, o), append(all, o)
	}
	late, err := m.Int64ObservableGauge("berth.late",
		metric.WithDescription("1 if the container was not read in time."))
	if err != nil {
		return nil, err
	}
	return m.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		for _, s := range r.Snapshots(ctx, false) {
			pool := metric.WithAttributes(Pool.String(s.Name))
			if s.Late || s.Err != nil {
				o.ObserveInt64(late, 1, pool)
				continue
			}
			o.ObserveInt64(late, 0, pool)
			for k, i := range instruments {
				o.ObserveInt64(observables[k], i.value(s.Stats), pool)
			}
		}
		return nil
	}, append(all, late)...)
}

// of returns the instrument of m.
func (i instrument) of(m metric.Meter) (metric.Int64Observable, error) {
	unit, help := metric.WithUnit(i.unit), metric.WithDescription(i.help)
	if i.counter {
		return m.Int64ObservableCounter(i.name, unit, help)
	}
	return m.Int64ObservableGauge(i.name, unit, help)
}
