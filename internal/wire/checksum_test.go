package wire

import (
	"hash/crc32"
	"testing"
)

func TestChecksum(t *testing.T) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	p := make([]byte, 300)
	for i := range p {
		p[i] = byte(i * i >> 3)
	}
	for from := range 9 {
		for to := from; to <= len(p); to++ {
			b := p[from:to]
			sum := crc32.Checksum(p[:from], castagnoli)
			if got, want := TableChecksum(sum, b), crc32.Update(sum, castagnoli, b); got != want {
				t.Fatalf("the checksum of bytes %d to %d is %x, want %x", from, to, got, want)
			}
		}
	}
}
