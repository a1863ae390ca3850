package pages

import (
	"fmt"
	"testing"
)

func BenchmarkReserve(b *testing.B) {
	if !Supported || large == 0 {
		b.Skip("cannot reserve 64 GiB")
	}
	for b.Loop() {
		r, err := Reserve(large, false)
		must(b, "Reserve", err)
		must(b, "Release", r.Release())
	}
}

// BenchmarkCommit2MiB commits without touching. The time excludes the decommit.
func BenchmarkCommit2MiB(b *testing.B) {
	const count = 128
	r := reserveOrSkip(b, count*HugeSize, false)
	i := 0
	for b.Loop() {
		if i == count {
			b.StopTimer()
			must(b, "Decommit", r.Decommit(0, r.Len()))
			i = 0
			b.StartTimer()
		}
		must(b, "Commit", r.Commit(i*HugeSize, (i+1)*HugeSize))
		i++
	}
}

const benchBytes = 64 << 20

// touch writes to every 4 KiB of mem, whatever the page size.
func touch(mem []byte) {
	for i := 0; i < len(mem); i += 4 << 10 {
		mem[i] = 1
	}
}

func perPage(b *testing.B) {
	pages := float64(b.N) * (benchBytes / (4 << 10))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/pages, "ns/page")
}

// BenchmarkFirstTouch touches committed memory for the first time. Its ns/page is for 4 KiB.
func BenchmarkFirstTouch(b *testing.B) {
	for _, huge := range []bool{false, true} {
		name := "4K"
		if huge {
			name = "huge"
		}
		b.Run("pages="+name, func(b *testing.B) {
			r := reserveOrSkip(b, benchBytes, huge)
			if huge && !r.Huge() {
				b.Skip("the system has no huge pages")
			}
			for b.Loop() {
				b.StopTimer()
				must(b, "Decommit", r.Decommit(0, benchBytes))
				must(b, "Commit", r.Commit(0, benchBytes))
				b.StartTimer()
				touch(r.Bytes())
			}
			perPage(b)
		})
	}
}

// BenchmarkRetouch zeroes used memory and touches it again. It zeroes by clearing the memory, or by
// giving it back and committing it again. Its ns/page is for 4 KiB.
func BenchmarkRetouch(b *testing.B) {
	for _, way := range []string{"zero", "decommit"} {
		for _, huge := range []bool{false, true} {
			b.Run(fmt.Sprintf("way=%s/huge=%v", way, huge), func(b *testing.B) {
				r := reserveOrSkip(b, benchBytes, huge)
				if huge && !r.Huge() {
					b.Skip("the system has no huge pages")
				}
				must(b, "Commit", r.Commit(0, benchBytes))
				touch(r.Bytes())
				for b.Loop() {
					if way == "zero" {
						clear(r.Bytes())
					} else {
						must(b, "Decommit", r.Decommit(0, benchBytes))
						must(b, "Commit", r.Commit(0, benchBytes))
					}
					touch(r.Bytes())
				}
				perPage(b)
			})
		}
	}
}
