package berth

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"hash/crc32"
	"testing"
	"time"

	"github.com/seed505807e1/berth/internal/wire"
)

// particle is the value of the benchmarks of saving: 32 bytes without padding.
type particle struct {
	X, Y, Z, DX, DY, DZ float32
	Life, Kind          uint32
}

func particleOf(i uint64) particle {
	return particle{X: float32(i % 1000), DY: 1, Life: uint32(i), Kind: uint32(i % 7)}
}

// codecRow measures f beside a copy of the same values, in turns, and reports the ratio of the best
// times. The checksum of what f has produced must be want.
func codecRow(b *testing.B, vals []particle, want uint32, f func() uint32) {
	b.Helper()
	to := make([]particle, len(vals))
	best := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		for i, g := range [2]func(){func() { copy(to, vals) }, func() {
			if got := f(); got != want {
				b.Fatalf("checksum %x, want %x", got, want)
			}
		}} {
			start := time.Now()
			g()
			best[i] = min(best[i], time.Since(start))
		}
	}
	b.ReportMetric(float64(best[1])/float64(best[0]), "x-copy")
	b.SetBytes(int64(len(vals)) * 32)
}

// BenchmarkCodec saves and loads 20 000 values of 32 bytes, a tenth of which were replaced. x-copy
// is the time by that of a copy of the values from one slice into another. Package save is in the
// program, except in the row that says so.
func BenchmarkCodec(b *testing.B) {
	const n = 20_000
	p, d := NewPool[particle](Config{Seed: 1}), NewDense[particle](DenseConfig{Seed: 1})
	var ph, dh []Handle[particle]
	for i := range uint64(n) {
		ph, dh = append(ph, p.Insert(particleOf(i))), append(dh, d.Insert(particleOf(i)))
	}
	for i := 0; i < n; i += 10 {
		p.Remove(ph[i])
		d.Remove(dh[i])
	}
	for i := range uint64(n / 10) {
		p.Insert(particleOf(i))
		d.Insert(particleOf(i))
	}
	vals := append([]particle(nil), d.Slice()...)
	sum := func(frame []byte) uint32 { // of the checksum that ends the frame
		return binary.LittleEndian.Uint32(frame[len(frame)-4:])
	}
	var buf []byte
	pf, _ := p.MarshalBinary()
	df, _ := d.MarshalBinary()
	buf = make([]byte, 0, 4*len(pf))
	b.Run("append/Pool", func(b *testing.B) {
		codecRow(b, vals, sum(pf), func() uint32 { f, _ := AppendBinary(p, buf[:0]); return sum(f) })
		b.ReportMetric(float64(len(pf))/float64(n*32), "x-bytes")
	})
	b.Run("append/Dense", func(b *testing.B) {
		codecRow(b, vals, sum(df), func() uint32 { f, _ := DenseAppendBinary(d, buf[:0]); return sum(f) })
		b.ReportMetric(float64(len(df))/float64(n*32), "x-bytes")
	})
	b.Run("append/Pool/without save", func(b *testing.B) {
		defer func(with func(uint32, []byte) uint32) { wire.Checksum = with }(wire.Checksum)
		wire.Checksum = wire.TableChecksum
		codecRow(b, vals, sum(pf), func() uint32 { f, _ := AppendBinary(p, buf[:0]); return sum(f) })
	})
	total := func(v *particle) uint32 { return v.Life + v.Kind }
	var want uint32
	for i := range vals {
		want += total(&vals[i])
	}
	q, e := p.Clone(), d.Clone()
	b.Run("load/Pool", func(b *testing.B) {
		codecRow(b, vals, n, func() uint32 { _ = q.UnmarshalBinary(pf); return uint32(q.Len()) })
		got := uint32(0)
		for v := range q.Values() {
			got += total(v)
		}
		if got != want {
			b.Fatal(got, want)
		}
	})
	b.Run("load/Dense", func(b *testing.B) {
		codecRow(b, vals, n, func() uint32 { _ = e.UnmarshalBinary(df); return uint32(e.Len()) })
		got := uint32(0)
		for _, v := range e.Slice() {
			got += total(&v)
		}
		if got != want {
			b.Fatal(got, want)
		}
	})
	b.Run("copyFrom/Pool", func(b *testing.B) {
		codecRow(b, vals, n, func() uint32 { q.CopyFrom(p); return uint32(q.Len()) })
	})
	b.Run("copyFrom/Dense", func(b *testing.B) {
		codecRow(b, vals, n, func() uint32 { e.CopyFrom(d); return uint32(e.Len()) })
	})
	b.Run("clone/Pool", func(b *testing.B) {
		codecRow(b, vals, n, func() uint32 { return uint32(p.Clone().Len()) })
	})
	b.Run("gob/slice", func(b *testing.B) {
		codecRow(b, vals, 1, func() uint32 {
			var out bytes.Buffer
			_ = gob.NewEncoder(&out).Encode(vals)
			return uint32(min(1, out.Len()))
		})
	})
	table := crc32.MakeTable(crc32.Castagnoli)
	b.Run("crc/bytes", func(b *testing.B) {
		want := crc32.Checksum(pf, table)
		codecRow(b, vals, want, func() uint32 { return crc32.Checksum(pf, table) })
	})
}
