// Package wiretest makes the checksums of frames right, so that tests of hostile data test more
// than the checksums. Only tests use it.
package wiretest

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	headBytes = 8
	wordBytes = 4
)

// Reseal returns a copy of data in which the checksum of each chunk is right, as far as its lengths
// lead.
func Reseal(data []byte) []byte {
	data = append([]byte(nil), data...)
	if len(data) < headBytes {
		return data
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Checksum(data[:headBytes], table)
	for rest := data[headBytes:]; len(rest) >= wordBytes; {
		n := binary.LittleEndian.Uint32(rest)
		if uint64(n)+2*wordBytes > uint64(len(rest)) {
			break
		}
		end := wordBytes + int(n)
		sum = crc32.Update(sum, table, rest[:end])
		binary.LittleEndian.PutUint32(rest[end:], sum)
		rest = rest[end+wordBytes:]
	}
	return data
}

// Rechunk returns the frame of data with its contents in chunks of at most n bytes.
func Rechunk(data []byte, n int) []byte {
	out := append([]byte(nil), data[:headBytes]...)
	var contents []byte
	for rest := data[headBytes:]; len(rest) >= wordBytes; {
		k := int(binary.LittleEndian.Uint32(rest))
		contents = append(contents, rest[wordBytes:wordBytes+k]...)
		rest = rest[wordBytes+k+wordBytes:]
	}
	for {
		k := min(n, len(contents))
		out = binary.LittleEndian.AppendUint32(out, uint32(k))
		out = append(append(out, contents[:k]...), 0, 0, 0, 0)
		contents = contents[k:]
		if k == 0 {
			return Reseal(out)
		}
	}
}
