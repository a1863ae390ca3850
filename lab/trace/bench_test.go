package trace_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

// BenchmarkReader reads streams with random inserts and removals, with lookups drawn by the reader,
// and of a program.
func BenchmarkReader(b *testing.B) {
	missiles, err := os.ReadFile("testdata/missiles.trace")
	if err != nil {
		b.Fatal(err)
	}
	m := trace.Model{
		Live: 10_000, Lifetime: trace.Exp(2 * time.Second), FPS: 60, For: 100 * time.Second,
	}
	draws := m
	draws.Lookups = 2
	for name, stream := range map[string][]byte{
		"churn": written(b, m), "draws": written(b, draws), "missiles": missiles,
	} {
		b.Run("stream="+name, func(b *testing.B) {
			b.ReportAllocs()
			ops := 0
			for b.Loop() {
				r, err := trace.NewReader(bytes.NewReader(stream))
				for ; err == nil; ops++ {
					_, err = r.Next()
				}
				if ops--; !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(ops), "ns/record")
			b.ReportMetric(8*float64(len(stream))*float64(b.N)/float64(ops), "bits/record")
		})
	}
}

func written(b *testing.B, m trace.Model) []byte {
	var w bytes.Buffer
	if err := m.Write(&w); err != nil {
		b.Fatal(err)
	}
	return w.Bytes()
}

// BenchmarkRecorder replaces one of 10 000 values and looks up two: by hand, with a wrapped Pool,
// and without a recording.
func BenchmarkRecorder(b *testing.B) {
	const n = 10_000
	rec, err := trace.NewRecorder(io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("impl=hand", func(b *testing.B) {
		t := rec.Track("hand", 8)
		values := make([]trace.Value, n)
		for i := range values {
			values[i] = t.Insert()
		}
		b.ReportAllocs()
		for i := uint64(0); b.Loop(); i += 0x9E3779B97F4A7C15 {
			k := i >> 32 * n >> 32
			t.Remove(values[k])
			values[k] = t.Insert()
			t.Get(values[k*7%n])
			t.Get(values[k*3%n])
		}
	})
	replace := func(p trace.Container[int, berth.Handle[int]]) func(*testing.B) {
		handles := make([]berth.Handle[int], n)
		for i := range handles {
			handles[i] = p.Insert(i)
		}
		return func(b *testing.B) {
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i += 0x9E3779B97F4A7C15 {
				k := i >> 32 * n >> 32
				p.Remove(handles[k])
				handles[k] = p.Insert(1)
				p.Ptr(handles[k*7%n])
				p.Ptr(handles[k*3%n])
			}
		}
	}
	b.Run("impl=wrapped", replace(trace.Wrap(rec.Track("pool", 8), new(berth.Pool[int]))))
	b.Run("impl=pool", replace(new(berth.Pool[int])))
}
