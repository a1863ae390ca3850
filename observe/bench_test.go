package observe_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/observe"
)

// BenchmarkProfile replaces each of 20 000 values, without a profile and with one.
func BenchmarkProfile(b *testing.B) {
	for _, rate := range []int{0, 1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("Pool/op=churn/rate=%d", rate), func(b *testing.B) {
			p := berth.NewPool[[4]uint64](berth.Config{Capacity: 20_000})
			var prof *observe.Profile[[4]uint64]
			if rate > 0 {
				prof = observe.NewProfile("berth.bench.pool", p, rate)
				defer prof.Close()
			}
			hs := make([]berth.Handle[[4]uint64], 20_000)
			for i := range hs {
				hs[i] = p.Insert([4]uint64{})
			}
			for b.Loop() {
				if rate == 0 {
					churn(p, hs)
				} else {
					churnProfiled(p, prof, hs)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(hs)), "ns/value")
		})
	}
	b.Run("concurrent/op=inserted/rate=1000", func(b *testing.B) {
		var p concurrent.Pool[int]
		prof := observe.NewProfile("berth.bench.concurrent", &p, 1000)
		defer prof.Close()
		h := p.Insert(1)
		for b.Loop() {
			prof.Inserted(h)
		}
	})
}

//go:noinline
func churn(p *berth.Pool[[4]uint64], hs []berth.Handle[[4]uint64]) {
	for i, h := range hs {
		p.Remove(h)
		hs[i] = p.Insert([4]uint64{})
	}
}

//go:noinline
func churnProfiled(
	p *berth.Pool[[4]uint64], prof *observe.Profile[[4]uint64], hs []berth.Handle[[4]uint64],
) {
	for i, h := range hs {
		p.Remove(h)
		hs[i] = p.Insert([4]uint64{})
		prof.Inserted(hs[i])
	}
}

// BenchmarkSnapshot reads a Pool of 100 000 values.
func BenchmarkSnapshot(b *testing.B) {
	var r observe.Registry
	var p berth.Pool[[4]uint64]
	for range 100_000 {
		p.Insert([4]uint64{})
	}
	i := 0
	p.RemoveFunc(func(berth.Handle[[4]uint64], *[4]uint64) bool { i++; return i%3 == 0 })
	r.Register("p", &p, nil)
	for _, slots := range []bool{false, true} {
		b.Run(fmt.Sprintf("slots=%t", slots), func(b *testing.B) {
			for b.Loop() {
				if s := r.Snapshots(b.Context(), slots)[0]; s.Stats.Live != p.Len() {
					b.Fatal(s)
				}
			}
		})
	}
	for _, query := range []string{"format=prometheus", "format=json", "png=p"} {
		b.Run("get/"+query, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				if r.ServeHTTP(w, httptest.NewRequest("GET", "/?"+query, nil)); w.Code != 200 {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
