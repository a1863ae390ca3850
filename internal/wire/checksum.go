package wire

import (
	"encoding/binary"
	"sync"
)

// Checksum returns the CRC-32C of some bytes and p, where sum is that of the former. Package crc
// replaces it.
var Checksum = TableChecksum

// tables has the remainder of each byte that 0 to 7 others follow.
var tables = sync.OnceValue(func() *[8][256]uint32 {
	const polynomial = 0x82f63b78 // the lowest bit is that of x^31
	t := new([8][256]uint32)
	for i := range t[0] {
		r := uint32(i)
		for range 8 {
			r = r>>1 ^ polynomial&-(r&1)
		}
		t[0][i] = r
	}
	for k := range 7 {
		for i, r := range t[k] {
			t[k+1][i] = r>>8 ^ t[0][byte(r)]
		}
	}
	return t
})

// TableChecksum is Checksum without package crc. It takes 8 bytes at a time, and a table for each.
func TableChecksum(sum uint32, p []byte) uint32 {
	t, r := tables(), ^sum
	for ; len(p) >= 8; p = p[8:] {
		r ^= binary.LittleEndian.Uint32(p)
		r = t[7][byte(r)] ^ t[6][byte(r>>8)] ^ t[5][byte(r>>16)] ^ t[4][r>>24] ^
			t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]]
	}
	for _, b := range p {
		r = r>>8 ^ t[0][byte(r)^b]
	}
	return ^r
}
