package stable_test

import (
	"testing"
	"time"

	"github.com/seed505807e1/berth/stable"
)

// BenchmarkCodec saves, loads and copies 20 000 values of 32 bytes, a tenth of which were replaced.
// x-copy is the best time by the best of a copy of the values from one slice into another.
func BenchmarkCodec(b *testing.B) {
	const n = 20_000
	for _, p := range placements {
		l := stable.New[elem](stable.Config{Seed: 1, Placement: p})
		for i := range uint64(n) {
			l.Insert(elem{i})
		}
		for i := uint32(0); i < n; i += 10 {
			l.Delete(stable.KeyAt(l, i))
		}
		for i := range uint64(n / 10) {
			l.Insert(elem{i})
		}
		from, to := make([]elem, n), make([]elem, n)
		buf, err := l.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		q := l.Clone()
		for name, f := range map[string]func(){
			"append":   func() { buf, _ = l.AppendBinary(buf[:0]) },
			"load":     func() { err = q.UnmarshalBinary(buf) },
			"copyFrom": func() { q.CopyFrom(l) },
		} {
			b.Run("op="+name+"/impl="+p.String(), func(b *testing.B) {
				best := [2]time.Duration{time.Hour, time.Hour}
				b.ReportAllocs()
				for b.Loop() {
					for i, g := range [2]func(){func() { copy(to, from) }, f} {
						start := time.Now()
						g()
						best[i] = min(best[i], time.Since(start))
					}
				}
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(best[1])/float64(best[0]), "x-copy")
				b.ReportMetric(float64(len(buf))/(n*32), "x-bytes")
			})
		}
	}
}
