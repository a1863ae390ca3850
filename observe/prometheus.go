package observe

import (
	"bytes"
	"context"
	"expvar"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/seed505807e1/berth"
)

// patience is how long metrics wait for a container.
const patience = time.Second

// metric is a family of samples, one for each container.
type metric struct {
	name, kind, help string
	value            func(berth.Stats) uint64
}

var metrics = []metric{
	{"berth_live", "gauge", "Live values.",
		func(s berth.Stats) uint64 { return uint64(s.Live) }},
	{"berth_vacant", "gauge", "Slots in memory that are free.",
		func(s berth.Stats) uint64 { return uint64(s.Vacant) }},
	{"berth_retired", "gauge", "Slots that are used up.",
		func(s berth.Stats) uint64 { return uint64(s.Retired) }},
	{"berth_reserved", "gauge", "Handles in advance, whose values are to come.",
		func(s berth.Stats) uint64 { return uint64(s.Reserved) }},
	{"berth_limit", "gauge", "Most live and reserved values, or 0 without a limit.",
		func(s berth.Stats) uint64 { return uint64(s.Limit) }},
	{"berth_chunks", "gauge", "Chunks in memory.",
		func(s berth.Stats) uint64 { return uint64(s.Chunks) }},
	{"berth_memory_bytes", "gauge", "Memory held, for values and bookkeeping.",
		func(s berth.Stats) uint64 { return uint64(s.Bytes) }},
	{"berth_inserts_total", "counter", "Values inserted.",
		func(s berth.Stats) uint64 { return s.Inserts }},
	{"berth_removes_total", "counter", "Values removed.",
		func(s berth.Stats) uint64 { return s.Removes }},
	{"berth_chunks_grown_total", "counter", "Chunks allocated.",
		func(s berth.Stats) uint64 { return s.Grown }},
	{"berth_chunks_truncated_total", "counter", "Chunks released.",
		func(s berth.Stats) uint64 { return s.Truncated }},
}

// WritePrometheus writes the counts of all containers to w in Prometheus' text format 0.0.4. The
// label pool has the container's name. berth_late is 1 for a container that was not read within a
// second, or has panicked, and the other metrics lack such a container. It returns the error of w.
//
// Cost: as [Registry.Snapshots], and the text.
func (r *Registry) WritePrometheus(w io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return writePrometheus(w, r.Snapshots(ctx, false))
}

// writePrometheus writes ss.
func writePrometheus(w io.Writer, ss []Snapshot) error {
	var b bytes.Buffer
	sample := func(name, pool string, value uint64) {
		b.WriteString(name + `{pool="` + label.Replace(pool) + `"} `)
		b.Write(strconv.AppendUint(b.AvailableBuffer(), value, 10))
		b.WriteByte('\n')
	}
	head := func(name, kind, help string) {
		b.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n")
	}
	for _, m := range metrics {
		head(m.name, m.kind, m.help)
		for _, s := range ss {
			if !s.missing() {
				sample(m.name, s.Name, m.value(s.Stats))
			}
		}
	}
	head("berth_late", "gauge", "1 if the container was not read in time.")
	for _, s := range ss {
		late := uint64(0)
		if s.missing() {
			late = 1
		}
		sample("berth_late", s.Name, late)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// label escapes the value of a label.
var label = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// missing reports whether there are no counts.
func (s Snapshot) missing() bool { return s.Late || s.Err != nil }

// Expvar publishes the Registry as the variable name of package expvar: an object with the [Stats]
// of each container by its name, or null for one that was not read within a second or has
// panicked. It panics if there is a variable of that name.
//
// Cost: O(1); each read as [Registry.Snapshots].
//
// [Stats]: https://pkg.go.dev/github.com/seed505807e1/berth#Stats
func (r *Registry) Expvar(name string) {
	if expvar.Get(name) != nil {
		panic("observe: Registry.Expvar: name must not be published already (got " +
			strconv.Quote(name) + ")")
	}
	expvar.Publish(name, expvar.Func(func() any {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		m := make(map[string]*berth.Stats)
		for _, s := range r.Snapshots(ctx, false) {
			if m[s.Name] = nil; !s.missing() {
				m[s.Name] = &s.Stats
			}
		}
		return m
	}))
}
